/* An unsigned counter in an unbounded loop, close to its largest value; another thread watches it.
 *
 * Property: the counter is never zero.
 * Mutant: an unsigned counter wraps around to zero.
 * State space: large: 2 to the power of 32 values of the counter.
 */
#include <assert.h>
#include <pthread.h>

unsigned counter = 4294967290u;         /* mutant: was int counter = 1 */

void *worker(void *arg)
{
    while (1)
        counter = counter + 1;
    return 0;
}

void *watcher(void *arg)
{
    while (1)
        assert(counter != 0);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, watcher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
