/* A thread that is cancelled runs its clean-up handlers first, then the destructors of its data.
 *
 * Property: the destructor finds what the handler has left.
 * Mutant: the handler is not in force when the thread is cancelled.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int flushed = 0;

void flush(void *arg)
{
    flushed = 1;
}

void close_file(void *value)
{
    assert(flushed == 1);
}

void *worker(void *arg)
{
    pthread_cleanup_push(flush, 0);
    pthread_setspecific(key, &flushed);
    pthread_cleanup_pop(0); pthread_testcancel();/* mutant: was the cancellation point inside the block */
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, close_file);
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    return 0;
}
