/* Time, waiting, processes and random numbers (POSIX.1-2017, XSH; ISO 9899:2011, 7.22, 7.27). Clocks show any time;
   CLOCK_MONOTONIC does not go back, others may be set meanwhile. Left out: waiting that a signal ends, clocks that fail. */

int sched_yield(void) { return 0; }
int sched_get_priority_max(int policy) { return policy == 0 ? 0 : 99; }
int sched_get_priority_min(int policy) { return policy == 0 ? 0 : 1; }

static void __regrain_sleep(void) {
    __regrain_cancellation_point();
    __regrain_cancellation_while_waiting();
}

unsigned sleep(unsigned seconds) {
    __regrain_sleep();
    return 0;
}

int usleep(unsigned microseconds) {
    __regrain_sleep();
    return 0;
}

int nanosleep(const void *duration, void *remaining) {
    __regrain_sleep();
    return 0;
}

int clock_nanosleep(int clock, int flags, const void *duration, void *remaining) {
    __regrain_sleep();
    return 0;
}

int pause(void) {
    __regrain_stop();
    return -1;
}

long time(long *result) {
    long now = __regrain_nondet_long();
    if (result)
        *result = now;
    return now;
}

long clock(void) { return __regrain_nondet_long(); }

/* The latest time that anybody, or this thread, has seen. Reading a clock is no fence, so under weak memory a thread knows its own readings only. */
static long __regrain_seconds, __regrain_fraction;
static _Thread_local long __regrain_own_seconds, __regrain_own_fraction;

static _Bool __regrain_later(long seconds, long fraction, long old_seconds, long old_fraction) {
    return seconds > old_seconds || seconds == old_seconds && fraction >= old_fraction;
}

int clock_gettime(int clock, void *result) {
    long seconds = __regrain_nondet_long();
    long fraction = __regrain_nondet_long();
    __regrain_assume(seconds >= 0 && fraction >= 0 && fraction < 1000000000);
    if (clock == 1 && __regrain_weak_memory()) { /* CLOCK_MONOTONIC */
        __regrain_assume(__regrain_later(seconds, fraction, __regrain_own_seconds, __regrain_own_fraction));
        __regrain_own_seconds = seconds;
        __regrain_own_fraction = fraction;
    } else if (clock == 1) {
        __regrain_atomic_begin();
        __regrain_assume(__regrain_later(seconds, fraction, __regrain_seconds, __regrain_fraction));
        __regrain_seconds = seconds;
        __regrain_fraction = fraction;
        __regrain_atomic_end();
    }
    ((long *)result)[0] = seconds;
    ((long *)result)[1] = fraction;
    return 0;
}

int clock_getres(int clock, void *result) {
    if (result) {
        ((long *)result)[0] = 0;
        ((long *)result)[1] = 1;
    }
    return 0;
}

int timespec_get(void *result, int base) {
    clock_gettime(0, result);
    return base;
}

int gettimeofday(void *result, void *zone) {
    long seconds = __regrain_nondet_long();
    long fraction = __regrain_nondet_long();
    __regrain_assume(seconds >= 0 && fraction >= 0 && fraction < 1000000);
    ((long *)result)[0] = seconds;
    ((long *)result)[1] = fraction;
    return 0;
}

/* Any number, chosen once. Choosing is a fence, which the system call need not be. */
static int __regrain_process;

int getpid(void) {
    __regrain_atomic_begin();
    if (!__regrain_process) {
        int number = __regrain_nondet_int();
        __regrain_assume(number > 1);
        __regrain_process = number;
    }
    int result = __regrain_process;
    __regrain_atomic_end();
    return result;
}

/* Any sequence of numbers, as every seed and every implementation may have another. */
void srand(unsigned seed) {}
void srandom(unsigned seed) {}

int rand(void) {
    int value = __regrain_nondet_int();
    __regrain_assume(value >= 0);
    return value;
}

long random(void) { return rand(); }

int rand_r(unsigned *seed) {
    *seed = (unsigned)__regrain_nondet_int();
    return rand();
}

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }
long long llabs(long long value) { return value < 0 ? -value : value; }
