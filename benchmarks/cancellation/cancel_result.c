/* Joining a cancelled thread gives PTHREAD_CANCELED; a thread that has no cancellation point left
 * ends as if nobody had asked.
 *
 * Property: the result is one of the two.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int result = 7;

void *worker(void *arg)
{
    pthread_testcancel();
    (void)result;
    return &result;
}

int main(void)
{
    pthread_t t;
    void *value;
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    pthread_join(t, &value);
    assert(value == PTHREAD_CANCELED || *(int *)value == 7);
    return 0;
}
