/* A signed counter in an unbounded loop; another thread watches it.
 *
 * Signed overflow is undefined in C, so the counter stands for a mathematical integer. The mutant
 * is the same program with an unsigned counter.
 *
 * Property: the counter is never zero.
 * State space: infinite: the counter grows without bound.
 */
#include <assert.h>
#include <pthread.h>

int counter = 1;

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
