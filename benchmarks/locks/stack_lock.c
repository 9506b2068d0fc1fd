/* Array stack under a mutex; one thread pushes two items, two threads pop.
 *
 * Property: the stack never underflows, and every popped item was pushed.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

void check(int condition)
{
    if (!condition)
        reach_error();
}

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int item[2];
int top = 0;

void *pusher(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        check(top < 2);
        item[top] = 7 + i;
        top++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *popper(void *arg)
{
    pthread_mutex_lock(&m);
    if (top > 0) {
        top--;
        check(top >= 0);
        check(item[top] == 7 || item[top] == 8);
    }
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, pusher, 0);
    pthread_create(&b, 0, popper, 0);
    pthread_create(&c, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
