/* POSIX barrier: two threads compute in two phases, each phase uses the result of the other thread.
 *
 * Property: each thread finds the other one's result of the phase before.
 * Mutant: the barrier opens for a single thread.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int first[2], second[2];
int id[2] = {0, 1};

void *worker(void *arg)
{
    int me = *(int *)arg;
    first[me] = 1 + me;
    pthread_barrier_wait(&barrier);
    second[me] = first[1 - me];
    pthread_barrier_wait(&barrier);
    assert(second[0] + second[1] == 3);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 1); /* mutant: was 2 */
    pthread_create(&a, 0, worker, &id[0]);
    pthread_create(&b, 0, worker, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
