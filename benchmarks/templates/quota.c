/* Threads take what they like from a common quota, under a mutex, as long as it lasts.
 *
 * Property: the quota is never overdrawn.
 * Invariant: outside of the mutex the quota is not negative.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int quota = 100;

void *worker(void *arg)
{
    int wish = __VERIFIER_nondet_int();
    if (wish <= 0)
        return 0;
    pthread_mutex_lock(&mutex);
    if (wish <= quota) {
        quota = quota - wish;
        assert(quota >= 0 && quota < 100);
    }
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
