/* A destructor that sets the value again is called again, up to PTHREAD_DESTRUCTOR_ITERATIONS times.
 *
 * Property: the value is given back in the second round.
 * Mutant: the destructor does not set the value in its first round, so it is called only once.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int rounds = 0;

void destroy(void *value)
{
    rounds++;
    if (rounds == 2)                    /* mutant: was rounds == 1 */
        pthread_setspecific(key, value);
}

void *worker(void *arg)
{
    pthread_setspecific(key, &rounds);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(rounds == 2);
    return 0;
}
