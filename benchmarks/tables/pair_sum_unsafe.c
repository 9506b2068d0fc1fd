/* The sum of two cells of a sheet, kept up to date while cells change and other cells are chosen.
 *
 * Property: the sum is that of the two cells.
 * Mutant: a cell that is chosen twice counts once.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define CELLS 30

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned cell[CELLS];
unsigned first = 0, second = 1;
unsigned sum;

void *typist(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        unsigned fresh = __VERIFIER_nondet_uint();
        if (k >= CELLS)
            continue;
        pthread_mutex_lock(&m);
        if (k == first)
            sum = sum - cell[k] + fresh;
        else if (k == second)           /* mutant */
            sum = sum - cell[k] + fresh;
        cell[k] = fresh;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *reader(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= CELLS)
            continue;
        pthread_mutex_lock(&m);
        assert(sum == cell[first] + cell[second]);
        first = second;
        second = k;
        sum = cell[first] + cell[second];
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, typist, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
