/* Message passing: the flag may become visible before the data.
 * The assertion says that this never happens: r1 == 1 && r2 == 0
 * Expected: SC true, TSO true, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2;

void *p0(void *arg)
{
    x = 1;
    y = 1;
    return 0;
}

void *p1(void *arg)
{
    r1 = y;
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
    assert(!(r1 == 1 && r2 == 0));
    return 0;
}
