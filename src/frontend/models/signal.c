/* Sets of signals and masks (POSIX.1-2017, XSH sigaddset, pthread_sigmask). No signal is ever delivered: what would install a handler, send a signal or
   wait for one is refused, so that masks have nothing to hold back. */

int sigemptyset(void *set) {
    *(unsigned long *)set = 0;
    return 0;
}

int sigfillset(void *set) {
    *(unsigned long *)set = (unsigned long)-1;
    return 0;
}

/* Signals from 1; those beyond the first word are not followed. */
static unsigned long __regrain_signal(int number) {
    if (number < 1 || number > 32)
        __regrain_undefined("a signal beyond the standard ones");
    return 1ul << (number - 1);
}

int sigaddset(void *set, int number) {
    *(unsigned long *)set |= __regrain_signal(number);
    return 0;
}

int sigdelset(void *set, int number) {
    *(unsigned long *)set &= ~__regrain_signal(number);
    return 0;
}

int sigismember(const void *set, int number) {
    return (*(const unsigned long *)set & __regrain_signal(number)) != 0;
}

static _Thread_local unsigned long __regrain_mask;

int pthread_sigmask(int how, const void *set, void *old) {
    unsigned long before = __regrain_mask;
    if (set) {
        unsigned long signals = *(const unsigned long *)set;
        if (how == 0)
            __regrain_mask = before | signals;
        else if (how == 1)
            __regrain_mask = before & ~signals;
        else if (how == 2)
            __regrain_mask = signals;
        else
            return 22; /* EINVAL */
    }
    if (old)
        *(unsigned long *)old = before;
    return 0;
}

int sigprocmask(int how, const void *set, void *old) { return pthread_sigmask(how, set, old) ? -1 : 0; }
