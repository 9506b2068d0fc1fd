/* Store buffering, every access under the same mutex.
 * The assertion says that this never happens: r1 == 0 && r2 == 0
 * Expected: SC true, TSO true, PSO true.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r1, r2;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *p0(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    r1 = y;
    pthread_mutex_unlock(&m);
    return 0;
}

void *p1(void *arg)
{
    pthread_mutex_lock(&m);
    y = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    r2 = x;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t0, t1;
    pthread_create(&t0, 0, p0, 0);
    pthread_create(&t1, 0, p1, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!(r1 == 0 && r2 == 0));
    return 0;
}
