/* Ring buffer whose unsigned positions only ever grow and wrap around; they start close to the
 * largest number.
 *
 * Property: the number of items, head minus tail, is never more than the size.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

unsigned head = 4294967294u, tail = 4294967294u;

void *producer(void *arg)
{
    for (int k = 0; k < 4; k++) {
        while (head - tail == 2u);
        head = head + 1u;
    }
    return 0;
}

void *consumer(void *arg)
{
    for (int k = 0; k < 4; k++) {
        while (head == tail);
        assert(head - tail <= 2u);
        tail = tail + 1u;
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
