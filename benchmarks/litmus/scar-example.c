/* The running example of L. Yin, W. Dong, W. Liu, J. Wang, "Scheduling constraint based abstraction
 * refinement for multi-threaded program verification", 2017, Fig. 2.
 * The assertion says that this never happens: r1 == 1 && r2 == 1
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2;

void *p0(void *arg)
{
    x = y + 1;
    r1 = y;
    x = 0;
    return 0;
}

void *p1(void *arg)
{
    y = x + 1;
    r2 = x;
    y = 0;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    x = 1;
    y = 1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r1 == 1 && r2 == 1));
    return 0;
}
