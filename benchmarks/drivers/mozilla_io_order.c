/* Order of two writes in Mozilla's asynchronous read, fixed.
 *
 * S. Lu, S. Park, E. Seo, Y. Zhou, "Learning from mistakes: a comprehensive study on real world
 * concurrency bug characteristics", ASPLOS 2008. The reader marks a read as pending, its callback
 * marks it as done; if the callback comes first, the reader waits for ever.
 *
 * Property: after the callback has run the read is not pending.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int io_pending = 0;                     /* a read is under way */
int requested = 0;                      /* the read was asked for */
int returned = 0;                       /* the callback has run */

void *reader(void *arg)
{
    io_pending = 1;
    requested = 1;
    while (returned == 0);
    assert(io_pending == 0);
    return 0;
}

void *callback(void *arg)
{
    while (requested == 0);
    io_pending = 0;
    returned = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, callback, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
