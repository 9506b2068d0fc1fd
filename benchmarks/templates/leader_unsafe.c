/* One of any number of threads becomes the leader.
 *
 * Property: there is one leader at most.
 * Mutant: looking at the place and taking it are separate steps.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int place = 0, leaders = 0;

void *worker(void *arg)
{
    if (place == 0) {                   /* mutant: was atomic_compare_exchange_strong */
        place = 1;
        leaders++;
        assert(leaders == 1);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
