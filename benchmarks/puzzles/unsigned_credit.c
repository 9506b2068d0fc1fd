/* Flow control with unsigned arithmetic: a sender spends credits, a receiver grants them. The test
 * `credits - 1 < 3` holds for 1, 2, 3 credits and not for none, because 0 - 1 wraps around to the
 * largest unsigned number.
 *
 * Property: no more messages are sent than credits were granted.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned credits = 0;
int granted = 0, sent = 0;

void *sender(void *arg)
{
    for (int k = 0; k < 3; k++) {
        pthread_mutex_lock(&m);
        if (credits - 1 < 3) {
            credits = credits - 1;
            sent++;
        }
        assert(sent <= granted);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *receiver(void *arg)
{
    for (int k = 0; k < 2; k++) {
        pthread_mutex_lock(&m);
        credits = credits + 1;
        granted++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
