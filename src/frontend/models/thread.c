/* POSIX threads: creation, joining, identity, thread-specific data. */

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
    /* The number is stored before the new thread can run, as users expect of their own `thread` variable. */
    __regrain_atomic_begin();
    unsigned long number = __regrain_create(start, argument);
    if (thread)
        *thread = number + 1;
    __regrain_atomic_end();
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    void *value = __regrain_join(thread - 1);
    if (result)
        *result = value;
    return 0;
}

void pthread_exit(void *result) { __regrain_exit(result); }
pthread_t pthread_self(void) { return __regrain_self() + 1; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
int pthread_detach(pthread_t thread) { return 0; }
int pthread_yield(void) { return 0; }
int pthread_setconcurrency(int level) { return 0; }
int pthread_attr_init(pthread_attr_t *attr) { return 0; }
int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) { return 0; }
int pthread_attr_setscope(pthread_attr_t *attr, int scope) { return 0; }
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size) { return 0; }

/* Only one thread runs the routine, and nobody returns before it has ended. */
int pthread_once(pthread_once_t *once, void (*routine)(void)) {
    _Bool mine = 0;
    __regrain_atomic_begin();
    __regrain_assume(*once != 1);
    if (*once == 0) {
        *once = 1;
        mine = 1;
    }
    __regrain_atomic_end();
    if (mine) {
        routine();
        __regrain_atomic_begin();
        *once = 2;
        __regrain_atomic_end();
    }
    return 0;
}

enum { __regrain_keys = 8 };
static unsigned __regrain_next_key;
static _Thread_local void *__regrain_specific[__regrain_keys];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    if (destructor)
        __regrain_undefined("a destructor of thread-specific data");
    __regrain_atomic_begin();
    unsigned next = __regrain_next_key;
    if (next >= __regrain_keys)
        __regrain_undefined("more than 8 keys of thread-specific data");
    __regrain_next_key = next + 1;
    __regrain_atomic_end();
    *key = next;
    return 0;
}

int pthread_key_delete(pthread_key_t key) { return 0; }

int pthread_setspecific(pthread_key_t key, const void *value) {
    __regrain_specific[key] = (void *)value;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) { return __regrain_specific[key]; }
