/* Ticket lock with unsigned 8-bit tickets that wrap around, two threads, two rounds each. At most
 * two tickets are out at any time, so 256 different ones are plenty.
 *
 * Property: mutual exclusion; each thread writes its own mark into x and finds it unchanged.
 * Mutant: ticket 0, drawn after ticket 255, is smaller than the one being served: tickets must be
 *   compared for equality.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uchar next = 254;                /* next ticket to be taken */
atomic_uchar serving = 254;             /* ticket that may enter */
int x;                                  /* written in the critical section */

void *thr1(void *arg)
{
    unsigned char my;
    for (int k = 0; k < 2; k++) {
        my = atomic_fetch_add(&next, 1);
        while (atomic_load(&serving) != my);
        x = 0;
        assert(x <= 0);
        atomic_fetch_add(&serving, 1);
    }
    return 0;
}

void *thr2(void *arg)
{
    unsigned char my;
    for (int k = 0; k < 2; k++) {
        my = atomic_fetch_add(&next, 1);
        while (atomic_load(&serving) < my); /* mutant: was != */
        x = 1;
        assert(x >= 1);
        atomic_fetch_add(&serving, 1);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
