/* The main thread ends by pthread_exit; the other threads go on, but main's next statement is never
 * executed.
 *
 * Property: the statement after pthread_exit has no effect.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x = 0;

void *worker(void *arg)
{
    while (x == 0);
    assert(x == 1);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    x = 1;
    pthread_exit(0);
    x = 2;
    return 0;
}
