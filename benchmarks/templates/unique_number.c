/* Threads draw numbers; each number is drawn once.
 *
 * Property: the place of a number that one has drawn is still free.
 * Invariant: numbers drawn differ and are below the next one; no place from there on is taken, nor that of a
 *   number not yet used.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

unsigned next = 0;
_Bool taken[4];

void *worker(void *arg)
{
    unsigned mine;
    __VERIFIER_atomic_begin();
    mine = next;
    __VERIFIER_assume(mine < 4);
    next = mine + 1;
    __VERIFIER_atomic_end();
    assert(!taken[mine]);
    taken[mine] = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
