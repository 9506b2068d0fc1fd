/* Clean-up handlers run in the reverse order of their registration, also when a thread ends by
 * pthread_exit in a function that it called.
 *
 * Property: the inner handler runs before the outer one.
 * Mutant: the handlers are registered the other way round.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int done = 0;

void inner(void *arg)
{
    assert(done == 0);
    done = 1;
}

void outer(void *arg)
{
    assert(done == 1);
    done = 2;
}

void finish(void)
{
    pthread_exit(0);
}

void *worker(void *arg)
{
    pthread_cleanup_push(inner, 0); pthread_cleanup_push(outer, 0);/* mutant: was outer before inner */
    finish();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(done == 2);
    return 0;
}
