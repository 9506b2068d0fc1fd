/* A normal mutex locked twice by the same thread.
 *
 * Property: the statement after the second lock is never reached: a blocked thread is not an
 *   assertion violation.
 * Mutant: the second attempt does not block.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_trylock(&m);          /* mutant: was pthread_mutex_lock */
    reach_error();
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    return 0;
}
