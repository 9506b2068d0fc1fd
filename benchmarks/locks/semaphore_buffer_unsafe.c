/* Bounded buffer with two places and two counting semaphores, one producer and one consumer of four
 * items.
 *
 * E. W. Dijkstra, "Cooperating sequential processes", EWD 123, 1965.
 *
 * Property: the items arrive complete and in order.
 * Mutant: the semaphore counts one place more than there is.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t places, items;
int buffer[2];

void *producer(void *arg)
{
    for (int i = 0; i < 4; i++) {
        sem_wait(&places);
        buffer[i % 2] = i;
        sem_post(&items);
    }
    return 0;
}

void *consumer(void *arg)
{
    for (int i = 0; i < 4; i++) {
        sem_wait(&items);
        assert(buffer[i % 2] == i);
        sem_post(&places);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&places, 0, 3);            /* mutant: was 2 */
    sem_init(&items, 0, 0);
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
