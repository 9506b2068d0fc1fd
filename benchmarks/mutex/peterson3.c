/* Peterson's algorithm for three threads (the filter lock), every thread enters once.
 *
 * G. L. Peterson, "Myths about the mutual exclusion problem", Inf. Process. Lett. 12(3), 1981. Each
 * of the two levels keeps at least one thread back.
 *
 * Property: mutual exclusion; a thread in the critical section finds itself alone there.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int level1 = 0, level2 = 0, level3 = 0; /* how far each thread has come */
int victim1 = 0, victim2 = 0;           /* who waits at each level */
int inside = 0;                         /* threads in the critical section */

void *thr1(void *arg)
{
    level1 = 1;
    victim1 = 1;
    while ((level2 >= 1 || level3 >= 1) && victim1 == 1);
    level1 = 2;
    victim2 = 1;
    while ((level2 >= 2 || level3 >= 2) && victim2 == 1);
    /* begin: critical section */
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    /* end: critical section */
    level1 = 0;
    return 0;
}

void *thr2(void *arg)
{
    level2 = 1;
    victim1 = 2;
    while ((level1 >= 1 || level3 >= 1) && victim1 == 2);
    level2 = 2;
    victim2 = 2;
    while ((level1 >= 2 || level3 >= 2) && victim2 == 2);
    /* begin: critical section */
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    /* end: critical section */
    level2 = 0;
    return 0;
}

void *thr3(void *arg)
{
    level3 = 1;
    victim1 = 3;
    while ((level1 >= 1 || level2 >= 1) && victim1 == 3);
    level3 = 2;
    victim2 = 3;
    while ((level1 >= 2 || level2 >= 2) && victim2 == 3);
    /* begin: critical section */
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    /* end: critical section */
    level3 = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_create(&c, 0, thr3, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
