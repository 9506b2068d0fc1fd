/* C11 threads: a mutex and a condition variable of <threads.h> hand a value from one thread to
 * another.
 *
 * Property: the value is handed over, and the thread returns it.
 * State space: finite.
 */
#include <assert.h>
#include <threads.h>

mtx_t m;
cnd_t filled;
int full = 0;
int box = 0;

int sender(void *arg)
{
    mtx_lock(&m);
    box = 5;
    full = 1;
    cnd_signal(&filled);
    mtx_unlock(&m);
    return 0;
}

int receiver(void *arg)
{
    int value;
    mtx_lock(&m);
    while (full == 0)
        cnd_wait(&filled, &m);
    value = box;
    mtx_unlock(&m);
    return value;
}

int main(void)
{
    thrd_t a, b;
    int result;
    mtx_init(&m, mtx_plain);
    cnd_init(&filled);
    thrd_create(&a, sender, 0);
    thrd_create(&b, receiver, 0);
    thrd_join(a, 0);
    thrd_join(b, &result);
    assert(result == 5);
    return 0;
}
