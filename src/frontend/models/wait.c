/* Condition variables, read-write locks, barriers, semaphores.

   Waiting on a condition variable may end at any time (POSIX allows spurious wake-ups), so waiting is to unlock and to
   lock again, and signalling changes nothing. */

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) { return 0; }
int pthread_cond_destroy(pthread_cond_t *cond) { return 0; }
int pthread_condattr_init(pthread_condattr_t *attr) { return 0; }
int pthread_condattr_destroy(pthread_condattr_t *attr) { return 0; }
int pthread_cond_signal(pthread_cond_t *cond) { return 0; }
int pthread_cond_broadcast(pthread_cond_t *cond) { return 0; }

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    __regrain_atomic_begin();
    int count = mutex->count;
    mutex->count = 0;
    mutex->owner = 0;
    __regrain_released(mutex);
    __regrain_atomic_end();
    __regrain_atomic_begin();
    __regrain_assume(mutex->owner == 0);
    mutex->owner = (int)__regrain_self() + 1;
    mutex->count = count;
    __regrain_acquired(mutex);
    __regrain_atomic_end();
    return 0;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const void *deadline) {
    pthread_cond_wait(cond, mutex);
    return __regrain_nondet_int() ? __regrain_timeout : 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr) {
    lock->writer = 0;
    lock->readers = 0;
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) { return 0; }

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    __regrain_atomic_begin();
    __regrain_assume(lock->writer == 0);
    lock->readers++;
    __regrain_acquired(lock);
    __regrain_atomic_end();
    return 0;
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    __regrain_atomic_begin();
    __regrain_assume(lock->writer == 0 && lock->readers == 0);
    lock->writer = 1;
    __regrain_acquired(lock);
    __regrain_atomic_end();
    return 0;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    int result = 0;
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
    __regrain_atomic_begin();
    if (lock->writer == 0 && lock->readers == 0) {
        lock->writer = 1;
        __regrain_acquired(lock);
    } else {
        result = __regrain_busy;
    }
    __regrain_atomic_end();
    return result;
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

int sem_init(sem_t *sem, int shared, unsigned value) {
    sem->value = value;
    return 0;
}

int sem_destroy(sem_t *sem) { return 0; }

int sem_wait(sem_t *sem) {
    __regrain_atomic_begin();
    __regrain_assume(sem->value > 0);
    sem->value--;
    __regrain_atomic_end();
    return 0;
}

int sem_trywait(sem_t *sem) {
    int result = 0;
    __regrain_atomic_begin();
    if (sem->value > 0)
        sem->value--;
    else
        result = -1;
    __regrain_atomic_end();
    return result;
}

int sem_timedwait(sem_t *sem, const void *deadline) {
    if (__regrain_nondet_int())
        return -1;
    return sem_wait(sem);
}

int sem_post(sem_t *sem) {
    __regrain_atomic_begin();
    sem->value++;
    __regrain_atomic_end();
    return 0;
}

int sem_getvalue(sem_t *sem, int *value) {
    *value = (int)sem->value;
    return 0;
}
