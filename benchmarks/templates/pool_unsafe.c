/* Any number of threads borrow from a pool of two.
 *
 * Property: there are never fewer than none left, and what is returned fits.
 * Mutant: somebody returns what was not borrowed.
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
    if (left > 0)                       /* mutant: was assume */
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
