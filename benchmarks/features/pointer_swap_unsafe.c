/* Two threads exchange two pointers under a lock.
 *
 * Property: the two pointers still point to both objects.
 * Mutant: the first pointer is read before the lock is taken.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int one = 1, two = 2;
int *left = &one, *right = &two;

void swap(int **p, int **q)
{
    int *tmp;
    tmp = *p;                           /* mutant: was after the next line */
    pthread_mutex_lock(&m);
    *p = *q;
    *q = tmp;
    pthread_mutex_unlock(&m);
}

void *worker(void *arg)
{
    swap(&left, &right);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(left != right);
    assert(*left + *right == 3);
    return 0;
}
