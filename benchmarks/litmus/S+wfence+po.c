/* Shape S with a store-store fence.
 * The assertion says that this never happens: x == 2 && r1 == 1
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y;
int r1;

void *p0(void *arg)
{
    x = 2;
    atomic_thread_fence(memory_order_release);
    y = 1;
    return 0;
}

void *p1(void *arg)
{
    r1 = y;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(x == 2 && r1 == 1));
    return 0;
}
