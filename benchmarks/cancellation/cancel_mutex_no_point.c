/* pthread_mutex_lock is no cancellation point: a thread that is cancelled meanwhile still finishes its
 * critical section.
 *
 * Property: the counter was incremented.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
sem_t free_places;
int counter = 0;

void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    sem_trywait(&free_places);
    counter++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    sem_init(&free_places, 0, 1);
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    assert(counter == 1);
    return 0;
}
