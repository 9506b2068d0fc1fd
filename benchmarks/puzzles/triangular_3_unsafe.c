/* Interleaving puzzle: two threads set their variable to the other one's plus one, three times
 * each; the main thread looks at both while they run.
 *
 * Strict alternation, with the first thread first, adds two per round: from 6 up to 2N + 6 = 12.
 *
 * Property: no variable reaches 12.
 * Mutant: the bound is reached by strict alternation.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

int i = 3, j = 6;

void *thr1(void *arg)
{
    for (int k = 0; k < 3; k++)
        i = j + 1;
    return 0;
}

void *thr2(void *arg)
{
    for (int k = 0; k < 3; k++)
        j = i + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    int seen_i = i;
    int seen_j = j;
    if (seen_i >= 12 || seen_j >= 12)   /* mutant: was > */
        reach_error();
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
