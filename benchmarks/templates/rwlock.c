/* Readers and writers with a lock of the library.
 *
 * Property: a reader sees two variables that writers keep equal as equal.
 * Invariant: while nobody holds the lock for writing, the variables are equal.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int left = 0, right = 0;

void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    left = !left;
    right = left;
    pthread_rwlock_unlock(&lock);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, reader, 0);
        else
            pthread_create(&t, 0, writer, 0);
    }
}
