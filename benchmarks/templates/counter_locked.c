/* A counter that threads raise under a mutex, while there is room.
 *
 * Property: raising the counter makes it greater than what one had read.
 * Invariant: whoever is inside has read the value that the counter has.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;

void *worker(void *arg)
{
    int old;
    pthread_mutex_lock(&mutex);
    old = counter;
    if (old < 1000000) {
        counter = old + 1;
        assert(counter == old + 1);
    }
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
