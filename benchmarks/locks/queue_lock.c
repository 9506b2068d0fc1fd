/* Circular queue with two places under a mutex; one thread enqueues three items, another one
 * dequeues them.
 *
 * Property: first in, first out; no item is lost.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int queue[2];
int head = 0, length = 0;

int enqueue(int value)
{
    int done = 0;
    pthread_mutex_lock(&m);
    if (length < 2) {
        queue[(head + length) % 2] = value;
        length++;
        done = 1;
    }
    pthread_mutex_unlock(&m);
    return done;
}

int dequeue(int *value)
{
    int done = 0;
    pthread_mutex_lock(&m);
    if (length > 0) {
        *value = queue[head];
        head = (head + 1) % 2;
        length--;
        done = 1;
    }
    pthread_mutex_unlock(&m);
    return done;
}

void *enqueuer(void *arg)
{
    for (int i = 1; i <= 3; i++)
        while (!enqueue(i));
    return 0;
}

void *dequeuer(void *arg)
{
    int value;
    for (int i = 1; i <= 3; i++) {
        while (!dequeue(&value));
        assert(value == i);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enqueuer, 0);
    pthread_create(&b, 0, dequeuer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
