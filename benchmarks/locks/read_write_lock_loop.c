/* Read-write lock made of a writer flag and a reader count, taken in atomic functions; one writer
 * and two readers for ever.
 *
 * Property: what a reader has read does not change while it is in.
 * State space: finite, although the threads run for ever.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

int w = 0;                              /* a writer is in */
int r = 0;                              /* number of readers in */
int x = 0;

void __VERIFIER_atomic_write_lock(void)
{
    __VERIFIER_assume(w == 0 && r == 0);
    w = 1;
}

void __VERIFIER_atomic_read_lock(void)
{
    __VERIFIER_assume(w == 0);
    r = r + 1;
}

void __VERIFIER_atomic_read_unlock(void)
{
    r = r - 1;
}

void *writer(void *arg)
{
    while (1) {
        __VERIFIER_atomic_write_lock();
        x = 3;
        w = 0;
    }
    return 0;
}

void *reader(void *arg)
{
    int seen;
    while (1) {
        __VERIFIER_atomic_read_lock();
        seen = x;
        assert(seen == x);
        __VERIFIER_atomic_read_unlock();
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_create(&c, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
