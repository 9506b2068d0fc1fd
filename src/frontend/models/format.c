/* Text from numbers and from outside (ISO 9899:2011, 7.21.6.5, 7.21.6.6, 7.21.7.2, 7.22.4.6): characters one by one. Formats have flags, width, precision, lengths and the conversions
   d i u x X o c s p %; a run that meets another one ends, and is reported. Left out: locales, errors of output. */

static void __regrain_put(char *text, size_t size, size_t at, char c) {
    if (at < size && at + 1 < size)
        text[at] = c;
}

static size_t __regrain_pad(char *text, size_t size, size_t at, char c, int count) {
    for (int i = 0; i < count; i++)
        __regrain_put(text, size, at++, c);
    return at;
}

/* One conversion: where it begins and which arguments are next. */
struct __regrain_conversion {
    const char *format;
    __builtin_va_list list;
    size_t at;
    _Bool left, zero, plus, space, other;
    int width, precision;
    int bytes; /* of the argument: 1, 2, 4 or 8 */
};

static int __regrain_amount(struct __regrain_conversion *state) {
    int amount = 0;
    if (*state->format == '*') {
        state->format++;
        return __builtin_va_arg(state->list, int);
    }
    while (*state->format >= '0' && *state->format <= '9')
        amount = amount * 10 + (*state->format++ - '0');
    return amount;
}

static void __regrain_directive(struct __regrain_conversion *state) {
    state->left = state->zero = state->plus = state->space = state->other = 0;
    for (;; state->format++) {
        if (*state->format == '-')
            state->left = 1;
        else if (*state->format == '0')
            state->zero = 1;
        else if (*state->format == '+')
            state->plus = 1;
        else if (*state->format == ' ')
            state->space = 1;
        else if (*state->format == '#')
            state->other = 1;
        else
            break;
    }
    state->width = __regrain_amount(state);
    if (state->width < 0) {
        state->left = 1;
        state->width = -state->width;
    }
    state->precision = -1;
    if (*state->format == '.') {
        state->format++;
        state->precision = __regrain_amount(state);
    }
    state->bytes = 4;
    for (;; state->format++) {
        if (*state->format == 'h')
            state->bytes /= 2;
        else if (*state->format == 'l' || *state->format == 'z' || *state->format == 't')
            state->bytes = state->bytes == (int)sizeof(long) && *state->format == 'l' && state->format[-1] == 'l'
                               ? 8
                               : (int)sizeof(long);
        else if (*state->format == 'j' || *state->format == 'q')
            state->bytes = 8;
        else
            break;
    }
}

