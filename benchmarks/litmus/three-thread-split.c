/* Three threads, no cycle by the derived orders alone, and yet no total order under SC: it takes a
 * case split.
 * The assertion says that this never happens: r1 == 2 && r2 == 1 && r3 == 1 && r4 == 1 && r5 == 2 &&
 * r6 == 2
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int v, x, y;
int r1, r2, r3, r4, r5, r6;

void *p0(void *arg)
{
    x = 1;
    y = 1;
    r1 = v;
    r2 = x;
    return 0;
}

void *p1(void *arg)
{
    v = 1;
    x = 2;
    r3 = y;
    r4 = v;
    return 0;
}

void *p2(void *arg)
{
    y = 2;
    v = 2;
    r5 = x;
    r6 = y;
    return 0;
}

int main(void)
{
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_create(&t2, 0, p2, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r1 == 2 && r2 == 1 && r3 == 1 && r4 == 1 && r5 == 2 && r6 == 2));
    return 0;
}
