/* Threads keep the greatest of their values in a shared variable, by compare-and-swap.
 *
 * Property: the shared value is at least that of a thread which is through.
 * Mutant: the value is stored without looking whether it has changed.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);

int greatest = -2147483647 - 1;

void *worker(void *arg)
{
    int mine = __VERIFIER_nondet_int(), seen, done = 0;
    while (!done) {
        seen = greatest;
        if (mine <= seen)
            break;
        __VERIFIER_atomic_begin();
        greatest = mine;                /* mutant: was only if (greatest == seen) */
        done = 1;
        __VERIFIER_atomic_end();
    }
    assert(mine <= greatest);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
