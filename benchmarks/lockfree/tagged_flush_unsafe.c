/* A lock-free stack whose nodes are freed, with a version in the unused bits of the pointer to its top.
 *
 * R. K. Treiber, "Systems programming: coping with parallelism", IBM Research Report RJ 5118, 1986.
 *
 * Nodes are freed while nobody reads them. A node that is allocated later may get the address of one that was
 * freed; the version tells the two apart, so that the compare-and-swap need not be among what is protected.
 *
 * Property: what is on the stack at the end is the node that was pushed last, or nothing.
 * State space: finite.
 * Mutant: the version never changes, and the compare-and-swap takes a new node at the address of the old one
 * for the old one and puts a freed node on top.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    uintptr_t next;
};

#define VERSION 7                       /* the bits of an address that are always 0 */

_Atomic uintptr_t top = 0;              /* address and version */
atomic_int reading = 0;
struct node *pushed;

struct node *address(uintptr_t word)
{
    return (struct node *)(word & ~(uintptr_t)VERSION);
}

/* A word for a node that is one version further. */
uintptr_t after(uintptr_t word, struct node *n)
{
    return (uintptr_t)n | (word & VERSION); /* mutant: was word + 1 */
}

void push(struct node *n)
{
    uintptr_t old = atomic_load(&top);
    do {
        n->next = (uintptr_t)address(old);
    } while (!atomic_compare_exchange_strong(&top, &old, after(old, n)));
}

/* Pops one node, if there is one, and keeps it. */
void *popper(void *arg)
{
    uintptr_t old, next = 0;
    atomic_store(&reading, 1);
    old = atomic_load(&top);
    if (address(old) != NULL)
        next = address(old)->next;
    atomic_store(&reading, 0);
    if (address(old) != NULL)
        atomic_compare_exchange_strong(&top, &old, after(old, (struct node *)next));
    return 0;
}

/* Takes all nodes, frees them and pushes a new one. */
void *flusher(void *arg)
{
    uintptr_t old = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &old, after(old, NULL)));
    while (atomic_load(&reading));
    struct node *list = address(old);
    while (list != NULL) {
        struct node *next = address(list->next);
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
    struct node *last = address(atomic_load(&top));
    assert(last == NULL || last == pushed);
    return 0;
}
