/* A pointer is published after what it points to was written.
 *
 * Property: who finds the pointer finds the value.
 * Mutant: the pointer is published first.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

int object = 0;
int *pointer = 0;

void *writer(void *arg)
{
    pointer = &object;                  /* mutant: was after object = 42; */
    object = 42;
    return 0;
}

void *reader(void *arg)
{
    int *seen = pointer;
    if (seen)
        assert(*seen == 42);
    return 0;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, writer, 0);
        else
            pthread_create(&t, 0, reader, 0);
    }
}
