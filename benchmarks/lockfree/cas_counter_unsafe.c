/* A counter incremented by compare-and-swap in a retry loop, two threads, two rounds each.
 *
 * Property: no increment is lost.
 * Mutant: the new value is stored without comparing.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter = 0;

void *worker(void *arg)
{
    int old;
    for (int i = 0; i < 2; i++) {
        old = atomic_load(&counter);
        atomic_store(&counter, old + 1); /* mutant: was a loop of compare-and-swap */
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 4);
    return 0;
}
