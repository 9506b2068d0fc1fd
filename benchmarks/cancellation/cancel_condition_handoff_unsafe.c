/* A consumer may be cancelled while it waits for an item. Its handler has the mutex and marks that nobody waits.
 *
 * Property: the count of waiting threads is zero at the end.
 * Mutant: the count is taken back only when the wait ends normally.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items = 0, waiting = 0;

void forget(void *arg)
{
    waiting--;
    pthread_mutex_unlock(&lock);
}

void unlock(void *arg)
{
    pthread_mutex_unlock(&lock);
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cleanup_push(unlock, 0);    /* mutant: was forget */
    while (items == 0)
        pthread_cond_wait(&filled, &lock);
    items--;
    pthread_cleanup_pop(0);
    waiting--;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    pthread_cancel(t);
    pthread_join(t, 0);
    assert(waiting == 0);
    return 0;
}
