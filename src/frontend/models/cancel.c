/* Cancellation (POSIX.1-2017, XSH 2.9.5) and how threads end.

   A request is acted upon at cancellation points only; asynchronous cancellation is refused. POSIX's list of functions that are cancellation
   points is followed, as far as we know the functions; those of the list of functions that may be one (printf and its like, read-write locks) act or not. A thread that
   waits in a cancellation point may be cancelled there. Acting on a request runs the clean-up handlers, innermost first,
   then the destructors of thread-specific data, in any order and up to four rounds; from then on further requests are ignored. The handlers
   themselves are the business of lowering, which knows them where the thread is: see `__regrain_cleanup_push`.
   Programs without `pthread_cancel` pay nothing: `__regrain_used` is known beforehand. */

static _Thread_local int __regrain_errno;
int *__errno_location(void) { return &__regrain_errno; }

static _Thread_local int __regrain_cancel_state; /* PTHREAD_CANCEL_ENABLE is 0 */

static void __regrain_act(void) {
    __regrain_cancel_state = 1;
    __regrain_end_cancelled();
}

static void __regrain_cancellation_point(void) {
    if (__regrain_used("pthread_cancel") && __regrain_cancel_state == 0 && __regrain_cancelled())
        __regrain_act();
}

/* A request may be acted upon, or stay. */
static void __regrain_possible_cancellation_point(void) {
    if (__regrain_used("pthread_cancel") && __regrain_cancel_state == 0 && __regrain_nondet_bool() && __regrain_cancelled())
        __regrain_act();
}

/* Before waiting: the thread may wait until it is cancelled instead of what it waits for. */
static void __regrain_cancellation_while_waiting(void) {
    if (__regrain_used("pthread_cancel") && __regrain_cancel_state == 0 && __regrain_nondet_bool()) {
        __regrain_assume(__regrain_cancelled());
        __regrain_act();
    }
}

int pthread_cancel(pthread_t thread) {
    __regrain_atomic_begin();
    __regrain_cancel(thread - 1);
    __regrain_atomic_end();
    return 0;
}

void pthread_testcancel(void) { __regrain_cancellation_point(); }

int pthread_setcancelstate(int state, int *old) {
    if (state != 0 && state != 1)
        return __regrain_invalid;
    if (old)
        *old = __regrain_cancel_state;
    __regrain_cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (type == 1)
        __regrain_refused("asynchronous cancellation");
    if (type != 0)
        return __regrain_invalid;
    if (old)
        *old = 0;
    return 0;
}

void pthread_exit(void *result) {
    if (__regrain_used("pthread_cancel"))
        __regrain_cancel_state = 1;
    __regrain_exit(result);
}
