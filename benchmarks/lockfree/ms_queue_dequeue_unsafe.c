/* Michael and Scott's lock-free queue: one thread enqueues while two others dequeue.
 *
 * M. M. Michael, M. L. Scott, "Simple, fast, and practical non-blocking and blocking concurrent
 * queue algorithms", PODC 1996. Static nodes that are never reused, so pointers need no version
 * count.
 *
 * Property: every value is dequeued at most once.
 * Mutant: the head is moved although another thread has moved it meanwhile.
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
        if (atomic_exchange(&head, next) != NULL) /* mutant: was a compare-and-swap */
            return value;
    }
}
int taken[4];

void *enqueuer(void *arg)
{
    enqueue(&nodes[2]);
    return 0;
}

void *dequeuer(void *arg)
{
    int v = dequeue();
    assert(taken[v] == 0);
    if (v != 0)
        taken[v] = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    nodes[1].value = 1;
    nodes[2].value = 2;
    enqueue(&nodes[1]);
    pthread_create(&a, 0, enqueuer, 0);
    pthread_create(&b, 0, dequeuer, 0);
    pthread_create(&c, 0, dequeuer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(taken[1] == 1);
    return 0;
}
