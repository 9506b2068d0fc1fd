/* Store buffering, both stores by atomic exchange.
 * The assertion says that this never happens: r1 == 0 && r2 == 0
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2, r3, r4;

void *p0(void *arg)
{
    r3 = __atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST);
    r1 = y;
    return 0;
}

void *p1(void *arg)
{
    r4 = __atomic_exchange_n(&y, 1, __ATOMIC_SEQ_CST);
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
