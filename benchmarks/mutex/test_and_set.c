/* Test-and-set spin lock, two threads, every thread enters once.
 *
 * The classical lock of shared-memory multiprocessors; see J. M. Mellor-Crummey, M. L. Scott,
 * "Algorithms for scalable synchronization on shared-memory multiprocessors", ACM Trans. Comput.
 * Syst. 9(1), 1991.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_flag lock = ATOMIC_FLAG_INIT;
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    while (atomic_flag_test_and_set(&lock));
    /* begin: critical section */
    x = 0;
    assert(x <= 0);
    /* end: critical section */
    atomic_flag_clear(&lock);
    return 0;
}

void *thr2(void *arg)
{
    while (atomic_flag_test_and_set(&lock));
    /* begin: critical section */
    x = 1;
    assert(x >= 1);
    /* end: critical section */
    atomic_flag_clear(&lock);
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
