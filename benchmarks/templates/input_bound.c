/* As many threads as an input says, with a lock.
 *
 * Property: inside the lock nobody else changes what one has written.
 * Invariant: at most one thread is inside, and if one is, the lock is taken.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int data = 0;

void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    data = data + 1;
    assert(data == 1);
    data = data - 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    int count = __VERIFIER_nondet_int();
    for (int i = 0; i < count; i++)
        pthread_create(&t, 0, worker, 0);
    return 0;
}
