/* An atomic addition makes earlier stores of its thread visible.
 * The assertion says that this never happens: r2 == 1 && r3 == 0
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2, r3;

void *p0(void *arg)
{
    x = 1;
    r1 = __sync_fetch_and_add(&y, 1);
    return 0;
}

void *p1(void *arg)
{
    r2 = __sync_fetch_and_add(&y, 1);
    r3 = x;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r2 == 1 && r3 == 0));
    return 0;
}
