/* Dekker's mutual exclusion algorithm for two threads, every thread enters again and again.
 *
 * E. W. Dijkstra, "Cooperating sequential processes", EWD 123, 1965 (attributed to Th. J. Dekker).
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * Mutant: after having stood back for the other thread, the first one does not announce itself
 *   again, so in the next round the other one does not see it.
 * State space: finite, although the threads run for ever.
 */
#include <assert.h>
#include <pthread.h>

int flag1 = 0, flag2 = 0;               /* the thread wants to enter */
int turn = 1;                           /* who insists when both want to */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    while (1) {
        flag1 = 1;
        while (flag2 == 1) {
            if (turn != 1) {
                flag1 = 0;
                while (turn != 1);
                flag1 = 0;              /* mutant: was 1 */
            }
        }
        /* begin: critical section */
        x = 0;
        assert(x <= 0);
        /* end: critical section */
        turn = 2;
        flag1 = 0;
    }
    return 0;
}

void *thr2(void *arg)
{
    while (1) {
        flag2 = 1;
        while (flag1 == 1) {
            if (turn != 2) {
                flag2 = 0;
                while (turn != 2);
                flag2 = 1;
            }
        }
        /* begin: critical section */
        x = 1;
        assert(x >= 1);
        /* end: critical section */
        turn = 1;
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
