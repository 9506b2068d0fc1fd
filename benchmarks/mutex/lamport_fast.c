/* Lamport's fast mutual exclusion algorithm for two threads, every thread enters once.
 *
 * L. Lamport, "A fast mutual exclusion algorithm", ACM Trans. Comput. Syst. 5(1), 1987.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int gate1 = 0, gate2 = 0;               /* last thread that came to each gate; gate2 0: open */
int b1 = 0, b2 = 0;                     /* the thread is trying or inside */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
start1:
    b1 = 1;
    gate1 = 1;
    if (gate2 != 0) {
        b1 = 0;
        while (gate2 != 0);
        goto start1;
    }
    gate2 = 1;
    if (gate1 != 1) {
        b1 = 0;
        while (b2 != 0);
        if (gate2 != 1) {
            while (gate2 != 0);
            goto start1;
        }
    }
    /* begin: critical section */
    x = 0;
    assert(x <= 0);
    /* end: critical section */
    gate2 = 0;
    b1 = 0;
    return 0;
}

void *thr2(void *arg)
{
start2:
    b2 = 1;
    gate1 = 2;
    if (gate2 != 0) {
        b2 = 0;
        while (gate2 != 0);
        goto start2;
    }
    gate2 = 2;
    if (gate1 != 2) {
        b2 = 0;
        while (b1 != 0);
        if (gate2 != 2) {
            while (gate2 != 0);
            goto start2;
        }
    }
    /* begin: critical section */
    x = 1;
    assert(x >= 1);
    /* end: critical section */
    gate2 = 0;
    b2 = 0;
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
