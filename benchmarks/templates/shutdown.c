/* Threads use something until it is closed; who closes it waits until all are out.
 *
 * Property: nothing is used after it is gone.
 * Invariant: the number of users is that of threads inside; once it is gone, nobody is inside and nobody
 *   comes.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int users = 0, closed = 0, gone = 0;

void *user(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!closed);
    users = users + 1;
    __VERIFIER_atomic_end();
    assert(!gone);
    __VERIFIER_atomic_begin();
    users = users - 1;
    __VERIFIER_atomic_end();
    return 0;
}

void *closer(void *arg)
{
    closed = 1;
    while (users != 0)
        ;
    gone = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, closer, 0);
    while (1)
        pthread_create(&t, 0, user, 0);
}
