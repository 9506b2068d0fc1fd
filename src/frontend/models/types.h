/* Types of library objects, as the models define them. The headers in include/ and the models share this file; a
   preprocessed program that brings the C library's own definitions gets these instead. */
#ifndef REGRAIN_TYPES_H
#define REGRAIN_TYPES_H

typedef unsigned long size_t;

/* One more than the thread's number, so that 0 is nobody. */
typedef unsigned long pthread_t;

enum { __regrain_normal = 0, __regrain_recursive = 1, __regrain_errorcheck = 2 };

struct __regrain_mutex {
    int owner; /* the holder as a pthread_t, 0 when free */
    int count; /* how often a recursive mutex was locked again */
    int kind;
};
struct __regrain_attr {
    int kind; /* of a mutex its type, of a thread whether it is detached, of a condition variable its clock */
    int shared;
    int scope;
    int policy;
    int inherit;
    int priority;
    size_t stack;
    size_t guard;
};
struct __regrain_cond {
    int unused; /* waiting may end at any time, so that a signal has nothing to change */
};
struct __regrain_rwlock {
    int writer; /* who has it for writing, as a pthread_t; 0 for nobody */
    int readers;
};
struct __regrain_barrier {
    unsigned count;
    unsigned waiting;
    unsigned char round;
};
struct __regrain_semaphore {
    unsigned value;
};

/* What the compiler calls __int128 and unsigned __int128. */
struct __regrain_int128 {
    unsigned long long low;
    long long high;
} __attribute__((aligned(16)));
struct __regrain_uint128 {
    unsigned long long low;
    unsigned long long high;
} __attribute__((aligned(16)));

typedef struct __regrain_mutex pthread_mutex_t;
typedef struct __regrain_attr pthread_mutexattr_t;
typedef struct __regrain_attr pthread_attr_t;
typedef struct __regrain_attr pthread_condattr_t;
typedef struct __regrain_attr pthread_rwlockattr_t;
typedef struct __regrain_attr pthread_barrierattr_t;
typedef struct __regrain_cond pthread_cond_t;
typedef struct __regrain_rwlock pthread_rwlock_t;
typedef struct __regrain_barrier pthread_barrier_t;
typedef struct __regrain_semaphore sem_t;
typedef int pthread_spinlock_t;
typedef int pthread_once_t;
typedef unsigned pthread_key_t;

typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_once_t once_flag;
typedef pthread_key_t tss_t;

#endif
