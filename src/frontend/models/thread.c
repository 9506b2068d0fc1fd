/* POSIX threads: creation, joining, identity, thread-specific data, and the end of threads and of the program (POSIX.1-2017, XSH pthread_create,
   pthread_join, pthread_key_create, atexit).

   Self-join gives EDEADLK, as in glibc. Left out: EDEADLK for two threads that join each other (they block), failing creation, joining
   a thread that was detached or joined before, which POSIX leaves undefined. */

/* How many threads have not ended, kept only where somebody has to know which is the last. */
static int __regrain_running = 1;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
    /* The number is stored before the new thread can run, as users expect of their own `thread` variable. */
    __regrain_atomic_begin();
    if (__regrain_used("atexit"))
        __regrain_running++;
    unsigned long number = __regrain_create(start, argument);
    if (thread)
        *thread = number + 1;
    __regrain_atomic_end();
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    __regrain_cancellation_point();
    if (thread == __regrain_self() + 1)
        return __regrain_deadlock;
    __regrain_cancellation_while_waiting();
    void *value = __regrain_join(thread - 1);
    if (result)
        *result = value;
    return 0;
}

/* Not of POSIX, but of glibc: joining that does not wait, or not for ever. */
int pthread_tryjoin_np(pthread_t thread, void **result) {
    return __regrain_ended(thread - 1) ? pthread_join(thread, result) : __regrain_busy;
}

int pthread_timedjoin_np(pthread_t thread, void **result, const void *deadline) {
    __regrain_cancellation_point();
    if (!__regrain_ended(thread - 1) && thread != __regrain_self() + 1 && __regrain_nondet_bool())
        return __regrain_timeout;
    return pthread_join(thread, result);
}

pthread_t pthread_self(void) { return __regrain_self() + 1; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
int pthread_detach(pthread_t thread) { return 0; }
int pthread_yield(void) { return 0; }
int pthread_setconcurrency(int level) { return 0; }
int pthread_getconcurrency(void) { return 0; }
int pthread_setname_np(pthread_t thread, const char *name) { return 0; }

/* Only one thread runs the routine, and nobody returns before it has ended. Who finds it done has only read; the end is a store that follows
   earlier ones. */
int pthread_once(pthread_once_t *once, void (*routine)(void)) {
    _Bool mine = 0;
    if (__regrain_weak_memory() && *once == 2)
        return 0;
    __regrain_atomic_begin();
    __regrain_assume(*once != 1);
    if (*once == 0) {
        *once = 1;
        mine = 1;
    }
    __regrain_atomic_end();
    if (mine) {
        routine();
        __regrain_atomic_store((int *)once, 2, 3); /* release */
    }
    return 0;
}

enum { __regrain_keys = 8, __regrain_destructor_rounds = 4 };
static unsigned __regrain_next_key;
static void (*__regrain_destructors[__regrain_keys])(void *);
static _Thread_local void *__regrain_specific[__regrain_keys];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    __regrain_atomic_begin();
    unsigned next = __regrain_next_key;
    if (next >= __regrain_keys)
        __regrain_undefined("more than 8 keys of thread-specific data");
    __regrain_next_key = next + 1;
    if (destructor)
        __regrain_destructors[next] = destructor;
    __regrain_atomic_end();
    *key = next;
    return 0;
}

/* Destructors are not called; the number is not used again. */
int pthread_key_delete(pthread_key_t key) {
    if (key >= __regrain_keys)
        return __regrain_invalid;
    __regrain_destructors[key] = 0;
    return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    __regrain_specific[key] = (void *)value;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) { return __regrain_specific[key]; }

/* One round over the values that are not NULL, in any order. */
static _Bool __regrain_destroy_round(void) {
    _Bool done[__regrain_keys] = {0};
    _Bool any = 0;
    for (unsigned count = 0; count < __regrain_keys && count < __regrain_next_key; count++) {
        unsigned key = 0;
        if (__regrain_next_key > 1)
            key = __regrain_nondet_bool() + 2 * __regrain_nondet_bool() + 4 * __regrain_nondet_bool();
        __regrain_assume(key < __regrain_next_key && !done[key]);
        done[key] = 1;
        void *value = __regrain_specific[key];
        if (value && __regrain_destructors[key]) {
            any = 1;
            __regrain_specific[key] = 0;
            __regrain_call("pthread_key_create tss_create", __regrain_destructors[key], value);
        }
    }
    return any;
}

static void (*__regrain_exit_handlers[32])(void);
static int __regrain_exit_count;

int atexit(void (*handler)(void)) {
    __regrain_atomic_begin();
    if (__regrain_exit_count >= 32)
        __regrain_undefined("more than 32 functions for `atexit`");
    __regrain_exit_handlers[__regrain_exit_count] = handler;
    __regrain_exit_count++;
    __regrain_atomic_end();
    return 0;
}

/* What `exit` does before the end: functions run in the reverse order of their registration, also those registered meanwhile. */
static void __regrain_at_exit(void) {
    for (;;) {
        void (*handler)(void) = 0;
        __regrain_atomic_begin();
        if (__regrain_exit_count > 0) {
            __regrain_exit_count--;
            handler = __regrain_exit_handlers[__regrain_exit_count];
        }
        __regrain_atomic_end();
        if (!handler)
            break;
        __regrain_call("atexit", handler);
    }
    __regrain_run_destructors();
}

/* What a thread does after its start function and its clean-up handlers. The last one to end ends the program as `exit` does. */
static void __regrain_thread_end(void) {
    if (__regrain_used("pthread_key_create"))
        for (int round = 0; round < __regrain_destructor_rounds; round++)
            if (!__regrain_destroy_round())
                break;
    if (__regrain_used("atexit")) {
        __regrain_atomic_begin();
        __regrain_running--;
        _Bool last = __regrain_running == 0;
        __regrain_atomic_end();
        if (last)
            __regrain_at_exit();
    }
}
