/* A stack of unbounded use in an array, with a copy of what lies on top.
 *
 * Property: the copy is what lies on top, as long as something does.
 * Mutant: the copy is not renewed when one item is left.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define HEIGHT 48

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned stack[HEIGHT];
unsigned height;
unsigned top;

void *pusher(void *arg)
{
    while (1) {
        unsigned item = __VERIFIER_nondet_uint();
        pthread_mutex_lock(&m);
        if (height < HEIGHT) {
            stack[height] = item;
            height = height + 1;
            top = item;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *popper(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        if (height > 0) {
            assert(stack[height - 1] == top);
            height = height - 1;
            if (height > 1)             /* mutant */
                top = stack[height - 1];
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, pusher, 0);
    pthread_create(&b, 0, popper, 0);
    return 0;
}
