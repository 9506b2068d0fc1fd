/* The middle thread is cancelled while it waits for the inner one, or after. Its handler tells which.
 *
 * Property: the middle thread either saw the inner one end, or its handler ran.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int inner_done = 0, seen = 0, cleaned = 0;

void clean(void *arg)
{
    cleaned = 1;
}

void *inner(void *arg)
{
    inner_done = 1;
    return 0;
}

void *middle(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
    pthread_cleanup_push(clean, 0);
    pthread_join(t, 0); seen = inner_done; pthread_cleanup_pop(0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, middle, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    assert(seen || cleaned);
    return 0;
}
