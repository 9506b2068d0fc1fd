/* Semaphores (POSIX.1-2017, XSH sem_*). Named ones are those of this process alone: nobody else opens or removes them. Left out: EINTR,
   EOVERFLOW, permissions, names of more than 31 characters and more than 4 names (undefined). */

enum { __regrain_no_entry = 2, __regrain_named = 4, __regrain_name = 32, __regrain_creat = 64, __regrain_excl = 128 };

int sem_init(sem_t *sem, int shared, unsigned value) {
    sem->value = value;
    return 0;
}

int sem_destroy(sem_t *sem) { return 0; }

int sem_wait(sem_t *sem) {
    __regrain_cancellation_point();
    __regrain_cancellation_while_waiting();
    __regrain_atomic_begin();
    __regrain_assume(sem->value > 0);
    sem->value--;
    __regrain_atomic_end();
    return 0;
}

/* One that fails only reads: under weak memory that is no fence. */
int sem_trywait(sem_t *sem) {
    int result = 0;
    if (__regrain_weak_memory() && sem->value == 0) {
        __regrain_errno = __regrain_again;
        return -1;
    }
    __regrain_atomic_begin();
    if (sem->value > 0)
        sem->value--;
    else
        result = -1;
    __regrain_atomic_end();
    if (result)
        __regrain_errno = __regrain_again;
    return result;
}

/* "Under no circumstance shall the function fail with a timeout if the semaphore can be locked immediately." */
int sem_timedwait(sem_t *sem, const void *deadline) {
    __regrain_cancellation_point();
    _Bool taken = 0;
    __regrain_atomic_begin();
    if (sem->value > 0) {
        sem->value--;
        taken = 1;
    }
    __regrain_atomic_end();
    if (taken)
        return 0;
    if (__regrain_nondet_bool()) {
        __regrain_errno = __regrain_timeout;
        return -1;
    }
    return sem_wait(sem);
}

int sem_clockwait(sem_t *sem, int clock, const void *deadline) { return sem_timedwait(sem, deadline); }

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

static struct {
    char name[__regrain_name];
    _Bool there;
    sem_t sem;
} __regrain_semaphores[__regrain_named];

static _Bool __regrain_same_name(const char *a, const char *b) {
    unsigned at = 0;
    while (a[at] == b[at] && a[at])
        at++;
    return a[at] == b[at];
}

/* The semaphore of a name, or that of a place which is free. */
static int __regrain_find_semaphore(const char *name) {
    int place = -1;
    for (int at = __regrain_named - 1; at >= 0; at--) {
        if (__regrain_semaphores[at].there && __regrain_same_name(name, __regrain_semaphores[at].name))
            return at;
        if (__regrain_semaphores[at].name[0] == 0)
            place = at;
    }
    if (place < 0)
        __regrain_undefined("more than 4 named semaphores");
    return place;
}

sem_t *sem_open(const char *name, int flags, ...) {
    unsigned value = 0;
    if (flags & __regrain_creat) {
        __builtin_va_list list;
        __builtin_va_start(list, flags);
        __builtin_va_arg(list, unsigned); /* the mode */
        value = __builtin_va_arg(list, unsigned);
    }
    __regrain_atomic_begin();
    int place = __regrain_find_semaphore(name);
    int error = 0;
    if (__regrain_semaphores[place].there) {
        if ((flags & __regrain_creat) && (flags & __regrain_excl))
            error = __regrain_exists;
    } else if (flags & __regrain_creat) {
        for (unsigned at = 0; at < __regrain_name; at++) {
            __regrain_semaphores[place].name[at] = name[at];
            if (!name[at])
                break;
            if (at == __regrain_name - 1)
                __regrain_undefined("a named semaphore with a name of more than 31 characters");
        }
        __regrain_semaphores[place].there = 1;
        __regrain_semaphores[place].sem.value = value;
    } else {
        error = __regrain_no_entry;
    }
    __regrain_atomic_end();
    if (error) {
        __regrain_errno = error;
        return 0;
    }
    return &__regrain_semaphores[place].sem;
}

int sem_close(sem_t *sem) { return 0; }

/* Who has it open goes on using it; its place is not used again. */
int sem_unlink(const char *name) {
    int result = 0;
    __regrain_atomic_begin();
    int place = __regrain_find_semaphore(name);
    if (__regrain_semaphores[place].there)
        __regrain_semaphores[place].there = 0;
    else
        result = -1;
    __regrain_atomic_end();
    if (result)
        __regrain_errno = __regrain_no_entry;
    return result;
}
