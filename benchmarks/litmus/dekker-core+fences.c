/* The entry of Dekker's algorithm without retry, full fences after the flags.
 * The assertion says that this never happens: r1 == 2 || r2 == 1
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, z;
int r1, r2;

void *p0(void *arg)
{
    x = 1;
    atomic_thread_fence(memory_order_seq_cst);
    if (y == 0) {
        z = 1;
        r1 = z;
    }
    return 0;
}

void *p1(void *arg)
{
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    if (x == 0) {
        z = 2;
        r2 = z;
    }
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
