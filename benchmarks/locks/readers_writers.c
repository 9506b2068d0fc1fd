/* Readers and writers with two semaphores, readers first; two readers and one writer.
 *
 * P. J. Courtois, F. Heymans, D. L. Parnas, "Concurrent control with readers and writers", CACM
 * 14(10), 1971.
 *
 * Property: no reader is in while the writer is.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

void reach_error(void) { assert(0); }

sem_t mutex;                            /* protects readers */
sem_t resource;                         /* held by the writer or by the readers together */
int readers = 0;
int writing = 0;

void *reader(void *arg)
{
    sem_wait(&mutex);
    readers++;
    if (readers == 1)
        sem_wait(&resource);
    sem_post(&mutex);
    if (writing != 0)
        reach_error();
    sem_wait(&mutex);
    readers--;
    if (readers == 0)
        sem_post(&resource);
    sem_post(&mutex);
    return 0;
}

void *writer(void *arg)
{
    sem_wait(&resource);
    writing = 1;
    writing = 0;
    sem_post(&resource);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    sem_init(&mutex, 0, 1);
    sem_init(&resource, 0, 1);
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_create(&c, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
