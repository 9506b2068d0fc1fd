/* A semaphore lets two of any number of threads in.
 *
 * Property: there are never more than two inside.
 * Mutant: the semaphore begins with three permits.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int permits = 3, inside = 0;            /* mutant: was 2 */

void *worker(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(permits > 0);
    permits = permits - 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    inside = inside + 1;
    assert(inside <= 2);
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    inside = inside - 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    permits = permits + 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
