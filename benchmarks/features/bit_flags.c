/* Two threads set different bits of one word.
 *
 * Property: both bits are set at the end, and no other.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint flags = 0;

void *thr1(void *arg)
{
    atomic_fetch_or(&flags, 1u << 0);
    return 0;
}

void *thr2(void *arg)
{
    atomic_fetch_or(&flags, 1u << 3);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(flags == 9u);
    return 0;
}
