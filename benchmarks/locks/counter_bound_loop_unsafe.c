/* A counter of requests in unbounded loops: one thread counts up to a limit, another one counts
 * down to zero, both under a mutex.
 *
 * Property: the counter stays between 0 and the limit.
 * Mutant: the server also takes a request when there is none.
 * State space: infinite: the counter falls without bound.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int pending = 0;

void *client(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        if (pending < 5)
            pending++;
        if (pending > 5)
            reach_error();
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *server(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        if (pending >= 0)               /* mutant: was pending > 0 */
            pending--;
        if (pending < 0)
            reach_error();
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, client, 0);
    pthread_create(&b, 0, server, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
