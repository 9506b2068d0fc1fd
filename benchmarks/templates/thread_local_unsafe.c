/* Each thread counts how deep it is in a variable of its own.
 *
 * Property: a thread finds its own depth.
 * Mutant: the variable is shared.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

static int depth = 0;                   /* mutant: was _Thread_local */

static void inner(void)
{
    depth++;
    assert(depth == 2);
    depth--;
}

void *worker(void *arg)
{
    depth++;
    inner();
    depth--;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
