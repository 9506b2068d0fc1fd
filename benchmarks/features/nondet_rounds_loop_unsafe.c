/* A counter that two threads increase and decrease an arbitrary number of times under a lock.
 *
 * Property: the counter is never negative: only what was added is taken away.
 * Mutant: the supplier may also take something back, even from an empty stock.
 * State space: infinite: the number of rounds is arbitrary.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

extern bool __VERIFIER_nondet_bool(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stock = 0;

void *seller(void *arg)
{
    while (__VERIFIER_nondet_bool()) {
        pthread_mutex_lock(&m);
        if (stock > 0)
            stock = stock - 1;
        assert(stock >= 0);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *supplier(void *arg)
{
    while (__VERIFIER_nondet_bool()) {
        pthread_mutex_lock(&m);
        stock = stock + (__VERIFIER_nondet_bool() ? 1 : -1); /* mutant: was stock + 1 */
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, seller, 0);
    pthread_create(&b, 0, seller, 0);
    pthread_create(&c, 0, supplier, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
