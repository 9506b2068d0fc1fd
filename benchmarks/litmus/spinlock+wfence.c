/* A spin lock by atomic exchange, a store-store fence before the release.
 * The assertion says that this never happens: r1 == 2 || r2 == 1
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, z;
int r1, r2;

void *p0(void *arg)
{
    while (__atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST) == 1);
    z = 1;
    r1 = z;
    atomic_thread_fence(memory_order_release);
    x = 0;
    return 0;
}

void *p1(void *arg)
{
    while (__atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST) == 1);
    z = 2;
    r2 = z;
    atomic_thread_fence(memory_order_release);
    x = 0;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r1 == 2 || r2 == 1));
    return 0;
}
