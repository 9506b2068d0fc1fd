/* Atomic sections: two threads move one unit each between two accounts.
 *
 * Property: the sum of both accounts is constant, and an auditor sees it so.
 * Mutant: the transfer is two atomic sections instead of one.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int left = 3, right = 1;

void *mover(void *arg)
{
    int amount = *(int *)arg;
    __VERIFIER_atomic_begin();
    left = left - amount;
    __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); /* mutant: this line was not there */
    right = right + amount;
    __VERIFIER_atomic_end();
    return 0;
}

void *auditor(void *arg)
{
    int sum;
    __VERIFIER_atomic_begin();
    sum = left + right;
    __VERIFIER_atomic_end();
    if (sum != 4)
        reach_error();
    return 0;
}

int one = 1, minus_one = -1;

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, mover, &one);
    pthread_create(&b, 0, mover, &minus_one);
    pthread_create(&c, 0, auditor, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
