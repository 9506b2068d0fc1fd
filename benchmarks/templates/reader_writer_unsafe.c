/* Readers and writers in any number: a writer is alone, readers are together.
 *
 * Property: a reader sees the same value twice.
 * Mutant: a writer does not wait for readers.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int readers = 0, writing = 0;
int data = 0;

void *reader(void *arg)
{
    int first, second;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(writing == 0);
    readers = readers + 1;
    __VERIFIER_atomic_end();
    first = data;
    second = data;
    assert(first == second);
    __VERIFIER_atomic_begin();
    readers = readers - 1;
    __VERIFIER_atomic_end();
    return 0;
}

void *writer(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(writing == 0);    /* mutant: was && readers == 0 */
    writing = 1;
    __VERIFIER_atomic_end();
    data = !data;
    writing = 0;
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
