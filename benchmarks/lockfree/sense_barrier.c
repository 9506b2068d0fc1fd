/* Barrier made of a counter that the threads decrement and a phase that the last one advances; two
 * threads, two phases.
 *
 * J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable synchronization on shared-memory
 * multiprocessors", ACM Trans. Comput. Syst. 9(1), 1991 (centralised sense-reversing barrier).
 *
 * Property: no thread is a phase ahead of another one after the barrier.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int missing = 2;                 /* threads that have not arrived yet */
atomic_int sense = 0;
int phase[2];
int id[2] = {0, 1};

void wait_for_all(int my_sense)
{
    if (atomic_fetch_sub(&missing, 1) == 1) {
        atomic_store(&missing, 2);
        atomic_store(&sense, my_sense);
    } else {
        while (atomic_load(&sense) != my_sense);
    }
}

void *worker(void *arg)
{
    int me = *(int *)arg;
    int my_sense = 0;
    for (int i = 1; i <= 2; i++) {
        phase[me] = i;
        my_sense = !my_sense;
        wait_for_all(my_sense);
        assert(phase[1 - me] >= i);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, &id[0]);
    pthread_create(&b, 0, worker, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
