/* Order of two operations in Mozilla's thread start-up, the original bug.
 *
 * S. Lu, S. Park, E. Seo, Y. Zhou, "Learning from mistakes: a comprehensive study on real world
 * concurrency bug characteristics", ASPLOS 2008, Fig. 2. The creator of a thread stores its handle,
 * the new thread uses the handle; nothing in the original program enforced this order.
 *
 * Property: the handle is stored before it is used.
 * Mutant: the new thread does not wait, as in the original program.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int mThread = 0;                        /* handle of the new thread, 0: not stored yet */
int initialized = 0;                    /* the handle may be used */

void *init(void *arg)
{
    mThread = 1;
    initialized = 1;
    return 0;
}

void *run(void *arg)
{
    ;                                   /* mutant: was while (initialized == 0) */
    assert(mThread != 0);
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
