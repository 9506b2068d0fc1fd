/* Burns' mutual exclusion algorithm with one bit per thread, for three threads, every thread enters
 * once.
 *
 * J. E. Burns, N. A. Lynch, "Bounds on shared memory for mutual exclusion", Inf. Comput. 107(2),
 * 1993. One function for all threads, numbered by its argument; the flags are an array.
 *
 * Property: mutual exclusion; a thread in the critical section finds itself alone there.
 * Mutant: a thread does not wait for its neighbour with the next larger number.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int flag[3];                            /* the thread wants to enter */
int inside = 0;                         /* threads in the critical section */

void *thr(void *arg)
{
    int i = *(int *)arg;
    int j;
start:
    flag[i] = 0;
    for (j = 0; j < i; j++)
        if (flag[j] != 0)
            goto start;
    flag[i] = 1;
    for (j = 0; j < i; j++)
        if (flag[j] != 0)
            goto start;
    for (j = i + 2; j < 3; j++)         /* mutant: was j = i + 1 */
        while (flag[j] != 0);
    /* begin: critical section */
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    /* end: critical section */
    flag[i] = 0;
    return 0;
}

int id[3] = {0, 1, 2};

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, thr, &id[0]);
    pthread_create(&b, 0, thr, &id[1]);
    pthread_create(&c, 0, thr, &id[2]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
