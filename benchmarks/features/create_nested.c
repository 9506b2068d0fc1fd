/* A thread that creates and joins a thread itself.
 *
 * Property: the work of the inner thread is done when the outer one has been joined.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int inner_done = 0, outer_done = 0;

void *inner(void *arg)
{
    inner_done = 1;
    return 0;
}

void *outer(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
    pthread_join(t, 0);
    outer_done = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, outer, 0);
    pthread_join(a, 0);
    assert(outer_done == 1);
    assert(inner_done == 1);
    return 0;
}
