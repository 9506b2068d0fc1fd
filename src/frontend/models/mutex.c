/* Mutexes and spin locks. A free mutex has owner 0. A normal mutex does not check who unlocks it, as real ones don't. */

enum { __regrain_again = 11, __regrain_busy = 16, __regrain_deadlock = 35, __regrain_timeout = 110, __regrain_not_owner = 1 };

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
    mutex->owner = 0;
    mutex->count = 0;
    mutex->kind = attr ? attr->kind : __regrain_normal;
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return 0; }

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
    attr->kind = __regrain_normal;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) { return 0; }

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind) {
    attr->kind = kind;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind) {
    *kind = attr->kind;
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    int self = (int)__regrain_self() + 1;
    int result = 0;
    __regrain_atomic_begin();
    if (mutex->kind == __regrain_recursive && mutex->owner == self) {
        mutex->count++;
    } else if (mutex->kind == __regrain_errorcheck && mutex->owner == self) {
        result = __regrain_deadlock;
    } else {
        __regrain_assume(mutex->owner == 0);
        mutex->owner = self;
        __regrain_acquired(mutex);
    }
    __regrain_atomic_end();
    return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    int self = (int)__regrain_self() + 1;
    int result = 0;
    __regrain_atomic_begin();
    if (mutex->owner == 0) {
        mutex->owner = self;
        __regrain_acquired(mutex);
    } else if (mutex->kind == __regrain_recursive && mutex->owner == self) {
        mutex->count++;
    } else {
        result = __regrain_busy;
    }
    __regrain_atomic_end();
    return result;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const void *deadline) {
    if (__regrain_nondet_int())
        return __regrain_timeout;
    return pthread_mutex_lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = 0;
    __regrain_atomic_begin();
    if (mutex->kind != __regrain_normal && mutex->owner != (int)__regrain_self() + 1) {
        result = __regrain_not_owner;
    } else if (mutex->kind == __regrain_recursive && mutex->count > 0) {
        mutex->count--;
    } else {
        mutex->owner = 0;
        __regrain_released(mutex);
    }
    __regrain_atomic_end();
    return result;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    *lock = 0;
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) { return 0; }

int pthread_spin_lock(pthread_spinlock_t *lock) {
    __regrain_atomic_begin();
    __regrain_assume(*lock == 0);
    *lock = 1;
    __regrain_acquired((void *)lock);
    __regrain_atomic_end();
    return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
    int result = 0;
    __regrain_atomic_begin();
    if (*lock == 0) {
        *lock = 1;
        __regrain_acquired((void *)lock);
    } else {
        result = __regrain_busy;
    }
    __regrain_atomic_end();
    return result;
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
    __regrain_atomic_begin();
    *lock = 0;
    __regrain_released((void *)lock);
    __regrain_atomic_end();
    return 0;
}
