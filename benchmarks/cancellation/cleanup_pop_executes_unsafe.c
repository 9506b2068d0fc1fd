/* pthread_cleanup_pop(1) runs the handler where the block ends normally, pthread_cleanup_pop(0) does not.
 *
 * Property: the handler has run once.
 * Mutant: the handler is dropped without running.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int count = 0;

void handler(void *arg)
{
    count += *(int *)arg;
}

void *worker(void *arg)
{
    int amount = 2;
    pthread_cleanup_push(handler, &amount);
    amount = 3;
    pthread_cleanup_pop(0);             /* mutant: was pthread_cleanup_pop(1) */
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(count == 3);
    return 0;
}
