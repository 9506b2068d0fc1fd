/* Threads take what they like from a common quota, under a mutex, as long as it lasts.
 *
 * Property: the quota is never overdrawn.
 * Mutant: a thread may ask for something negative, after which others get more than there was.
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
    if (wish == 0)                      /* mutant: was <= */
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
