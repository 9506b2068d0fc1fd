/* As many threads as an input says, with a lock.
 *
 * Property: inside the lock nobody else changes what one has written.
 * Mutant: the lock is given back too early.
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
    pthread_mutex_unlock(&mutex);       /* mutant: was after data = data - 1; */
    data = data - 1;
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
