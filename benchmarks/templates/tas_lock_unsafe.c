/* Test-and-set lock, taken by any number of threads.
 *
 * Property: inside the lock nobody else changes what one has written.
 * Mutant: looking at the lock and taking it are separate steps: two threads see it free.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock = 0;
int data = 0;

void *worker(void *arg)
{
    while (lock)                        /* mutant: was atomic_exchange(&lock, 1) */
        ;
    lock = 1;
    data = 1;
    data = 0;
    assert(data == 0);
    atomic_store(&lock, 0);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
