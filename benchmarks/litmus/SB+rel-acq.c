/* Store buffering with release stores and acquire loads.
 * The assertion says that this never happens: r1 == 0 && r2 == 0
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r1, r2;

void *p0(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    r1 = atomic_load_explicit(&y, memory_order_acquire);
    return 0;
}

void *p1(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    r2 = atomic_load_explicit(&x, memory_order_acquire);
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
