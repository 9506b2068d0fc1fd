/* Interleaving puzzle: two threads add their variables to each other, five times each.
 *
 * The largest value comes from strict alternation: then the values are Fibonacci numbers, the last
 * one F(2N+2) = 144 for N = 5.
 *
 * Property: no variable reaches 144.
 * Mutant: the bound is reached by exactly one kind of interleaving.
 * State space: finite, but with many different values.
 */
#include <assert.h>
#include <pthread.h>

int i = 1, j = 1;

void *thr1(void *arg)
{
    for (int k = 0; k < 5; k++)
        i = i + j;
    return 0;
}

void *thr2(void *arg)
{
    for (int k = 0; k < 5; k++)
        j = j + i;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(i < 144 && j < 144);         /* mutant: was <= */
    return 0;
}
