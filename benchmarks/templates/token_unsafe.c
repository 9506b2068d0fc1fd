/* A token that one thread at a time takes and gives back.
 *
 * Property: who has the token is alone.
 * Mutant: the token is given back before the data is in order again.
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
        token = 1;                      /* mutant: was after busy = 0; */
        busy = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
