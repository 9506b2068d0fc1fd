/* Test-and-set spin lock, three threads, every thread enters again and again.
 *
 * The classical lock of shared-memory multiprocessors; see J. M. Mellor-Crummey, M. L. Scott,
 * "Algorithms for scalable synchronization on shared-memory multiprocessors", ACM Trans. Comput.
 * Syst. 9(1), 1991.
 *
 * Property: mutual exclusion; a thread in the critical section finds itself alone there.
 * State space: finite, although the threads run for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock = 0;
int inside = 0;                         /* threads in the critical section */

void *thr(void *arg)
{
    while (1) {
        while (atomic_exchange(&lock, 1) != 0);
        /* begin: critical section */
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
        /* end: critical section */
        atomic_store(&lock, 0);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, thr, 0);
    pthread_create(&b, 0, thr, 0);
    pthread_create(&c, 0, thr, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
