/* Bounded buffer with two places and two condition variables; one producer of four items, two
 * consumers of two items each.
 *
 * C. A. R. Hoare, "Monitors: an operating system structuring concept", CACM 17(10), 1974.
 *
 * Property: no item is taken from an empty buffer or put into a full one, and none is lost.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
int buffer[2];
int count = 0, in = 0, out = 0;
int sum = 0;                            /* of all items taken */

void *producer(void *arg)
{
    for (int item = 1; item <= 4; item++) {
        pthread_mutex_lock(&m);
        while (count == 2)
            pthread_cond_wait(&not_full, &m);
        assert(count < 2);
        buffer[in] = item;
        in = 1 - in;
        count++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *consumer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (count == 0)
            pthread_cond_wait(&not_empty, &m);
        assert(count > 0);
        sum += buffer[out];
        out = 1 - out;
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(sum == 10);
    return 0;
}
