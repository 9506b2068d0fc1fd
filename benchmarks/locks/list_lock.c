/* Linked stack of heap nodes under a mutex; two threads push two nodes each.
 *
 * Property: no node is lost: the list has all four of them.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node *head = NULL;

void push(int value)
{
    struct node *n = malloc(sizeof(struct node));
    n->value = value;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
}

void *pusher(void *arg)
{
    push(1);
    push(2);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int sum = 0;
    pthread_create(&a, 0, pusher, 0);
    pthread_create(&b, 0, pusher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    while (head != NULL) {
        struct node *n = head;
        sum += n->value;
        head = n->next;
        free(n);
    }
    assert(sum == 6);
    return 0;
}
