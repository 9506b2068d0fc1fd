/* A counter that threads raise under a mutex, while there is room.
 *
 * Property: raising the counter makes it greater than what one had read.
 * Mutant: the counter is read before the mutex is taken: an update is lost.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;

void *worker(void *arg)
{
    int old;
    old = counter;
    if (old < 1000000) {                /* mutant: was inside the mutex */
        pthread_mutex_lock(&mutex);
        assert(counter == old);
        counter = old + 1;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
