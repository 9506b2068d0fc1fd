/* Order of two operations in Mozilla's thread start-up, fixed with a condition variable.
 *
 * S. Lu, S. Park, E. Seo, Y. Zhou, "Learning from mistakes: a comprehensive study on real world
 * concurrency bug characteristics", ASPLOS 2008, Fig. 2. The creator of a thread stores its handle,
 * the new thread uses the handle; nothing in the original program enforced this order.
 *
 * Property: the handle is stored before it is used.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct thread {
    int state;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t stored = PTHREAD_COND_INITIALIZER;
struct thread thread = {7};
struct thread *mThread = NULL;          /* handle of the new thread */

void *init(void *arg)
{
    pthread_mutex_lock(&lock);
    mThread = &thread;
    pthread_cond_signal(&stored);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *run(void *arg)
{
    pthread_mutex_lock(&lock);
    while (mThread == NULL)
        pthread_cond_wait(&stored, &lock);
    pthread_mutex_unlock(&lock);
    assert(mThread != NULL);
    assert(mThread->state == 7);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, init, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
