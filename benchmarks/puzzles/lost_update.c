/* Interleaving puzzle: two threads increment a counter three times each, without a lock. How small
 * can the result be? Not less than two, even though every increment but the last ones may be lost.
 *
 * See M. Ben-Ari, "Principles of concurrent and distributed programming", 2nd edition, 2006,
 * chapter 2.
 *
 * Property: the counter is at least two at the end.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int counter = 0;

void *worker(void *arg)
{
    int tmp;
    for (int k = 0; k < 3; k++) {
        tmp = counter;
        counter = tmp + 1;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter >= 2);
    return 0;
}
