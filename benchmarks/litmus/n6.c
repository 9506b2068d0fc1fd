/* Test n6 of the x86-TSO papers: a forwarded store reaches memory last.
 * The assertion says that this never happens: x == 1 && r1 == 1 && r2 == 0
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2;

void *p0(void *arg)
{
    x = 1;
    r1 = x;
    r2 = y;
    return 0;
}

void *p1(void *arg)
{
    y = 2;
    x = 2;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(x == 1 && r1 == 1 && r2 == 0));
    return 0;
}
