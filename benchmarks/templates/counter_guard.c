/* A counter that threads raise by compare-and-swap, but not beyond its greatest value.
 *
 * Property: after a successful step the counter is above the value that one had read.
 * Invariant: the counter never falls.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

unsigned char counter = 0;

static int cas(unsigned char old, unsigned char new)
{
    int done = 0;
    __VERIFIER_atomic_begin();
    if (counter == old) {
        counter = new;
        done = 1;
    }
    __VERIFIER_atomic_end();
    return done;
}

void *worker(void *arg)
{
    unsigned char old;
    do {
        old = counter;
        if (old == 255)
            return 0;
    } while (!cas(old, old + 1));
    assert(counter > old);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
