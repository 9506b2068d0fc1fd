/* Any number of servers, each of which lets a helper work.
 *
 * Property: the helpers work one at a time.
 * Invariant: at most one helper is inside, and if one is, the lock is taken.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int working = 0;

void *helper(void *arg)
{
    pthread_mutex_lock(&mutex);
    working++;
    assert(working == 1);
    working--;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *server(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, helper, 0);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, server, 0);
}
