/* 2+2W, the first thread's stores by locked exchange.
 * The assertion says that this never happens: x == 1 && y == 1
 * Expected: SC true, TSO true, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2;

void *p0(void *arg)
{
    r1 = __atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST);
    r2 = __atomic_exchange_n(&y, 2, __ATOMIC_SEQ_CST);
    return 0;
}

void *p1(void *arg)
{
    y = 1;
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
    assert(!(x == 1 && y == 1));
    return 0;
}
