/* Lock-free ring buffer for one producer and one consumer.
 *
 * L. Lamport, "Proving the correctness of multiprocess programs", IEEE Trans. Softw. Eng. 3(2),
 * 1977.
 *
 * Property: the items arrive complete and in order.
 * Mutant: the producer takes the ring for one place larger than it is.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int ring[2];
atomic_int written = 0, taken = 0;      /* how many items so far */

void *producer(void *arg)
{
    for (int i = 0; i < 4; i++) {
        while (atomic_load(&written) - atomic_load(&taken) == 3); /* mutant: was == 2 */
        ring[i % 2] = i;
        atomic_store(&written, i + 1);
    }
    return 0;
}

void *consumer(void *arg)
{
    for (int i = 0; i < 4; i++) {
        while (atomic_load(&written) == i);
        assert(ring[i % 2] == i);
        atomic_store(&taken, i + 1);
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
