/* Two threads, and an input that says which of them has to wait for the other.
 *
 * Property: the thread that has to wait comes second.
 * Mutant: one of the two threads waits only for one value of the input.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

void reach_error(void) { assert(0); }

extern bool __VERIFIER_nondet_bool(void);

bool swapped;                           /* the second thread goes first */
int done[2];
int id[2] = {0, 1};

void *worker(void *arg)
{
    int me = *(int *)arg;
    int first = swapped ? 1 : 0;
    if (me != first) {
        while (done[first] == 0 && swapped); /* mutant: was done[first] == 0 */
        if (done[me] != 0)
            reach_error();
    } else if (done[1 - me] != 0) {
        reach_error();
    }
    done[me] = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    swapped = __VERIFIER_nondet_bool();
    pthread_create(&a, 0, worker, &id[0]);
    pthread_create(&b, 0, worker, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
