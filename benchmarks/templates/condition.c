/* Consumers wait at a condition variable until something is there; each takes one.
 *
 * Property: who takes finds something.
 * Invariant: outside of the mutex the number of items is not negative.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int items = 0;

void *producer(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (items < 100)
        items++;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (items == 0)
        pthread_cond_wait(&filled, &mutex);
    assert(items > 0);
    items--;
    pthread_mutex_unlock(&mutex);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, producer, 0);
        else
            pthread_create(&t, 0, consumer, 0);
    }
}
