/* A gate that opens for everybody once three have arrived.
 *
 * Property: who is through knows that three have arrived.
 * Invariant: the gate is open only if three have arrived, and nobody leaves again.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

unsigned arrived = 0;
int open = 0;

void *worker(void *arg)
{
    __VERIFIER_atomic_begin();
    if (arrived < 3)
        arrived = arrived + 1;
    if (arrived == 3)
        open = 1;
    __VERIFIER_atomic_end();
    while (!open)
        ;
    assert(arrived == 3);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
