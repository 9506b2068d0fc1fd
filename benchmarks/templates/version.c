/* A version that writers raise under a lock and readers read without.
 *
 * Property: a later look at the version gives no smaller one.
 * Invariant: the version never falls.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
unsigned version = 0;

void *writer(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (version < 1000)
        version = version + 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *reader(void *arg)
{
    unsigned first = version;
    unsigned second = version;
    assert(first <= second);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, writer, 0);
        else
            pthread_create(&t, 0, reader, 0);
    }
}
