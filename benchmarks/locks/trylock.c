/* pthread_mutex_trylock: three threads enter the critical section only if it is free.
 *
 * Property: mutual exclusion; a thread in the critical section finds itself alone there.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside = 0;                         /* threads in the critical section */

void *worker(void *arg)
{
    int busy = pthread_mutex_trylock(&m);
    if (!busy) {
        inside++;
        assert(inside == 1);
        inside--;
    }
    if (!busy)
        pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
