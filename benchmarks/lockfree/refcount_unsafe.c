/* Reference counting: three owners drop an object; whoever drops the last reference destroys it.
 *
 * Property: the object is destroyed exactly once, and nobody uses it afterwards.
 * Mutant: counting down and looking at the result are separate steps.
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
    references = references - 1;
    if (references == 0) {              /* mutant: was atomic_fetch_sub */
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
