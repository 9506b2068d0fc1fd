/* Two mutexes, one inside the other; the data is written under both.
 *
 * Property: the data is what one has written while one holds both.
 * Invariant: at most one thread holds the inner mutex.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
int data = 0;

void *both(void *arg)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    data = 1;
    assert(data == 1);
    data = 0;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return 0;
}

void *one(void *arg)
{
    pthread_mutex_lock(&inner);
    data = 2;
    data = 0;
    pthread_mutex_unlock(&inner);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, both, 0);
        else
            pthread_create(&t, 0, one, 0);
    }
}
