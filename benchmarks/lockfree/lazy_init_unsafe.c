/* Lazy initialisation without a lock: every thread may build an object, a compare-and-swap decides
 * which one is used.
 *
 * Property: all threads use the same object, and it is complete.
 * Mutant: a thread replaces an object that another one already uses.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    int value;
};

_Atomic(struct object *) shared = NULL;
struct object *used[2];
int id[2] = {0, 1};

struct object *get(void)
{
    struct object *o = atomic_load(&shared);
    if (o == NULL) {
        struct object *mine = malloc(sizeof(struct object));
        mine->value = 9;
        if (atomic_exchange(&shared, mine) != mine) /* mutant: was a compare-and-swap */
            o = mine;
        else
            free(mine);
    }
    return o;
}

void *worker(void *arg)
{
    struct object *o = get();
    assert(o->value == 9);
    used[*(int *)arg] = o;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, &id[0]);
    pthread_create(&b, 0, worker, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(used[0] == used[1]);
    return 0;
}
