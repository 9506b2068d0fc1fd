/* A butterfly, after Fig. 6 of the same paper: two writers of w, and a reader of the first. Whichever
 * writer comes first, one of the two wings (m and n, or x and y) has a cycle under SC, but no order
 * can be derived before that choice is made.
 * The assertion says that this never happens: r1 == 1 && r2 == 1 && r3 == 1 && r4 == 1 && r5 == 1 &&
 * r6 == 1 && r7 == 1
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int g, h, m, n, w, x, y;
int r1, r2, r3, r4, r5, r6, r7;

void *p0(void *arg)
{
    n = 1;
    m = 2;
    r1 = g;
    w = 2;
    r2 = x;
    r3 = y;
    return 0;
}

void *p1(void *arg)
{
    m = 1;
    n = 2;
    g = 1;
    return 0;
}

void *p2(void *arg)
{
    w = 1;
    r4 = m;
    r5 = n;
    y = 1;
    x = 2;
    r6 = h;
    r7 = w;
    return 0;
}

void *p3(void *arg)
{
    x = 1;
    y = 2;
    h = 1;
    return 0;
}

int main(void)
{
    pthread_t t0, t1, t2, t3;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_create(&t2, 0, p2, 0);
    pthread_create(&t3, 0, p3, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    assert(!(r1 == 1 && r2 == 1 && r3 == 1 && r4 == 1 && r5 == 1 && r6 == 1 && r7 == 1));
    return 0;
}
