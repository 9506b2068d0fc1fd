/* A semaphore as a mutual exclusion lock; two threads.
 *
 * E. W. Dijkstra, "Cooperating sequential processes", EWD 123, 1965.
 *
 * Property: mutual exclusion; a thread in the critical section finds itself alone there.
 * Mutant: the semaphore lets two threads in.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int inside = 0;                         /* threads in the critical section */

void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&s);
        inside++;
        assert(inside == 1);
        inside--;
        sem_post(&s);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 2);                 /* mutant: was 1 */
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
