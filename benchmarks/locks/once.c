/* pthread_once: three threads need the same initialisation.
 *
 * Property: the initialisation is done exactly once, and before it is needed.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int calls = 0;

void init(void)
{
    calls++;
}

void *worker(void *arg)
{
    pthread_once(&once, init);
    assert(calls == 1);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
