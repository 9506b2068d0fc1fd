/* Function pointers: each thread picks an operation from a table and applies it under a lock.
 *
 * Property: the results do not depend on the order of the threads.
 * Mutant: the operations no longer commute.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

typedef int (*operation)(int);

int add_two(int n) { return n + 2; }
int add_three(int n) { return n * 3; }  /* mutant: was n + 3 */

operation table[2] = {add_two, add_three};
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int value = 1;
int id[2] = {0, 1};

void *worker(void *arg)
{
    operation f = table[*(int *)arg];
    pthread_mutex_lock(&m);
    value = f(value);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, &id[0]);
    pthread_create(&b, 0, worker, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (value != 6)
        reach_error();
    return 0;
}
