/* Characters, numbers in text, sorting and searching (ISO 9899:2011, 7.4, 7.22). Characters are those of the "C" locale. The order in which
   sorting compares, and that of equal elements, are unspecified: elements are inserted one by one, equal ones in any order. */

int isdigit(int c) { return c >= '0' && c <= '9'; }
int isxdigit(int c) { return isdigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || c >= '\t' && c <= '\r'; }
int isblank(int c) { return c == ' ' || c == '\t'; }
int isprint(int c) { return c >= ' ' && c <= '~'; }
int isgraph(int c) { return c > ' ' && c <= '~'; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int iscntrl(int c) { return c >= 0 && c < ' ' || c == 127; }
int tolower(int c) { return isupper(c) ? c + 32 : c; }
int toupper(int c) { return islower(c) ? c - 32 : c; }

static int __regrain_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* The number in a text: its size up to a limit, its sign, and where it ends. `range` says whether it is larger than the limits. */
static unsigned long long __regrain_number(const char *text, const char **end, int base, unsigned long long highest,
                                           unsigned long long lowest, _Bool *minus, _Bool *range) {
    const char *at = text;
    unsigned long long value = 0;
    _Bool negative = 0, any = 0, large = 0;
    while (isspace((unsigned char)*at))
        at++;
    if (*at == '-' || *at == '+') {
        negative = *at == '-';
        at++;
    }
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && __regrain_digit(at[2]) < 16) {
        at += 2;
        base = 16;
    }
    if (base == 0)
        base = *at == '0' ? 8 : 10;
    unsigned long long most = negative ? lowest : highest;
    while (__regrain_digit(*at) < base) {
        unsigned digit = (unsigned)__regrain_digit(*at);
        any = 1;
        if (value > (most - digit) / (unsigned)base || digit > most)
            large = 1;
        else
            value = value * (unsigned)base + digit;
        at++;
    }
    *end = any ? at : text;
    *minus = negative;
    *range = large;
    return large ? most : value;
}

long long strtoll(const char *text, char **end, int base) {
    const char *stop;
    _Bool minus, range;
    unsigned long long value =
        __regrain_number(text, &stop, base, 9223372036854775807ull, 9223372036854775808ull, &minus, &range);
    if (range)
        __regrain_errno = __regrain_range;
    if (end)
        *end = (char *)stop;
    return minus ? (long long)(0 - value) : (long long)value;
}

unsigned long long strtoull(const char *text, char **end, int base) {
    const char *stop;
    _Bool minus, range;
    unsigned long long most = 18446744073709551615ull;
    unsigned long long value = __regrain_number(text, &stop, base, most, most, &minus, &range);
    if (range)
        __regrain_errno = __regrain_range;
    if (end)
        *end = (char *)stop;
    return minus && !range ? 0 - value : value;
}

long strtol(const char *text, char **end, int base) {
    const char *stop;
    _Bool minus, range;
    unsigned long most = (unsigned long)-1 / 2;
    unsigned long value = (unsigned long)__regrain_number(text, &stop, base, most, (unsigned long long)most + 1, &minus, &range);
    if (range)
        __regrain_errno = __regrain_range;
    if (end)
        *end = (char *)stop;
    return minus ? (long)(0 - value) : (long)value;
}

unsigned long strtoul(const char *text, char **end, int base) {
    const char *stop;
    _Bool minus, range;
    unsigned long most = (unsigned long)-1;
    unsigned long value = (unsigned long)__regrain_number(text, &stop, base, most, most, &minus, &range);
    if (range)
        __regrain_errno = __regrain_range;
    if (end)
        *end = (char *)stop;
    return minus && !range ? 0 - value : value;
}

/* A number that does not fit is undefined. */
static long long __regrain_fitting(const char *text, long long least, long long most) {
    long long value = strtoll(text, 0, 10);
    if (value < least || value > most)
        __regrain_undefined("a number in a text that is too large for its type");
    return value;
}

int atoi(const char *text) { return (int)__regrain_fitting(text, -2147483647ll - 1, 2147483647ll); }
long atol(const char *text) {
    long long most = (long long)((unsigned long)-1 / 2);
    return (long)__regrain_fitting(text, -most - 1, most);
}
long long atoll(const char *text) { return strtoll(text, 0, 10); }

typedef struct {
    int quot;
    int rem;
} div_t;
typedef struct {
    long quot;
    long rem;
} ldiv_t;

div_t div(int a, int b) {
    div_t result = {a / b, a % b};
    return result;
}

ldiv_t ldiv(long a, long b) {
    ldiv_t result = {a / b, a % b};
    return result;
}

static void __regrain_swap(char *a, char *b, size_t size) {
    for (size_t at = 0; at < size; at++) {
        char kept = a[at];
        a[at] = b[at];
        b[at] = kept;
    }
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    for (size_t next = 1; next < count; next++) {
        for (size_t at = next; at > 0; at--) {
            char *right = (char *)base + at * size, *left = right - size;
            int order = compare(left, right);
            if (order < 0 || order == 0 && __regrain_nondet_bool())
                break;
            __regrain_swap(left, right, size);
        }
    }
}

/* Any element that compares equal; which one, and what is compared, is unspecified: halves as real ones do. */
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}
