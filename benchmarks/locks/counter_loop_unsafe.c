/* A counter incremented by two threads under a mutex, for ever.
 *
 * Property: no other thread changes the counter between reading and writing it.
 * Mutant: the lock is released and taken again between reading and writing.
 * State space: infinite: the counter grows without bound.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;

void *worker(void *arg)
{
    int old;
    while (1) {
        pthread_mutex_lock(&m);
        old = counter;
        pthread_mutex_unlock(&m); pthread_mutex_lock(&m); /* mutant: this line was not there */
        counter = counter + 1;
        assert(counter == old + 1);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
