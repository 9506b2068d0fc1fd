/* Transactions that are undone: what was written is put back.
 *
 * Property: after an abort the cell has its old value, after a commit its new one.
 * Mutant: clearing a cell is not noted in the log.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define CELLS 100

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned cell[CELLS];
unsigned log_index, log_value;          /* what to put back */

void *transaction(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        unsigned fresh = __VERIFIER_nondet_uint();
        unsigned failed = __VERIFIER_nondet_uint();
        if (k >= CELLS)
            continue;
        pthread_mutex_lock(&m);
        unsigned old = cell[k];
        if (fresh != 0)                 /* mutant */
            log_index = k;
        log_value = old;
        cell[k] = fresh;
        if (failed) {
            cell[log_index] = log_value;
            assert(cell[k] == old);
        } else {
            assert(cell[k] == fresh);
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, transaction, 0);
    pthread_create(&b, 0, transaction, 0);
    return 0;
}
