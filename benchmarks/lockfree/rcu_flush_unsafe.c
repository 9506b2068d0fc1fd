/* A lock-free stack whose nodes are freed when nobody reads: the simplest read-copy-update.
 *
 * P. E. McKenney, J. D. Slingwine, "Read-copy update: using execution history to solve concurrency problems",
 * Parallel and Distributed Computing and Systems, 1998.
 *
 * A thread that pops says that it reads; whoever takes nodes off the stack waits until nobody does and frees
 * them. A node that is allocated later may get the address of one that was freed, so that the stack looks
 * unchanged to who compares addresses.
 *
 * Property: what is on the stack at the end is the node that was pushed last, or nothing.
 * State space: finite.
 * Mutant: reading ends before the compare-and-swap, which then takes a new node at the address of the old one
 * for the old one and puts a freed node on top.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

_Atomic(struct node *) top = NULL;
atomic_int reading = 0;
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
    atomic_store(&reading, 1);
    old = atomic_load(&top);
    if (old != NULL) {
        next = old->next;
        atomic_store(&reading, 0); /* mutant: was after the compare-and-swap */
        atomic_compare_exchange_strong(&top, &old, next);
    }
    atomic_store(&reading, 0);
    return 0;
}

/* Takes all nodes, frees them and pushes a new one. */
void *flusher(void *arg)
{
    struct node *list = atomic_exchange(&top, NULL);
    while (atomic_load(&reading));
    while (list != NULL) {
        struct node *next = list->next;
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
