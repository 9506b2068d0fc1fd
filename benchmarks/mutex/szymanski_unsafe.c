/* Szymanski's mutual exclusion algorithm for two threads, every thread enters once.
 *
 * B. K. Szymanski, "A simple solution to Lamport's concurrent programming problem with linear
 * wait", ICS 1988. The first thread has the smaller number: it enters as soon as the door is
 * closed, and leaves only when the second one is not between doorway and door.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * Mutant: the second thread, with the larger number, does not wait for the first one before it
 *   enters.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

/* 0: idle, 1: wants to enter, 2: waits for others to come in, 3: in the doorway, 4: door closed */
int flag1 = 0, flag2 = 0;
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    int seen;
    flag1 = 1;
    while (flag2 >= 3);
    flag1 = 3;
    if (flag2 == 1) {
        flag1 = 2;
        while (flag2 != 4);
    }
    flag1 = 4;
    /* begin: critical section */
    x = 0;
    assert(x <= 0);
    /* end: critical section */
    do {
        seen = flag2;
    } while (seen == 2 || seen == 3);
    flag1 = 0;
    return 0;
}

void *thr2(void *arg)
{
    flag2 = 1;
    while (flag1 >= 3);
    flag2 = 3;
    if (flag1 == 1) {
        flag2 = 2;
        while (flag1 != 4);
    }
    flag2 = 4;
    while (flag1 > 4);                  /* mutant: was flag1 >= 2 */
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
