/* A thread-local counter: every thread has its own.
 *
 * Property: each thread counts its own rounds only.
 * Mutant: the counter is shared.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int rounds = 0;                         /* mutant: was _Thread_local */

void *worker(void *arg)
{
    for (int i = 0; i < 2; i++)
        rounds = rounds + 1;
    assert(rounds == 2);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(rounds == 0);
    return 0;
}
