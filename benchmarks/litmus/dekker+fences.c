/* Dekker's algorithm with full fences after the flag is raised; on leaving, the flag may go down
 * before the store of the critical section is visible.
 * The assertion says that this never happens: r1 == 2 || r2 == 1
 * Expected: SC true, TSO true, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int turn, x, y, z;
int r1, r2;

void *p0(void *arg)
{
    x = 1;
    atomic_thread_fence(memory_order_seq_cst);
    while (y == 1) {
        if (turn != 1) {
            x = 0;
            while (turn != 1);
            x = 1;
            atomic_thread_fence(memory_order_seq_cst);
        }
    }
    z = 1;
    r1 = z;
    turn = 2;
    x = 0;
    return 0;
}

void *p1(void *arg)
{
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    while (x == 1) {
        if (turn != 2) {
            y = 0;
            while (turn != 2);
            y = 1;
            atomic_thread_fence(memory_order_seq_cst);
        }
    }
    z = 2;
    r2 = z;
    turn = 1;
    y = 0;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    turn = 1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r1 == 2 || r2 == 1));
    return 0;
}
