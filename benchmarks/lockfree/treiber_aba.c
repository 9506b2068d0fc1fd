/* Treiber's lock-free stack with a version count against the ABA problem: nodes are given back.
 *
 * R. K. Treiber, "Systems programming: coping with parallelism", IBM Research Report RJ 5118, 1986.
 *
 * The top is a node number and a version in one word, so that a compare-and-swap fails when the top
 * was changed and changed back.
 *
 * Property: a node on the stack is in nobody's hands.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int next[4];                            /* next[i]: node below node i, 0: none */
atomic_int top = 0;                     /* 4 * version + node */
int used[4];                            /* the node is in the hands of a thread */

void push(int n)
{
    int old = atomic_load(&top);
    do {
        next[n] = old % 4;
    } while (!atomic_compare_exchange_strong(&top, &old, old - old % 4 + 4 + n));
}

int pop(void)
{
    int old = atomic_load(&top);
    while (old % 4 != 0
           && !atomic_compare_exchange_strong(&top, &old, old - old % 4 + 4 + next[old % 4]));
    return old % 4;
}

/* Pops a node, uses it and gives it back. */
void *user(void *arg)
{
    int n = pop();
    if (n != 0) {
        assert(used[n] == 0);
        used[n] = 1;
        used[n] = 0;
        push(n);
    }
    return 0;
}

/* Pops two nodes, keeps the second one and gives the first one back. */
void *keeper(void *arg)
{
    int first = pop();
    int second = pop();
    if (second != 0) {
        assert(used[second] == 0);
        used[second] = 1;
    }
    if (first != 0)
        push(first);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    push(3);
    push(2);
    push(1);
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, keeper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    for (int n = pop(); n != 0; n = pop())
        assert(used[n] == 0);
    return 0;
}
