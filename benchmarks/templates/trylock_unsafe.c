/* Threads that work only if nobody else does.
 *
 * Property: who works is alone.
 * Mutant: who fails to get the mutex works all the same.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int working = 0;

void *worker(void *arg)
{
    int result = pthread_mutex_trylock(&mutex);
    working = working + 1;              /* mutant: was only if (result == 0) */
    assert(working == 1);
    working = working - 1;
    if (result == 0)
        pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
