/* Reference counting: three owners drop an object; whoever drops the last reference destroys it.
 *
 * Property: the object is destroyed exactly once, and nobody uses it afterwards.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int references = 3;
int alive = 1;
int destroyed = 0;

void *owner(void *arg)
{
    assert(alive == 1);
    if (atomic_fetch_sub(&references, 1) == 1) {
        alive = 0;
        destroyed++;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, owner, 0);
    pthread_create(&c, 0, owner, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(destroyed == 1);
    return 0;
}
