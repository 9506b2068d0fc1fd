/* One of any number of threads initialises, the others wait for it.
 *
 * Property: the initialisation runs once, and is over before anybody goes on.
 * Mutant: looking at the state and changing it are separate steps.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int state = 0, runs = 0;

void *worker(void *arg)
{
    int mine = 0;
    if (state == 0) {
        __VERIFIER_atomic_begin();      /* mutant: was before the condition */
        state = 1;
        mine = 1;
        __VERIFIER_atomic_end();
    }
    if (mine) {
        runs = runs + 1;
        state = 2;
    }
    while (state != 2)
        ;
    assert(runs == 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
