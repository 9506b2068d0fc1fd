/* A flag that is raised and never lowered, by any number of threads.
 *
 * Property: who sees the flag sees the value that was stored before it.
 * Invariant: the flag is raised only after the value was stored.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

int value = 0, flag = 0;

void *raiser(void *arg)
{
    value = 7;
    flag = 1;
    return 0;
}

void *watcher(void *arg)
{
    if (flag)
        assert(value == 7);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, raiser, 0);
        else
            pthread_create(&t, 0, watcher, 0);
    }
}
