/* Error-checking mutex: locking twice and unlocking what another thread holds are reported.
 *
 * Property: the calls return the codes that POSIX demands.
 * Mutant: a recursive mutex may be locked twice by the same thread.
 * State space: finite.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m;

void *stranger(void *arg)
{
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE); /* mutant: was ERRORCHECK */
    pthread_mutex_init(&m, &attr);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    pthread_create(&a, 0, stranger, 0);
    pthread_join(a, 0);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}
