/* Store buffering with three threads, one of them without a fence.
 * The assertion says that this never happens: r1 == 0 && r2 == 0 && r3 == 0
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, z;
int r1, r2, r3;

void *p0(void *arg)
{
    x = 1;
    atomic_thread_fence(memory_order_seq_cst);
    r1 = y;
    return 0;
}

void *p1(void *arg)
{
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    r2 = z;
    return 0;
}

void *p2(void *arg)
{
    z = 1;
    r3 = x;
    return 0;
}

int main(void)
{
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_create(&t2, 0, p2, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(!(r1 == 0 && r2 == 0 && r3 == 0));
    return 0;
}
