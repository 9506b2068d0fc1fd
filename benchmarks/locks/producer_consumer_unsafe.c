/* Producer and consumer with a one-place buffer under a mutex, three items.
 *
 * Property: the items arrive complete and in order.
 * Mutant: the producer overwrites an item that was not consumed.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int full = 0;                           /* the buffer holds an item */
int buffer;

void *producer(void *arg)
{
    int item = 1;
    while (item <= 3) {
        pthread_mutex_lock(&m);
        if (full <= 1) {                /* mutant: was full == 0 */
            buffer = item;
            full = 1;
            item++;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *consumer(void *arg)
{
    int expected = 1;
    while (expected <= 3) {
        pthread_mutex_lock(&m);
        if (full == 1) {
            assert(buffer == expected);
            full = 0;
            expected++;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
