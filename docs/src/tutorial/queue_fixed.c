#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROOM 2
int items[ROOM];
atomic_int head, tail; /* the next to take, the next free */

int put(int item)
{
    int at = tail;
    if (at - head == ROOM)
        return 0;
    items[at % ROOM] = item;
    tail = at + 1;
    return 1;
}

int take(int *item)
{
    int at = head;
    if (at == tail)
        return 0;
    *item = items[at % ROOM];
    head = at + 1;
    return 1;
}

void *producer(void *arg)
{
    put(1);
    put(2);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int item;
    pthread_create(&thread, 0, producer, 0);
    if (take(&item))
        assert(item == 1);
    pthread_join(thread, 0);
    return 0;
}
