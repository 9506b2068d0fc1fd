#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int item;
atomic_bool full;

void *producer(void *arg)
{
    int next = 0;
    while (1) {
        while (full)
            ;
        item = next;
        full = 1;
        next++;
    }
}

int main(void)
{
    pthread_t thread;
    int expected = 0;
    pthread_create(&thread, 0, producer, 0);
    while (1) {
        while (!full)
            ;
        assert(item == expected);
        full = 0;
        expected++;
    }
}
