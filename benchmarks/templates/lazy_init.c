/* Lazy initialisation with a second look under the lock.
 *
 * Property: what everybody uses is initialised, once.
 * Invariant: ready implies made, and made is raised by at most one thread, under the lock.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ready = 0, made = 0;

void *user(void *arg)
{
    if (!ready) {
        pthread_mutex_lock(&mutex);
        if (!ready) {
            assert(made == 0);
            made = 1;
            ready = 1;
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(made == 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, user, 0);
}
