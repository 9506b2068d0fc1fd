/* Test n1 of the x86-TSO papers.
 * The assertion says that this never happens: r1 == 0 && r2 == 1 && r3 == 2
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2, r3;

void *p0(void *arg)
{
    x = 2;
    r1 = y;
    return 0;
}

void *p1(void *arg)
{
    y = 1;
    x = 1;
    return 0;
}

void *p2(void *arg)
{
    r2 = x;
    r3 = x;
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
    assert(!(r1 == 0 && r2 == 1 && r3 == 2));
    return 0;
}
