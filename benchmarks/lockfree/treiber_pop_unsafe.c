/* Treiber's lock-free stack: two threads pop from a stack of three static nodes.
 *
 * R. K. Treiber, "Systems programming: coping with parallelism", IBM Research Report RJ 5118, 1986.
 *
 * Property: no node is popped twice.
 * Mutant: the top is replaced without comparing, so two threads may pop the same node.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top = NULL;
struct node nodes[3];

void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do {
        n->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, n));
}

struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    if (old != NULL) atomic_store(&top, old->next); /* mutant: was a loop of compare-and-swap */
    return old;
}
int taken[3];

void *popper(void *arg)
{
    struct node *n = pop();
    if (n != NULL) {
        assert(taken[n->value] == 0);
        taken[n->value] = 1;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 3; i++) {
        nodes[i].value = i;
        push(&nodes[i]);
    }
    pthread_create(&a, 0, popper, 0);
    pthread_create(&b, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(taken[0] + taken[1] + taken[2] == 2);
    return 0;
}
