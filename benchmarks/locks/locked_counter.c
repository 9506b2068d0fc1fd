/* A counter incremented by two threads under a mutex, a fixed number of times.
 *
 * Property: no increment is lost; at the end the counter is the number of increments.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;

void *worker(void *arg)
{
    pthread_mutex_t *lock = arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(lock);
        counter = counter + 1;
        pthread_mutex_unlock(lock);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, &m);
    pthread_create(&b, 0, worker, &m);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 6);
    return 0;
}
