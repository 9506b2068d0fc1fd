/* Condition variables, read-write locks, barriers, semaphores (POSIX.1-2017, XSH pthread_cond_*, pthread_rwlock_*, pthread_barrier_*,
   sem_*).

   Waiting on a condition variable may end at any time (POSIX allows spurious wake-ups), so waiting is to unlock and to lock again, and
   signalling changes nothing. What orders memory is what glibc does on x86: taking and giving back, and passing a barrier, are
   read-modify-writes and so full fences; a try that fails only reads, and so does signalling when nobody waits. Left out: EINTR, which needs signals;
   preference of writers over readers, which only makes readers wait; EINVAL for a deadline that is no time. */

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) { return 0; }
int pthread_cond_destroy(pthread_cond_t *cond) { return 0; }

int pthread_cond_signal(pthread_cond_t *cond) {
    __regrain_signalled(cond);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond) {
    __regrain_broadcast(cond);
    return 0;
}

/* A thread that is cancelled while it waits has the mutex again when its clean-up handlers run. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    int self = (int)__regrain_self() + 1;
    int result = 0;
    _Bool kept = 0;
    __regrain_cancellation_point();
    __regrain_atomic_begin();
    if (mutex->kind != __regrain_normal && mutex->owner != self) {
        result = __regrain_not_owner;
        kept = 1;
    } else if (mutex->count > 0) {
        kept = 1; /* one of several locks of a recursive mutex is given back: it stays locked */
    } else {
        __regrain_waits(cond);
        mutex->owner = 0;
        __regrain_released(mutex);
    }
    __regrain_atomic_end();
    if (!kept) {
        __regrain_atomic_begin();
        __regrain_assume(mutex->owner == 0);
        __regrain_awake(cond);
        mutex->owner = self;
        __regrain_acquired(mutex);
        __regrain_atomic_end();
    }
    __regrain_possible_cancellation_point();
    return result;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const void *deadline) {
    int result = pthread_cond_wait(cond, mutex);
    return result == 0 && __regrain_nondet_bool() ? __regrain_timeout : result;
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, int clock, const void *deadline) {
    return pthread_cond_timedwait(cond, mutex, deadline);
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr) {
    lock->writer = 0;
    lock->readers = 0;
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) { return 0; }

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    int self = (int)__regrain_self() + 1;
    int result = 0;
    __regrain_atomic_begin();
    if (lock->writer == self) {
        result = __regrain_deadlock;
    } else {
        __regrain_assume(lock->writer == 0);
        lock->readers++;
        __regrain_acquired(lock);
    }
    __regrain_atomic_end();
    return result;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    int self = (int)__regrain_self() + 1;
    int result = 0;
    __regrain_atomic_begin();
    if (lock->writer == self) {
        result = __regrain_deadlock;
    } else {
        __regrain_assume(lock->writer == 0 && lock->readers == 0);
        lock->writer = self;
        __regrain_acquired(lock);
    }
    __regrain_atomic_end();
    return result;
}

/* A try that finds the lock taken has only read: under weak memory that is no fence. */
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    int result = 0;
    if (__regrain_weak_memory() && lock->writer != 0)
        return __regrain_busy;
    __regrain_atomic_begin();
    if (lock->writer == 0) {
        lock->readers++;
        __regrain_acquired(lock);
    } else {
        result = __regrain_busy;
    }
    __regrain_atomic_end();
    return result;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    int result = 0;
    if (__regrain_weak_memory() && (lock->writer != 0 || lock->readers != 0))
        return __regrain_busy;
    __regrain_atomic_begin();
    if (lock->writer == 0 && lock->readers == 0) {
        lock->writer = (int)__regrain_self() + 1;
        __regrain_acquired(lock);
    } else {
        result = __regrain_busy;
    }
    __regrain_atomic_end();
    return result;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const void *deadline) {
    int result = pthread_rwlock_tryrdlock(lock);
    if (result == __regrain_busy) {
        _Bool own = lock->writer == (int)__regrain_self() + 1;
        if (!own && __regrain_nondet_bool())
            result = __regrain_timeout;
        else
            result = pthread_rwlock_rdlock(lock);
    }
    return result;
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const void *deadline) {
    int result = pthread_rwlock_trywrlock(lock);
    if (result == __regrain_busy) {
        _Bool own = lock->writer == (int)__regrain_self() + 1;
        if (!own && __regrain_nondet_bool())
            result = __regrain_timeout;
        else
            result = pthread_rwlock_wrlock(lock);
    }
    return result;
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, int clock, const void *deadline) {
    return pthread_rwlock_timedrdlock(lock, deadline);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, int clock, const void *deadline) {
    return pthread_rwlock_timedwrlock(lock, deadline);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    __regrain_atomic_begin();
    if (lock->writer)
        lock->writer = 0;
    else
        lock->readers--;
    __regrain_released(lock);
    __regrain_atomic_end();
    return 0;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count) {
    if (count == 0)
        return __regrain_invalid;
    barrier->count = count;
    barrier->waiting = 0;
    barrier->round = 0;
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) { return 0; }

int pthread_barrier_wait(pthread_barrier_t *barrier) {
    _Bool last = 0;
    __regrain_atomic_begin();
    unsigned char round = barrier->round;
    barrier->waiting++;
    if (barrier->waiting == barrier->count) {
        barrier->waiting = 0;
        barrier->round++;
        last = 1;
    }
    __regrain_atomic_end();
    if (last)
        return -1; /* PTHREAD_BARRIER_SERIAL_THREAD */
    __regrain_atomic_begin();
    __regrain_assume(barrier->round != round);
    __regrain_atomic_end();
    return 0;
}
