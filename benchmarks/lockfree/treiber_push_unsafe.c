/* Treiber's lock-free stack: two threads push heap nodes, then the main thread counts them.
 *
 * R. K. Treiber, "Systems programming: coping with parallelism", IBM Research Report RJ 5118, 1986.
 *
 * Property: no node is lost.
 * Mutant: the new node is put on top although the stack has changed meanwhile.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top = NULL;

void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do {
        n->next = old;
    } while (atomic_exchange(&top, n) == n); /* mutant: was a failed compare-and-swap */
}

struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    while (old != NULL && !atomic_compare_exchange_strong(&top, &old, old->next));
    return old;
}

void *pusher(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        struct node *n = malloc(sizeof(struct node));
        n->value = i;
        push(n);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct node *n;
    int sum = 0;
    pthread_create(&a, 0, pusher, 0);
    pthread_create(&b, 0, pusher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    for (n = pop(); n != NULL; n = pop()) {
        sum += n->value;
        free(n);
    }
    assert(sum == 6);
    return 0;
}
