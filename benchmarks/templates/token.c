/* A token that one thread at a time takes and gives back.
 *
 * Property: who has the token is alone.
 * Invariant: the token is there or one thread has it.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int token = 1;
int busy = 0;

void *worker(void *arg)
{
    if (atomic_exchange(&token, 0)) {
        assert(busy == 0);
        busy = 1;
        busy = 0;
        token = 1;
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
