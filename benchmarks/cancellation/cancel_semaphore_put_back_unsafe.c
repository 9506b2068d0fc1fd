/* A thread takes a unit of a semaphore and waits for a second one; when it is cancelled there, its
 * handler puts the first one back.
 *
 * Property: no unit is lost.
 * Mutant: the unit is taken before the handler is there.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t units, never;

void put_back(void *arg)
{
    sem_post(&units);
}

void *worker(void *arg)
{
    sem_wait(&units);
    sem_wait(&never); pthread_cleanup_push(put_back, 0);/* mutant: was without the wait */
    sem_wait(&never);
    pthread_cleanup_pop(1);
    return 0;
}

int main(void)
{
    pthread_t t;
    int value;
    sem_init(&units, 0, 1);
    sem_init(&never, 0, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    sem_getvalue(&units, &value);
    assert(value == 1);
    return 0;
}
