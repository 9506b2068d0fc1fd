/* MCS queue lock, two threads, every thread enters once.
 *
 * J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable synchronization on shared-memory
 * multiprocessors", ACM Trans. Comput. Syst. 9(1), 1991. Pointers to static nodes, exchange and
 * compare-and-swap on a pointer.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int locked;
};

_Atomic(struct node *) tail = NULL;     /* last thread in the queue */
struct node nodes[2];
int x;                                  /* written in the critical section */

void acquire(struct node *me)
{
    struct node *pred;
    atomic_store(&me->next, NULL);
    atomic_store(&me->locked, 1);
    pred = atomic_exchange(&tail, me);
    if (pred != NULL) {
        atomic_store(&pred->next, me);
        while (atomic_load(&me->locked) != 0);
    }
}

void release(struct node *me)
{
    struct node *expected = me;
    if (atomic_load(&me->next) == NULL) {
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return;
        while (atomic_load(&me->next) == NULL);
    }
    atomic_store(&atomic_load(&me->next)->locked, 0);
}

void *thr1(void *arg)
{
    acquire(&nodes[0]);
    /* begin: critical section */
    x = 0;
    assert(x <= 0);
    /* end: critical section */
    release(&nodes[0]);
    return 0;
}

void *thr2(void *arg)
{
    acquire(&nodes[1]);
    /* begin: critical section */
    x = 1;
    assert(x >= 1);
    /* end: critical section */
    release(&nodes[1]);
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
