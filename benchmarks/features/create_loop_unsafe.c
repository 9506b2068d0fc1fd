/* Threads created and joined in loops with a constant bound; each gets the address of its own
 * argument.
 *
 * Property: every thread has seen its own number.
 * Mutant: all threads get the address of the loop counter, which goes on counting.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int sum = 0;
int number[3];

void *worker(void *arg)
{
    int me = *(int *)arg;
    atomic_fetch_add(&sum, me);
    return 0;
}

int main(void)
{
    pthread_t t[3];
    int i;
    for (i = 0; i < 3; i++) {
        number[i] = i;
        pthread_create(&t[i], 0, worker, &i); /* mutant: was &number[i] */
    }
    for (i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(sum == 3);
    return 0;
}
