/* Threads draw numbers; each number is drawn once.
 *
 * Property: the place of a number that one has drawn is still free.
 * Mutant: reading and raising the next number are separate steps.
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
    __VERIFIER_atomic_end();            /* mutant: was further down */
    __VERIFIER_atomic_begin();
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
