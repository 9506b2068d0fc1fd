/* Store buffering with an atomic addition to an unrelated variable in between.
 * The assertion says that this never happens: r1 == 0 && r2 == 0
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int w, x, y, z;
int r1, r2, r3, r4;

void *p0(void *arg)
{
    x = 1;
    r3 = __sync_fetch_and_add(&z, 1);
    r1 = y;
    return 0;
}

void *p1(void *arg)
{
    y = 1;
    r4 = __sync_fetch_and_add(&w, 1);
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
    assert(!(r1 == 0 && r2 == 0));
    return 0;
}
