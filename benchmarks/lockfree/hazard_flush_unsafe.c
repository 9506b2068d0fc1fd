/* A lock-free stack whose nodes are freed, protected by a hazard pointer.
 *
 * M. M. Michael, "Hazard pointers: safe memory reclamation for lock-free objects", IEEE Transactions on
 * Parallel and Distributed Systems 15(6), 2004.
 *
 * A thread that pops publishes the node that it is about to use; whoever takes nodes off the stack frees
 * them only when nobody uses them. A node that is allocated later may get the address of one that was
 * freed, so that the stack looks unchanged to who compares addresses.
 *
 * Property: what is on the stack at the end is the node that was pushed last, or nothing.
 * State space: finite.
 * Mutant: the node is given up before the compare-and-swap, which then takes a new node at the address of the
 * old one for the old one and puts a freed node on top.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

_Atomic(struct node *) top = NULL;
_Atomic(struct node *) hazard = NULL;
struct node *pushed;

void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do {
        n->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, n));
}

/* Pops one node, if there is one, and keeps it. */
void *popper(void *arg)
{
    struct node *old, *next;
    do {
        old = atomic_load(&top);
        atomic_store(&hazard, old);
    } while (atomic_load(&top) != old);
    if (old != NULL) {
        next = old->next;
        atomic_store(&hazard, NULL); /* mutant: was after the compare-and-swap */
        atomic_compare_exchange_strong(&top, &old, next);
    }
    return 0;
}

/* Takes all nodes, frees them and pushes a new one. */
void *flusher(void *arg)
{
    struct node *list = atomic_exchange(&top, NULL);
    while (list != NULL) {
        struct node *next = list->next;
        while (atomic_load(&hazard) == list);
        free(list);
        list = next;
    }
    pushed = malloc(sizeof(struct node));
    push(pushed);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    push(malloc(sizeof(struct node)));
    push(malloc(sizeof(struct node)));
    pthread_create(&a, 0, popper, 0);
    pthread_create(&b, 0, flusher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    struct node *last = atomic_load(&top);
    assert(last == NULL || last == pushed);
    return 0;
}
