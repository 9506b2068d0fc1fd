/* A table with a lock for each bucket: who holds a bucket alone changes its two halves.
 *
 * Property: while a bucket is held, what was written there stays.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define BUCKETS 16

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int held[BUCKETS];
unsigned left[BUCKETS], right[BUCKETS];

void *user(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        unsigned fresh = __VERIFIER_nondet_uint();
        int got = 0;
        if (k >= BUCKETS)
            continue;
        __VERIFIER_atomic_begin();
        if (held[k] == 0) {
            held[k] = 1;
            got = 1;
        }
        __VERIFIER_atomic_end();
        if (got) {
            left[k] = fresh;
            right[k] = fresh;
            assert(left[k] == right[k]);
            held[k] = 0;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    return 0;
}
