/* Threads return values, a number in one case and a heap object in the other; join hands them over.
 *
 * Property: the main thread gets what the threads returned.
 * Mutant: the second thread changes the number that the first one still needs.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct result {
    int value;
};

int base = 3;

void *as_number(void *arg)
{
    long n = base;
    return (void *)(n * n);
}

void *as_object(void *arg)
{
    struct result *r = malloc(sizeof(struct result));
    base++; r->value = base;            /* mutant: was base + 1 */
    pthread_exit(r);
}

int main(void)
{
    pthread_t a, b;
    void *number;
    void *object;
    pthread_create(&a, 0, as_number, 0);
    pthread_create(&b, 0, as_object, 0);
    pthread_join(a, &number);
    pthread_join(b, &object);
    assert((long)number == 9);
    assert(((struct result *)object)->value == 4);
    free(object);
    return 0;
}
