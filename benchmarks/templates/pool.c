/* Any number of threads borrow from a pool of two.
 *
 * Property: there are never fewer than none left, and what is returned fits.
 * Invariant: what is left and the number of borrowers are two together.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int left = 2;

void *borrower(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(left > 0);
    left = left - 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    left = left + 1;
    assert(left <= 2);
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, borrower, 0);
}
