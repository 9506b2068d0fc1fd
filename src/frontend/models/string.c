/* Strings and memory (ISO 9899:2011, 7.24; POSIX.1-2017, XSH strnlen, strdup): byte by byte, as none of them is indivisible. What has undefined behaviour there
   runs into the end of an object here and is reported. Results that the standard gives only by their sign have any value of that sign that real
   libraries give: the difference of the bytes, or 1 and -1. Left out: locales, and what overlaps. */

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

size_t strnlen(const char *text, size_t most) {
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

char *strcpy(char *to, const char *from) {
    size_t at = 0;
    while ((to[at] = from[at]))
        at++;
    return to;
}

char *stpcpy(char *to, const char *from) {
    while ((*to = *from)) {
        to++;
        from++;
    }
    return to;
}

char *strncpy(char *to, const char *from, size_t size) {
    size_t at = 0;
    for (; at < size && from[at]; at++)
        to[at] = from[at];
    for (; at < size; at++)
        to[at] = 0;
    return to;
}

char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t size) {
    size_t end = strlen(to), at = 0;
    for (; at < size && from[at]; at++)
        to[end + at] = from[at];
    to[end + at] = 0;
    return to;
}

/* The sign of a difference, or the difference itself. */
static int __regrain_compared(unsigned char a, unsigned char b) {
    if (a == b)
        return 0;
    if (__regrain_nondet_bool())
        return (int)a - (int)b;
    return a < b ? -1 : 1;
}

int strcmp(const char *a, const char *b) {
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    return __regrain_compared((unsigned char)a[at], (unsigned char)b[at]);
}

int strncmp(const char *a, const char *b, size_t size) {
    size_t at = 0;
    while (at < size && a[at] && a[at] == b[at])
        at++;
    return at < size ? __regrain_compared((unsigned char)a[at], (unsigned char)b[at]) : 0;
}

int strcoll(const char *a, const char *b) { return strcmp(a, b); }

int memcmp(const void *a, const void *b, size_t size) {
    size_t at = 0;
    while (at < size && ((const unsigned char *)a)[at] == ((const unsigned char *)b)[at])
        at++;
    return at < size ? __regrain_compared(((const unsigned char *)a)[at], ((const unsigned char *)b)[at]) : 0;
}

void *memchr(const void *text, int c, size_t size) {
    for (size_t at = 0; at < size; at++)
        if (((const unsigned char *)text)[at] == (unsigned char)c)
            return (unsigned char *)text + at;
    return 0;
}

char *strchr(const char *text, int c) {
    for (; *text != (char)c; text++)
        if (!*text)
            return 0;
    return (char *)text;
}

char *strrchr(const char *text, int c) {
    const char *found = 0;
    for (;; text++) {
        if (*text == (char)c)
            found = text;
        if (!*text)
            return (char *)found;
    }
}

char *strstr(const char *text, const char *part) {
    for (;; text++) {
        size_t at = 0;
        while (part[at] && text[at] == part[at])
            at++;
        if (!part[at])
            return (char *)text;
        if (!*text)
            return 0;
    }
}

size_t strspn(const char *text, const char *set) {
    size_t at = 0;
    while (text[at] && strchr(set, text[at]))
        at++;
    return at;
}

size_t strcspn(const char *text, const char *set) {
    size_t at = 0;
    while (text[at] && !strchr(set, text[at]))
        at++;
    return at;
}

char *strpbrk(const char *text, const char *set) {
    text += strcspn(text, set);
    return *text ? (char *)text : 0;
}

char *strtok_r(char *text, const char *separators, char **rest) {
    char *start = text ? text : *rest;
    start += strspn(start, separators);
    if (!*start) {
        *rest = start;
        return 0;
    }
    char *end = start + strcspn(start, separators);
    *rest = *end ? end + 1 : end;
    *end = 0;
    return start;
}

static char *__regrain_strtok_rest;
char *strtok(char *text, const char *separators) { return strtok_r(text, separators, &__regrain_strtok_rest); }

char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = (char *)malloc(size);
    if (copy)
        strcpy(copy, text);
    return copy;
}

char *strndup(const char *text, size_t most) {
    size_t size = strnlen(text, most);
    char *copy = (char *)malloc(size + 1);
    if (copy) {
        strncpy(copy, text, size);
        copy[size] = 0;
    }
    return copy;
}

int strcasecmp(const char *a, const char *b) {
    size_t at = 0;
    while (a[at] && tolower((unsigned char)a[at]) == tolower((unsigned char)b[at]))
        at++;
    return __regrain_compared((unsigned char)tolower((unsigned char)a[at]), (unsigned char)tolower((unsigned char)b[at]));
}
