/* Two threads add arbitrary positive amounts to a total under a lock.
 *
 * Property: the total is the sum of both, and larger than before.
 * Mutant: the second amount may be zero.
 * State space: large: arbitrary inputs.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int first, second;
int total = 0;

void *add(void *arg)
{
    int amount = *(int *)arg;
    pthread_mutex_lock(&m);
    total = total + amount;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    first = __VERIFIER_nondet_int();
    second = __VERIFIER_nondet_int();
    __VERIFIER_assume(first > 0 && first < 1000);
    __VERIFIER_assume(second >= 0 && second < 1000); /* mutant: was second > 0 */
    pthread_create(&a, 0, add, &first);
    pthread_create(&b, 0, add, &second);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total == first + second);
    assert(total > first && total > second);
    return 0;
}
