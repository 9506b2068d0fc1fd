/* Two threads write an array at arbitrary, different places.
 *
 * Property: they do not disturb each other.
 * Mutant: the places may be the same.
 * State space: large: arbitrary inputs.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

int cell[4];
int i, j;

void *thr1(void *arg)
{
    cell[i] = 1;
    cell[i] = cell[i] + 1;
    return 0;
}

void *thr2(void *arg)
{
    cell[j] = -1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    i = __VERIFIER_nondet_int();
    j = __VERIFIER_nondet_int();
    assume_abort_if_not(0 <= i && i < 4);
    assume_abort_if_not(0 <= j && j < 4);
    assume_abort_if_not(i <= j);        /* mutant: was i != j */
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(cell[i] == 2);
    assert(cell[j] == -1);
    return 0;
}
