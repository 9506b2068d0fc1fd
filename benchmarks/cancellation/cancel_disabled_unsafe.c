/* A request that is made while cancellation is disabled stays until it is enabled: the update of two
 * variables is not torn apart by the cancellation point between them.
 *
 * Property: the two variables are equal.
 * Mutant: cancellation stays enabled.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int left = 0, right = 0;

void *worker(void *arg)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);/* mutant: was PTHREAD_CANCEL_DISABLE */
    left = 1;
    pthread_testcancel();
    right = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    pthread_testcancel();
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    assert(left == right);
    return 0;
}
