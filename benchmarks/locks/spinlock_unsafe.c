/* POSIX spin lock, two threads.
 *
 * Property: mutual exclusion; a thread in the critical section finds itself alone there.
 * Mutant: the lock is released before the thread has left the critical section.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t lock;
int inside = 0;                         /* threads in the critical section */

void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_spin_lock(&lock);
        inside++;
        assert(inside == 1);
        pthread_spin_unlock(&lock);     /* mutant: was after the next line */
        inside--;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
