/* When a thread ends, the destructor of a key is called with the thread's value, not with that of others.
 *
 * Property: every thread's value was given back.
 * Mutant: one thread's value is set to NULL, for which no destructor is called.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int taken[2] = {1, 1};

void give_back(void *value)
{
    assert(value != 0);
    *(int *)value = 0;
}

void *worker(void *arg)
{
    pthread_setspecific(key, arg);
    if (arg == &taken[1]) pthread_setspecific(key, 0);/* mutant: was (void)pthread_getspecific(key) */
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_key_create(&key, give_back);
    pthread_create(&a, 0, worker, &taken[0]);
    pthread_create(&b, 0, worker, &taken[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(taken[0] == 0 && taken[1] == 0);
    return 0;
}
