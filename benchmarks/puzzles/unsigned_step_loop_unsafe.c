/* An unsigned counter that starts at a multiple of three and grows in steps of three for ever;
 * another thread watches it. Over mathematical integers it would stay a multiple of three, but
 * three does not divide 2 to the power of 32.
 *
 * Property: the counter is a multiple of three.
 * Mutant: counterpart of unsigned_step_loop with a step of three instead of two.
 * State space: large: 2 to the power of 32 values of the counter.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

unsigned counter = 4294967286u;         /* 3 * 1431655762 */

void *worker(void *arg)
{
    while (1)
        counter = counter + 3u;
    return 0;
}

void *watcher(void *arg)
{
    while (1)
        if (counter % 3u != 0u)
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
