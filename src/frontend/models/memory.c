/* Allocation beyond malloc, calloc and free, which lowering knows (ISO 9899:2011, 7.22.3; POSIX.1-2017, XSH posix_memalign). Every object is aligned to any power of
   two that programs ask for. `realloc` makes a new object, which may lie where the old one was; of size 0 it frees, as in glibc. */

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *pointer);

void *realloc(void *old, size_t size) {
    if (!old)
        return malloc(size);
    if (size == 0) {
        free(old);
        return 0;
    }
    size_t kept = __regrain_size(old);
    void *new = __regrain_unsettled(size);
    if (new) {
        __regrain_copy(new, old, kept < size ? kept : size);
        free(old);
        new = __regrain_settle(new);
    }
    return new;
}

void *reallocarray(void *old, size_t count, size_t size) {
    if (size != 0 && count > (size_t)-1 / size)
        return 0;
    return realloc(old, count * size);
}

static _Bool __regrain_power_of_two(size_t alignment) { return alignment != 0 && (alignment & (alignment - 1)) == 0; }

void *aligned_alloc(size_t alignment, size_t size) { return __regrain_power_of_two(alignment) ? malloc(size) : 0; }
void *memalign(size_t alignment, size_t size) { return malloc(size); }
void *valloc(size_t size) { return malloc(size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!__regrain_power_of_two(alignment) || alignment % sizeof(void *) != 0)
        return __regrain_invalid;
    void *new = malloc(size);
    if (!new)
        return 12; /* ENOMEM */
    *result = new;
    return 0;
}
