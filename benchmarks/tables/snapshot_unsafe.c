/* A copy of one cell, with a mark that says when it is out of date.
 *
 * Property: a copy without the mark is what is in the cell.
 * Mutant: a cell that becomes smaller leaves the copy unmarked.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define CELLS 60

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned cell[CELLS];
unsigned copied;                        /* which cell */
unsigned copy;                          /* what was in it */
int stale;                              /* the cell may have changed since */

void *writer(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        unsigned fresh = __VERIFIER_nondet_uint();
        if (k >= CELLS)
            continue;
        pthread_mutex_lock(&m);
        if (k == copied && fresh > copy) /* mutant */
            stale = 1;
        cell[k] = fresh;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *copier(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= CELLS)
            continue;
        pthread_mutex_lock(&m);
        if (stale) {
            copied = k;
            copy = cell[k];
            stale = 0;
        } else {
            assert(copy == cell[copied]);
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, copier, 0);
    return 0;
}
