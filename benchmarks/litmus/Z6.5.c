/* Shape Z6.5: three pairs with two last stores.
 * The assertion says that this never happens: y == 2 && z == 2 && r1 == 0
 * Expected: SC true, TSO false, PSO false.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y, z;
int r1;

void *p0(void *arg)
{
    x = 1;
    y = 1;
    return 0;
}

void *p1(void *arg)
{
    y = 2;
    z = 1;
    return 0;
}

void *p2(void *arg)
{
    z = 2;
    r1 = x;
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
    assert(!(y == 2 && z == 2 && r1 == 0));
    return 0;
}
