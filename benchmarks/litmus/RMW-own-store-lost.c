/* A store and an atomic addition of one thread are not torn apart by another addition.
 * The assertion says that this never happens: x == 11 || x == 10
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x;
int r1, r2;

void *p0(void *arg)
{
    x = 4;
    r1 = __sync_fetch_and_add(&x, 1);
    return 0;
}

void *p1(void *arg)
{
    r2 = __sync_fetch_and_add(&x, 10);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(x == 11 || x == 10));
    return 0;
}
