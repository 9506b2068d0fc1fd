/* Recursive mutex: a transfer holds the lock and calls a function that takes it again.
 *
 * Property: an auditor never sees money on its way.
 * Mutant: the transfer lets go of the lock between its two halves.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m;
int left = 2, right = 0;

void add(int *account, int amount)
{
    pthread_mutex_lock(&m);
    *account += amount;
    pthread_mutex_unlock(&m);
}

void *mover(void *arg)
{
    pthread_mutex_lock(&m);
    add(&left, -1);
    pthread_mutex_unlock(&m); pthread_mutex_lock(&m); /* mutant: this line was not there */
    add(&right, 1);
    pthread_mutex_unlock(&m);
    return 0;
}

void *auditor(void *arg)
{
    pthread_mutex_lock(&m);
    assert(left + right == 2);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_create(&a, 0, mover, 0);
    pthread_create(&b, 0, auditor, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
