/* At most one of two compare-and-swaps from the same value succeeds.
 * The assertion says that this never happens: r1 == 1 && r2 == 1
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x;
int r1, r2;

void *p0(void *arg)
{
    r1 = __sync_bool_compare_and_swap(&x, 0, 1);
    return 0;
}

void *p1(void *arg)
{
    r2 = __sync_bool_compare_and_swap(&x, 0, 2);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r1 == 1 && r2 == 1));
    return 0;
}
