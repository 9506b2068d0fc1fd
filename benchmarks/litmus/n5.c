/* Test n5 of the x86-TSO papers: each thread reads the other's store over its own.
 * The assertion says that this never happens: r1 == 2 && r2 == 1
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x;
int r1, r2;

void *p0(void *arg)
{
    x = 1;
    r1 = x;
    return 0;
}

void *p1(void *arg)
{
    x = 2;
    r2 = x;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r1 == 2 && r2 == 1));
    return 0;
}
