/* The order in which destructors of several keys are called is unspecified.
 *
 * Property: both have run; the second does not rely on the first.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_key_t first, second;
int one = 0, two = 0;

void destroy_first(void *value)
{
    one = 1;
}

void destroy_second(void *value)
{
    two = 1;
}

void *worker(void *arg)
{
    pthread_setspecific(first, &one);
    pthread_setspecific(second, &two);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&first, destroy_first);
    pthread_key_create(&second, destroy_second);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(one == 1 && two == 1);
    return 0;
}
