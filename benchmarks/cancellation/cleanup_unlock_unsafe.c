/* A thread that is cancelled while it waits for a condition holds the mutex when its clean-up handler
 * runs; the handler gives it back.
 *
 * Property: the main thread gets the mutex after joining.
 * Mutant: the handler forgets to unlock; the main thread finds the mutex taken.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int entered = 0;

void leave(void *arg)
{
    entered = 0;
    (void)0;                            /* mutant: was pthread_mutex_unlock(&lock) */
}

void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    entered = 1;
    pthread_cleanup_push(leave, 0);
    while (1)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    assert(pthread_mutex_trylock(&lock) == 0);
    assert(entered == 0);
    return 0;
}
