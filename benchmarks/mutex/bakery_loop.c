/* Lamport's Bakery algorithm for two threads, every thread enters again and again.
 *
 * L. Lamport, "A new solution of Dijkstra's concurrent programming problem", CACM 17(8), 1974;
 * statement by statement the version in Fig. 2 of A. Gupta, C. Popeea, A. Rybalchenko,
 * "Non-monotonic refinement of control abstraction for concurrent programs", ATVA 2010. The ticket
 * is read and taken in two separate steps.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * State space: infinite: the tickets grow without bound.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

int t1 = 0, t2 = 0;                     /* ticket variables */
bool choosing1 = 0, choosing2 = 0;      /* a ticket is being chosen */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    int tmp;
    while (1) {
        choosing1 = 1;
        tmp = t2 + 1;
        t1 = tmp;
        choosing1 = 0;
        while (choosing2 != 0);
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
    int tmp;
    while (1) {
        choosing2 = 1;
        tmp = t1 + 1;
        t2 = tmp;
        choosing2 = 0;
        while (choosing1 != 0);
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
