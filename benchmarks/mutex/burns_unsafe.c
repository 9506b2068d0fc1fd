/* Burns' mutual exclusion algorithm with one bit per thread, for two threads, every thread enters
 * once.
 *
 * J. E. Burns, N. A. Lynch, "Bounds on shared memory for mutual exclusion", Inf. Comput. 107(2),
 * 1993. The thread with the smaller number insists, the other one stands back.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * Mutant: the second thread does not raise its flag before it looks at the other one.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int flag1 = 0, flag2 = 0;               /* the thread wants to enter */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    flag1 = 1;
    while (flag2 != 0);
    /* begin: critical section */
    x = 0;
    assert(x <= 0);
    /* end: critical section */
    flag1 = 0;
    return 0;
}

void *thr2(void *arg)
{
start2:
    flag2 = 0;
    if (flag1 != 0)
        goto start2;
    flag2 = 0;                          /* mutant: was 1 */
    if (flag1 != 0)
        goto start2;
    /* begin: critical section */
    x = 1;
    assert(x >= 1);
    /* end: critical section */
    flag2 = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
