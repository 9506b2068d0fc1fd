/* Coherence: a store that was overwritten before the read does not win in the end.
 * The assertion says that this never happens: r1 == 2 && x == 1
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x;
int r1;

void *p0(void *arg)
{
    x = 1;
    r1 = x;
    return 0;
}

void *p1(void *arg)
{
    x = 2;
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r1 == 2 && x == 1));
    return 0;
}
