/* Attributes of threads, mutexes, condition variables, read-write locks and barriers (POSIX.1-2017, XSH pthread_attr_* and the like): what is
   set is what one gets. Only the type of a mutex means something here; what would change how a program runs (robust mutexes) is
   refused, scheduling and stacks do not. */

int pthread_attr_init(pthread_attr_t *attr) {
    attr->kind = 0;
    attr->stack = 8388608;
    attr->guard = 4096;
    attr->scope = 0;
    attr->policy = 0;
    attr->inherit = 0;
    attr->priority = 0;
    return 0;
}
int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) {
    if (state != 0 && state != 1)
        return __regrain_invalid;
    attr->kind = state;
    return 0;
}
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state) {
    *state = attr->kind;
    return 0;
}
int pthread_attr_setscope(pthread_attr_t *attr, int scope) {
    attr->scope = scope;
    return 0;
}
int pthread_attr_getscope(const pthread_attr_t *attr, int *scope) {
    *scope = attr->scope;
    return 0;
}
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size) {
    if (size < 16384)
        return __regrain_invalid;
    attr->stack = size;
    return 0;
}
int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size) {
    *size = attr->stack;
    return 0;
}
int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size) {
    attr->guard = size;
    return 0;
}
int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size) {
    *size = attr->guard;
    return 0;
}
int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit) {
    attr->inherit = inherit;
    return 0;
}
int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit) {
    *inherit = attr->inherit;
    return 0;
}
int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy) {
    attr->policy = policy;
    return 0;
}
int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy) {
    *policy = attr->policy;
    return 0;
}
int pthread_attr_setschedparam(pthread_attr_t *attr, const void *param) {
    attr->priority = *(const int *)param;
    return 0;
}
int pthread_attr_getschedparam(const pthread_attr_t *attr, void *param) {
    *(int *)param = attr->priority;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
    attr->kind = __regrain_normal;
    attr->shared = 0;
    attr->policy = 0;
    return 0;
}
int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) { return 0; }
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind) {
    if (kind < __regrain_normal || kind > 3)
        return __regrain_invalid;
    attr->kind = kind == 3 ? __regrain_normal : kind; /* glibc's adaptive mutexes are normal ones that spin for a while */
    return 0;
}
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind) {
    *kind = attr->kind;
    return 0;
}
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) {
    attr->shared = shared;
    return 0;
}
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared) {
    *shared = attr->shared;
    return 0;
}
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol) {
    if (protocol == 2)
        __regrain_refused("a mutex with a priority ceiling");
    attr->policy = protocol;
    return 0;
}
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol) {
    *protocol = attr->policy;
    return 0;
}
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust) {
    if (robust == 1)
        __regrain_refused("a robust mutex");
    return robust == 0 ? 0 : __regrain_invalid;
}
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust) {
    *robust = 0;
    return 0;
}

int pthread_condattr_init(pthread_condattr_t *attr) {
    attr->kind = 0;
    attr->shared = 0;
    return 0;
}
int pthread_condattr_destroy(pthread_condattr_t *attr) { return 0; }
int pthread_condattr_setclock(pthread_condattr_t *attr, int clock) {
    if (clock != 0 && clock != 1)
        return __regrain_invalid;
    attr->kind = clock;
    return 0;
}
int pthread_condattr_getclock(const pthread_condattr_t *attr, int *clock) {
    *clock = attr->kind;
    return 0;
}
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) {
    attr->shared = shared;
    return 0;
}
int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared) {
    *shared = attr->shared;
    return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) {
    attr->kind = 0;
    attr->shared = 0;
    return 0;
}
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) { return 0; }
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) {
    attr->shared = shared;
    return 0;
}
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared) {
    *shared = attr->shared;
    return 0;
}
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind) {
    attr->kind = kind;
    return 0;
}
int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind) {
    *kind = attr->kind;
    return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr) {
    attr->shared = 0;
    return 0;
}
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) { return 0; }
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) {
    attr->shared = shared;
    return 0;
}
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr, int *shared) {
    *shared = attr->shared;
    return 0;
}
