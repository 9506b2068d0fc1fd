/* Producer and consumer with a one-place buffer for an unbounded number of rounds; a flag passes
 * the buffer back and forth.
 *
 * Property: every item arrives once, complete and in order.
 * Mutant: the flag is set before the item is in the buffer.
 * State space: infinite: the items are numbered without bound.
 */
#include <assert.h>
#include <pthread.h>

int full = 0;                           /* the buffer holds an item */
int buffer;

void *producer(void *arg)
{
    int item = 0;
    while (1) {
        while (full == 1);
        full = 1;                       /* mutant: was after the next line */
        buffer = item;
        item = item + 1;
    }
    return 0;
}

void *consumer(void *arg)
{
    int expected = 0;
    while (1) {
        while (full == 0);
        assert(buffer == expected);
        full = 0;
        expected = expected + 1;
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
