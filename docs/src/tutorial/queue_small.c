#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROOM 2
int items[ROOM];
_Atomic unsigned char head, tail; /* the next to take, the next free */

int put(int item)
{
    unsigned char at = tail;
    if ((unsigned char)(at - head) == ROOM)
        return 0;
    items[at % ROOM] = item;
    tail = at + 1;
    return 1;
}

int take(int *item)
{
    unsigned char at = head;
    if (at == tail)
        return 0;
    *item = items[at % ROOM];
    head = at + 1;
    return 1;
}

void *producer(void *arg)
{
    int next = 0;
    while (1)
        if (put(next))
            next = !next;
    return 0;
}

int main(void)
{
    pthread_t thread;
    int item, expected = 0;
    pthread_create(&thread, 0, producer, 0);
    while (1)
        if (take(&item)) {
            assert(item == expected);
            expected = !expected;
        }
}
