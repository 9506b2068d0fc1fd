/* A request that is made before a thread comes to pthread_testcancel is acted upon there.
 *
 * Property: the thread does not come past the cancellation point.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t asked;
int passed = 0;

void *worker(void *arg)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_wait(&asked);
    pthread_setcancelstate(old, 0);
    pthread_testcancel();
    passed = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    sem_init(&asked, 0, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_cancel(t);
    sem_post(&asked);
    pthread_join(t, 0);
    assert(passed == 0);
    return 0;
}
