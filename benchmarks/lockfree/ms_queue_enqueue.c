/* Michael and Scott's lock-free queue: two threads enqueue, then the main thread dequeues.
 *
 * M. M. Michael, M. L. Scott, "Simple, fast, and practical non-blocking and blocking concurrent
 * queue algorithms", PODC 1996. Static nodes that are never reused, so pointers need no version
 * count.
 *
 * Property: no node is lost or duplicated, and the order of each thread is kept.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

struct node nodes[4];                   /* nodes[0] is the first dummy */
_Atomic(struct node *) head = &nodes[0];
_Atomic(struct node *) tail = &nodes[0];

void enqueue(struct node *n)
{
    struct node *last, *next;
    while (1) {
        last = atomic_load(&tail);
        next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        if (atomic_compare_exchange_strong(&last->next, &next, n))
            break;
    }
    atomic_compare_exchange_strong(&tail, &last, n);
}

/* The value of the oldest node, or 0 when the queue is empty. */
int dequeue(void)
{
    struct node *first, *last, *next;
    int value;
    while (1) {
        first = atomic_load(&head);
        last = atomic_load(&tail);
        next = atomic_load(&first->next);
        if (next == NULL)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next))
            return value;
    }
}

void *enqueuer1(void *arg)
{
    enqueue(&nodes[1]);
    enqueue(&nodes[2]);
    return 0;
}

void *enqueuer2(void *arg)
{
    enqueue(&nodes[3]);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int v1, v2, v3;
    for (int i = 1; i < 4; i++)
        nodes[i].value = i;
    pthread_create(&a, 0, enqueuer1, 0);
    pthread_create(&b, 0, enqueuer2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    v1 = dequeue();
    v2 = dequeue();
    v3 = dequeue();
    assert(v1 + v2 + v3 == 6 && v1 != 2);
    assert(v1 == 1 || v2 == 1);
    assert(dequeue() == 0);
    return 0;
}
