/* Ticket lock for two threads, every thread enters once.
 *
 * D. P. Reed, R. K. Kanodia, "Synchronization with eventcounts and sequencers", CACM 22(2), 1979;
 * J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable synchronization on shared-memory
 * multiprocessors", ACM Trans. Comput. Syst. 9(1), 1991. Tickets are drawn by an atomic
 * fetch-and-add.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int next = 0;                    /* next ticket to be taken */
atomic_int serving = 0;                 /* ticket that may enter */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    int my;
    my = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != my);
    /* begin: critical section */
    x = 0;
    assert(x <= 0);
    /* end: critical section */
    atomic_store(&serving, my + 1);
    return 0;
}

void *thr2(void *arg)
{
    int my;
    my = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != my);
    /* begin: critical section */
    x = 1;
    assert(x >= 1);
    /* end: critical section */
    atomic_store(&serving, my + 1);
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