static void __regrain_put_number(struct __regrain_conversion *state, char *text, size_t size, unsigned long long value,
                                 unsigned base, _Bool upper, char sign) {
    char digits[24] = {0};
    int count = 0, zeros = 0, prefix = 0;
    _Bool nothing = value == 0 && state->precision == 0;
    if (state->other && base == 16 && value)
        prefix = 2;
    while (value || count == 0 && !nothing) {
        unsigned digit = (unsigned)(value % base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
        value /= base;
    }
    if (state->precision > count)
        zeros = state->precision - count;
    if (state->other && base == 8 && zeros == 0 && (count == 0 || digits[count - 1] != '0'))
        zeros = 1;
    int used = count + zeros + prefix + (sign ? 1 : 0);
    if (state->zero && !state->left && state->precision < 0 && state->width > used) {
        zeros += state->width - used;
        used = state->width;
    }
    if (!state->left)
        state->at = __regrain_pad(text, size, state->at, ' ', state->width - used);
    if (sign)
        __regrain_put(text, size, state->at++, sign);
    if (prefix) {
        __regrain_put(text, size, state->at++, '0');
        __regrain_put(text, size, state->at++, upper ? 'X' : 'x');
    }
    state->at = __regrain_pad(text, size, state->at, '0', zeros);
    while (count > 0)
        __regrain_put(text, size, state->at++, digits[--count]);
    if (state->left)
        state->at = __regrain_pad(text, size, state->at, ' ', state->width - used);
}

static void __regrain_put_string(struct __regrain_conversion *state, char *text, size_t size, const char *from) {
    int count = 0;
    while ((state->precision < 0 || count < state->precision) && from[count])
        count++;
    if (!state->left)
        state->at = __regrain_pad(text, size, state->at, ' ', state->width - count);
    for (int i = 0; i < count; i++)
        __regrain_put(text, size, state->at++, from[i]);
    if (state->left)
        state->at = __regrain_pad(text, size, state->at, ' ', state->width - count);
}

static void __regrain_put_signed(struct __regrain_conversion *state, char *text, size_t size) {
    long long value = state->bytes == 8 ? __builtin_va_arg(state->list, long long) : __builtin_va_arg(state->list, int);
    if (state->bytes == 1)
        value = (char)value;
    if (state->bytes == 2)
        value = (short)value;
    unsigned long long amount = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    char sign = value < 0 ? '-' : state->plus ? '+' : state->space ? ' ' : 0;
    __regrain_put_number(state, text, size, amount, 10, 0, sign);
}

static void __regrain_put_natural(struct __regrain_conversion *state, char *text, size_t size, char kind) {
    unsigned long long value =
        state->bytes == 8 ? __builtin_va_arg(state->list, unsigned long long) : __builtin_va_arg(state->list, unsigned);
    if (state->bytes == 1)
        value = (unsigned char)value;
    if (state->bytes == 2)
        value = (unsigned short)value;
    unsigned base = kind == 'u' ? 10 : kind == 'o' ? 8 : 16;
    __regrain_put_number(state, text, size, value, base, kind == 'X', 0);
}

int vsnprintf(char *text, size_t size, const char *format, __builtin_va_list list) {
    struct __regrain_conversion state = {0};
    state.format = format;
    state.list = list;
    state.at = 0;
    for (; *state.format; state.format++) {
        if (*state.format != '%') {
            __regrain_put(text, size, state.at++, *state.format);
            continue;
        }
        state.format++;
        __regrain_directive(&state);
        char kind = *state.format;
        if (kind == '%')
            __regrain_put(text, size, state.at++, '%');
        else if (kind == 'd' || kind == 'i')
            __regrain_put_signed(&state, text, size);
        else if (kind == 'u' || kind == 'x' || kind == 'X' || kind == 'o')
            __regrain_put_natural(&state, text, size, kind);
        else if (kind == 'c') {
            char c = (char)__builtin_va_arg(state.list, int);
            if (!state.left)
                state.at = __regrain_pad(text, size, state.at, ' ', state.width - 1);
            __regrain_put(text, size, state.at++, c);
            if (state.left)
                state.at = __regrain_pad(text, size, state.at, ' ', state.width - 1);
        } else if (kind == 's')
            __regrain_put_string(&state, text, size, __builtin_va_arg(state.list, const char *));
        else
            __regrain_undefined("a conversion of `snprintf` that is not followed");
    }
    if (size > 0)
        text[state.at < size ? state.at : size - 1] = 0;
    return (int)state.at;
}

int snprintf(char *text, size_t size, const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    return vsnprintf(text, size, format, list);
}

int vsprintf(char *text, const char *format, __builtin_va_list list) {
    return vsnprintf(text, (size_t)-1, format, list);
}

int sprintf(char *text, const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    return vsnprintf(text, (size_t)-1, format, list);
}

/* A line of any content, or nothing. */
char *fgets(char *text, int size, void *file) {
    int at = 0;
    if (size < 1 || __regrain_nondet_bool())
        return 0;
    while (at < size - 1 && (at == 0 || __regrain_nondet_bool())) {
        char c = __regrain_nondet_char();
        text[at++] = c;
        if (c == '\n')
            break;
    }
    text[at] = 0;
    return text;
}

int getc(void *file) { return __regrain_nondet_bool() ? -1 : (unsigned char)__regrain_nondet_char(); }
int fgetc(void *file) { return getc(file); }

/* Nothing, or a text of any content. What a second call finds depends on the names, which nobody compares here: it ends the run, and so does a text of more than 7
   characters. */
static char __regrain_environment[8];
static int __regrain_asked;

char *getenv(const char *name) {
    int at = 0;
    if (__regrain_atomic_exchange(&__regrain_asked, 1, 5))
        __regrain_undefined("a second call of `getenv`");
    if (__regrain_nondet_bool())
        return 0;
    while (__regrain_nondet_bool()) {
        if (at == (int)sizeof(__regrain_environment) - 1)
            __regrain_undefined("an environment variable of more than 7 characters");
        char c = __regrain_nondet_char();
        __regrain_assume(c != 0);
        __regrain_environment[at++] = c;
    }
    return __regrain_environment;
}
