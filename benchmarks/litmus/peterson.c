/* Peterson's algorithm without fences.
 * The assertion says that this never happens: r1 == 2 || r2 == 1
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int turn, x, y, z;
int r1, r2;

void *p0(void *arg)
{
    x = 1;
    turn = 2;
    while (y == 1 && turn == 2);
    z = 1;
    r1 = z;
    x = 0;
    return 0;
}

void *p1(void *arg)
{
    y = 1;
    turn = 1;
    while (x == 1 && turn == 1);
    z = 2;
    r2 = z;
    y = 0;
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
