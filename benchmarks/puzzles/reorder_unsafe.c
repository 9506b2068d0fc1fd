/* Two setters write a pair of variables, a checker reads the pair; all hold a mutex.
 *
 * Property: the checker sees either none or both of the writes.
 * Mutant: the lock is released between the two writes.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a = 0, b = 0;

void *setter(void *arg)
{
    pthread_mutex_lock(&m);
    a = 1;
    pthread_mutex_unlock(&m); pthread_mutex_lock(&m); /* mutant: this line was not there */
    b = -1;
    pthread_mutex_unlock(&m);
    return 0;
}

void *checker(void *arg)
{
    pthread_mutex_lock(&m);
    int seen_a = a;
    int seen_b = b;
    pthread_mutex_unlock(&m);
    assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
    return 0;
}

int main(void)
{
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, setter, 0);
    pthread_create(&t2, 0, setter, 0);
    pthread_create(&t3, 0, checker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
