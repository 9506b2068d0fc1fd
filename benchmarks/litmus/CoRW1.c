/* Coherence: a read does not see a later store of its own thread.
 * The assertion says that this never happens: r1 == 1
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x;
int r1;

void *p0(void *arg)
{
    r1 = x;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t t0;
    pthread_create(&t0, 0, p0, 0);
    pthread_join(t0, 0);
    assert(!(r1 == 1));
    return 0;
}
