/* Reference counting by any number of owners, who come only while somebody else is there.
 *
 * Property: the object is not used after it was destroyed.
 * Mutant: an owner comes without looking whether anybody is there.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int references = 1, destroyed = 0;

static void drop(void)
{
    int left;
    __VERIFIER_atomic_begin();
    references = references - 1;
    left = references;
    __VERIFIER_atomic_end();
    if (left == 0)
        destroyed = 1;
}

void *owner(void *arg)
{
    __VERIFIER_atomic_begin();
    /* mutant: was __VERIFIER_assume(references > 0); */
    references = references + 1;
    __VERIFIER_atomic_end();
    assert(!destroyed);
    drop();
    return 0;
}

void *first(void *arg)
{
    drop();
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    while (1)
        pthread_create(&t, 0, owner, 0);
}
