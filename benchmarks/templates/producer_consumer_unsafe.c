/* Producers and consumers in any number share a store with room for ten.
 *
 * Property: the store holds none to ten.
 * Mutant: a consumer looks whether there is something before it takes the mutex.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int items = 0;

void *producer(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (items < 10)
        items++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *consumer(void *arg)
{
    if (items > 0) {                    /* mutant: was inside the mutex */
        pthread_mutex_lock(&mutex);
        items--;
        assert(items >= 0 && items < 10);
        pthread_mutex_unlock(&mutex);
    }
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
