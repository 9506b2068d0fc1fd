/* A thread that waits for another one can be cancelled there; the other one is not affected and can be
 * joined again by somebody else.
 *
 * Property: the helper's work is done when the main thread has joined it.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_t helper;
int work = 0;

void *help(void *arg)
{
    work = 1;
    return 0;
}

void *wait_for_cancellation(void *arg)
{
    while (1)
        pthread_testcancel();
    return 0;
}

int main(void)
{
    pthread_t t;
    void *value;
    pthread_create(&helper, 0, help, 0);
    pthread_create(&t, 0, wait_for_cancellation, 0);
    pthread_cancel(t);
    pthread_join(t, &value);
    assert(value == PTHREAD_CANCELED);
    pthread_join(helper, 0);
    assert(work == 1);
    return 0;
}
