/* Sequence lock: a writer makes the sequence number odd while it writes, readers try again when it
 * was odd or has changed.
 *
 * Ch. Lameter, "Effective synchronization on Linux/NUMA systems", Gelato Conference, 2005.
 *
 * Property: a reader that does not have to try again has seen both writes or none.
 * Mutant: the reader does not see that a write was under way from beginning to end.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

atomic_int sequence = 0;
atomic_int first = 0, second = 0;

void *writer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&first, i);
        atomic_store(&second, i);
        atomic_fetch_add(&sequence, 1);
    }
    return 0;
}

void *reader(void *arg)
{
    int before, after, a, b;
    do {
        before = atomic_load(&sequence);
        a = atomic_load(&first);
        b = atomic_load(&second);
        after = atomic_load(&sequence);
    } while (before != after);          /* mutant: was before % 2 != 0 || */
    if (a != b)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
