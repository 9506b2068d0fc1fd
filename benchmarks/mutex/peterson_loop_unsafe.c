/* Peterson's mutual exclusion algorithm for two threads, every thread enters again and again.
 *
 * G. L. Peterson, "Myths about the mutual exclusion problem", Inf. Process. Lett. 12(3), 1981.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * Mutant: the first thread waits when it is its own turn, and passes when it is the turn of the
 *   other.
 * State space: finite, although the threads run for ever.
 */
#include <assert.h>
#include <pthread.h>

int flag1 = 0, flag2 = 0;               /* the thread wants to enter */
int turn = 0;                           /* who goes first when both want to */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    while (1) {
        flag1 = 1;
        turn = 2;
        while (flag2 == 1 && turn == 1); /* mutant: was turn == 2 */
        /* begin: critical section */
        x = 0;
        assert(x <= 0);
        /* end: critical section */
        flag1 = 0;
    }
    return 0;
}

void *thr2(void *arg)
{
    while (1) {
        flag2 = 1;
        turn = 1;
        while (flag1 == 1 && turn == 1);
        /* begin: critical section */
        x = 1;
        assert(x >= 1);
        /* end: critical section */
        flag2 = 0;
    }
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
