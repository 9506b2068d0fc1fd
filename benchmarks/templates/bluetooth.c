/* The driver of Qadeer and Wu (PLDI 2004) with any number of adders, and the stopper.
 *
 * Property: nobody uses the driver after it was stopped.
 * Invariant: pending is 1 while it is not being stopped, and 1 more for each adder inside.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int pending = 1, stopping = 0, stopped = 0, finished = 0;

static void leave(void)
{
    int left;
    __VERIFIER_atomic_begin();
    pending = pending - 1;
    left = pending;
    __VERIFIER_atomic_end();
    if (left == 0)
        finished = 1;
}

void *adder(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!stopping);
    pending = pending + 1;
    __VERIFIER_atomic_end();
    assert(!stopped);
    leave();
    return 0;
}

void *stopper(void *arg)
{
    stopping = 1;
    leave();
    __VERIFIER_assume(finished);
    stopped = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, stopper, 0);
    while (1)
        pthread_create(&t, 0, adder, 0);
}
