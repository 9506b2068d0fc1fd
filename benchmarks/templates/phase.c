/* Two kinds of threads alternate: what one has filled, the other empties.
 *
 * Property: who fills finds it empty, and who empties finds it full.
 * Invariant: the phase is odd while a thread is at it, and says what it does.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int phase = 0, full = 0;

void *filler(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(phase == 0);
    phase = 1;
    __VERIFIER_atomic_end();
    assert(!full);
    full = 1;
    phase = 2;
    return 0;
}

void *emptier(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(phase == 2);
    phase = 3;
    __VERIFIER_atomic_end();
    assert(full);
    full = 0;
    phase = 0;
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, filler, 0);
        else
            pthread_create(&t, 0, emptier, 0);
    }
}
