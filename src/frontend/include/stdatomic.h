/* C11 atomics as calls of intrinsics that work on any integer or pointer type. */
#ifndef REGRAIN_STDATOMIC_H
#define REGRAIN_STDATOMIC_H
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef enum {
    memory_order_relaxed = 0,
    memory_order_consume = 1,
    memory_order_acquire = 2,
    memory_order_release = 3,
    memory_order_acq_rel = 4,
    memory_order_seq_cst = 5
} memory_order;

typedef _Atomic _Bool atomic_bool;
typedef _Atomic char atomic_char;
typedef _Atomic signed char atomic_schar;
typedef _Atomic unsigned char atomic_uchar;
typedef _Atomic short atomic_short;
typedef _Atomic unsigned short atomic_ushort;
typedef _Atomic int atomic_int;
typedef _Atomic unsigned int atomic_uint;
typedef _Atomic long atomic_long;
typedef _Atomic unsigned long atomic_ulong;
typedef _Atomic long long atomic_llong;
typedef _Atomic unsigned long long atomic_ullong;
typedef _Atomic int8_t atomic_int_least8_t;
typedef _Atomic uint8_t atomic_uint_least8_t;
typedef _Atomic int16_t atomic_int_least16_t;
typedef _Atomic uint16_t atomic_uint_least16_t;
typedef _Atomic int32_t atomic_int_least32_t;
typedef _Atomic uint32_t atomic_uint_least32_t;
typedef _Atomic int64_t atomic_int_least64_t;
typedef _Atomic uint64_t atomic_uint_least64_t;
typedef _Atomic int_fast32_t atomic_int_fast32_t;
typedef _Atomic uint_fast32_t atomic_uint_fast32_t;
typedef _Atomic int_fast64_t atomic_int_fast64_t;
typedef _Atomic uint_fast64_t atomic_uint_fast64_t;
typedef _Atomic intptr_t atomic_intptr_t;
typedef _Atomic uintptr_t atomic_uintptr_t;
typedef _Atomic size_t atomic_size_t;
typedef _Atomic ptrdiff_t atomic_ptrdiff_t;
typedef _Atomic intmax_t atomic_intmax_t;
typedef _Atomic uintmax_t atomic_uintmax_t;
typedef struct {
    _Atomic _Bool set;
} atomic_flag;

#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT { 0 }
#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define kill_dependency(y) (y)
#define atomic_is_lock_free(p) ((void)(p), 1)

#define atomic_init(p, v) __regrain_atomic_store(p, v, 0)
#define atomic_load_explicit(p, o) __regrain_atomic_load(p, o)
#define atomic_load(p) __regrain_atomic_load(p, 5)
#define atomic_store_explicit(p, v, o) __regrain_atomic_store(p, v, o)
#define atomic_store(p, v) __regrain_atomic_store(p, v, 5)
#define atomic_exchange_explicit(p, v, o) __regrain_atomic_exchange(p, v, o)
#define atomic_exchange(p, v) __regrain_atomic_exchange(p, v, 5)
#define atomic_compare_exchange_strong_explicit(p, e, v, s, f) __regrain_atomic_compare_exchange(p, e, v, 0, s)
#define atomic_compare_exchange_strong(p, e, v) __regrain_atomic_compare_exchange(p, e, v, 0, 5)
#define atomic_compare_exchange_weak_explicit(p, e, v, s, f) __regrain_atomic_compare_exchange(p, e, v, 1, s)
#define atomic_compare_exchange_weak(p, e, v) __regrain_atomic_compare_exchange(p, e, v, 1, 5)
#define atomic_fetch_add_explicit(p, v, o) __regrain_atomic_fetch_add(p, v, o)
#define atomic_fetch_add(p, v) __regrain_atomic_fetch_add(p, v, 5)
#define atomic_fetch_sub_explicit(p, v, o) __regrain_atomic_fetch_sub(p, v, o)
#define atomic_fetch_sub(p, v) __regrain_atomic_fetch_sub(p, v, 5)
#define atomic_fetch_or_explicit(p, v, o) __regrain_atomic_fetch_or(p, v, o)
#define atomic_fetch_or(p, v) __regrain_atomic_fetch_or(p, v, 5)
#define atomic_fetch_and_explicit(p, v, o) __regrain_atomic_fetch_and(p, v, o)
#define atomic_fetch_and(p, v) __regrain_atomic_fetch_and(p, v, 5)
#define atomic_fetch_xor_explicit(p, v, o) __regrain_atomic_fetch_xor(p, v, o)
#define atomic_fetch_xor(p, v) __regrain_atomic_fetch_xor(p, v, 5)
#define atomic_flag_test_and_set_explicit(f, o) __regrain_atomic_exchange(&(f)->set, 1, o)
#define atomic_flag_test_and_set(f) __regrain_atomic_exchange(&(f)->set, 1, 5)
#define atomic_flag_clear_explicit(f, o) __regrain_atomic_store(&(f)->set, 0, o)
#define atomic_flag_clear(f) __regrain_atomic_store(&(f)->set, 0, 5)
#define atomic_thread_fence(o) __regrain_atomic_fence(o)
#define atomic_signal_fence(o) ((void)(o))
void __regrain_atomic_fence(int order);
#endif
