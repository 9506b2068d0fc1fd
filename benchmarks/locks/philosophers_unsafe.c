/* Three dining philosophers; the third one takes its forks in the other order.
 *
 * E. W. Dijkstra, "Hierarchical ordering of sequential processes", Acta Informatica 1, 1971.
 *
 * Property: a fork is in the hands of one philosopher only.
 * Mutant: a philosopher puts the second fork down before it has finished.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t fork0 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t fork1 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t fork2 = PTHREAD_MUTEX_INITIALIZER;
int holder0, holder1, holder2;          /* who eats with each fork */

void eat(pthread_mutex_t *first, pthread_mutex_t *second, int *h1, int *h2, int me)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    *h1 = me;
    *h2 = me;
    pthread_mutex_unlock(second);       /* mutant: was after the next line */
    assert(*h1 == me && *h2 == me);
    pthread_mutex_unlock(first);
}

void *phil0(void *arg)
{
    eat(&fork0, &fork1, &holder0, &holder1, 1);
    return 0;
}

void *phil1(void *arg)
{
    eat(&fork1, &fork2, &holder1, &holder2, 2);
    return 0;
}

void *phil2(void *arg)
{
    eat(&fork0, &fork2, &holder0, &holder2, 3);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, phil0, 0);
    pthread_create(&b, 0, phil1, 0);
    pthread_create(&c, 0, phil2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
