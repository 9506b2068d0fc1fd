/* Treiber's lock-free stack with nodes that are given back: the ABA problem.
 *
 * R. K. Treiber, "Systems programming: coping with parallelism", IBM Research Report RJ 5118, 1986.
 *
 * A thread that is about to pop the top node A, with B below, sleeps while another one pops A and B
 * and pushes A back. Its compare-and-swap then succeeds and puts B, which is in use, on top.
 *
 * Property: a node on the stack is in nobody's hands.
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
    while (old != NULL && !atomic_compare_exchange_strong(&top, &old, old->next));
    return old;
}
int used[3];                            /* the node is in the hands of a thread */

/* Pops a node, uses it and gives it back. */
void *user(void *arg)
{
    struct node *n = pop();
    if (n != NULL) {
        assert(used[n->value] == 0);
        used[n->value] = 1;
        used[n->value] = 0;
        push(n);
    }
    return 0;
}

/* Pops two nodes, keeps the second one and gives the first one back. */
void *keeper(void *arg)
{
    struct node *first = pop();
    struct node *second = pop();
    if (second != NULL) {
        assert(used[second->value] == 0);
        used[second->value] = 1;
    }
    if (first != NULL)
        push(first);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct node *n;
    for (int i = 0; i < 3; i++) {
        nodes[i].value = i;
        push(&nodes[i]);
    }
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, keeper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    for (n = pop(); n != NULL; n = pop())
        assert(used[n->value] == 0);
    return 0;
}
