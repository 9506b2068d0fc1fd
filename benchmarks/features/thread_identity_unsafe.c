/* pthread_self and pthread_equal: a lock records which thread owns it.
 *
 * Property: the owner is who it says it is.
 * Mutant: the owner is recorded before the lock is taken.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_t owner;

void *worker(void *arg)
{
    owner = pthread_self();             /* mutant: was after the next line */
    pthread_mutex_lock(&m);
    assert(pthread_equal(owner, pthread_self()));
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
