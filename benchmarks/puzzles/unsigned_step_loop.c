/* An unsigned counter that grows in steps of two for ever; another thread watches it. It wraps
 * around, but stays even, because two divides 2 to the power of 32.
 *
 * Property: the counter is even.
 * State space: large: 2 to the power of 31 values of the counter.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

unsigned counter = 4294967286u;

void *worker(void *arg)
{
    while (1)
        counter = counter + 2u;
    return 0;
}

void *watcher(void *arg)
{
    while (1)
        if (counter % 2u != 0u)
            reach_error();
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
