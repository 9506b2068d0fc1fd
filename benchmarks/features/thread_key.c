/* Thread-specific data under a key: every thread finds what it has stored itself.
 *
 * Property: a thread finds its own pointer.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
void *last;                             /* what was stored last by any thread */
int id[2] = {0, 1};

void *worker(void *arg)
{
    last = arg;
    pthread_setspecific(key, arg);
    assert(pthread_getspecific(key) == arg);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_key_create(&key, 0);
    pthread_create(&a, 0, worker, &id[0]);
    pthread_create(&b, 0, worker, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
