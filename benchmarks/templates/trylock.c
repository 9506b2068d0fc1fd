/* Threads that work only if nobody else does.
 *
 * Property: who works is alone.
 * Invariant: at most one thread holds the mutex.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int working = 0;

void *worker(void *arg)
{
    if (pthread_mutex_trylock(&mutex) == 0) {
        working = working + 1;
        assert(working == 1);
        working = working - 1;
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
