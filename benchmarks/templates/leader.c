/* One of any number of threads becomes the leader.
 *
 * Property: there is one leader at most.
 * Invariant: the number of leaders is 1 if the place is taken.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int place = 0, leaders = 0;

void *worker(void *arg)
{
    int free = 0;
    if (atomic_compare_exchange_strong(&place, &free, 1)) {
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
