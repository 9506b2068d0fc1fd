/* A heap object is filled by one thread and handed to another one through a shared pointer.
 *
 * Property: the receiver finds the object complete.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct message {
    int kind;
    int payload;
};

struct message *mailbox = NULL;

void *sender(void *arg)
{
    struct message *m = calloc(1, sizeof(struct message));
    m->kind = 1;
    m->payload = 5;
    mailbox = m;
    return 0;
}

void *receiver(void *arg)
{
    while (mailbox == NULL);
    assert(mailbox->kind == 1);
    assert(mailbox->payload == 5);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(mailbox);
    return 0;
}
