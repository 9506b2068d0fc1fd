/* Hyman's attempt at mutual exclusion for two threads, which is wrong as published.
 *
 * H. Hyman, "Comments on a problem in concurrent programming control", CACM 9(1), 1966; refuted by
 * D. E. Knuth, CACM 9(5), 1966. A thread whose turn it is enters at once, although the other one
 * may already have found its flag down and be about to take the turn.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int flag1 = 0, flag2 = 0;               /* the thread wants to enter */
int turn = 1;
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    flag1 = 1;
    while (turn != 1) {
        while (flag2 == 1);
        turn = 1;
    }
    /* begin: critical section */
    x = 0;
    assert(x <= 0);
    /* end: critical section */
    flag1 = 0;
    return 0;
}

void *thr2(void *arg)
{
    flag2 = 1;
    while (turn != 2) {
        while (flag1 == 1);
        turn = 2;
    }
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
