/* Mutexes and spin locks (POSIX.1-2017, XSH pthread_mutex_*, pthread_spin_*).

   A free mutex has owner 0. A normal mutex does not check who unlocks it, as real ones don't. Where POSIX leaves a choice, glibc's is
   taken: destroying a locked mutex gives EBUSY. What orders memory is what glibc does on x86: lock, trylock and unlock of a mutex are
   read-modify-writes, and so full fences, apart from those that only count how often the owner of a recursive mutex has it; a spin
   lock is given back by a plain store that follows earlier ones. Left out: robust mutexes and priority ceilings (refused), EINVAL for a
   deadline that is no time, EAGAIN for a recursive mutex that is locked too often. */

enum {
    __regrain_not_owner = 1,
    __regrain_no_thread = 3,
    __regrain_interrupted = 4,
    __regrain_again = 11,
    __regrain_busy = 16,
    __regrain_exists = 17,
    __regrain_invalid = 22,
    __regrain_range = 34,
    __regrain_deadlock = 35,
    __regrain_timeout = 110
};

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
    mutex->owner = 0;
    mutex->count = 0;
    mutex->kind = attr ? attr->kind : __regrain_normal;
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return mutex->owner ? __regrain_busy : 0; }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    int self = (int)__regrain_self() + 1;
    int result = 0;
    if (__regrain_weak_memory() && mutex->kind == __regrain_recursive && mutex->owner == self) {
        mutex->count++; /* the owner only counts, which is no fence */
        return 0;
    }
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
    if (__regrain_weak_memory() && mutex->kind == __regrain_recursive && mutex->owner == self) {
        mutex->count++; /* the owner only counts, which is no fence */
        return 0;
    }
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

/* "Under no circumstance shall the function fail with a timeout if the mutex can be locked immediately." */
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const void *deadline) {
    int result = pthread_mutex_trylock(mutex);
    if (result == __regrain_busy) {
        _Bool own = mutex->kind == __regrain_errorcheck && mutex->owner == (int)__regrain_self() + 1;
        if (!own && __regrain_nondet_bool())
            result = __regrain_timeout;
        else
            result = pthread_mutex_lock(mutex);
    }
    return result;
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, int clock, const void *deadline) {
    return pthread_mutex_timedlock(mutex, deadline);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = 0;
    if (__regrain_weak_memory() && mutex->kind == __regrain_recursive && mutex->owner == (int)__regrain_self() + 1 &&
        mutex->count > 0) {
        mutex->count--;
        return 0;
    }
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

int pthread_mutex_consistent(pthread_mutex_t *mutex) { return __regrain_invalid; }

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
    __regrain_atomic_store((int *)lock, 0, 3); /* release */
    __regrain_released((void *)lock);
    return 0;
}
