/* Bakery algorithm for two threads with the ticket taken in one atomic step, every thread enters
 * again and again.
 *
 * Z. Manna, A. Pnueli, "Temporal verification of reactive systems: safety", Springer, 1995, after
 * L. Lamport, CACM 17(8), 1974. Because reading and taking a ticket is atomic, no flag is needed to
 * announce that a ticket is being chosen.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * State space: infinite: the tickets grow without bound.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int t1 = 0, t2 = 0;                     /* ticket variables */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    while (1) {
        __VERIFIER_atomic_begin();
        t1 = t2 + 1;
        __VERIFIER_atomic_end();
        while (t1 >= t2 && t2 != 0);
        /* begin: critical section */
        x = 0;
        assert(x <= 0);
        /* end: critical section */
        t1 = 0;
    }
    return 0;
}

void *thr2(void *arg)
{
    while (1) {
        __VERIFIER_atomic_begin();
        t2 = t1 + 1;
        __VERIFIER_atomic_end();
        while (t2 >= t1 && t1 != 0);
        /* begin: critical section */
        x = 1;
        assert(x >= 1);
        /* end: critical section */
        t2 = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
