/* Double-checked locking: the lock is taken only when the data does not look initialised.
 *
 * D. C. Schmidt, T. Harrison, "Double-checked locking", PLoP 1996. Correct under sequential
 * consistency.
 *
 * Property: the data is initialised exactly once, and before it is used.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ready = 0;
int data = 0;
int calls = 0;

void *worker(void *arg)
{
    if (ready == 0) {
        pthread_mutex_lock(&m);
        if (ready == 0) {
            calls++;
            data = 42;
            ready = 1;
        }
        pthread_mutex_unlock(&m);
    }
    assert(data == 42);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(calls == 1);
    return 0;
}
