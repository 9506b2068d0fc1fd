/* Stopping procedure of a Bluetooth driver: one thread serves requests for ever, another one stops
 * the driver.
 *
 * S. Qadeer, D. Wu, "KISS: keep it simple and sequential", PLDI 2004. This is the repaired driver:
 * a request is counted before the stopping flag is read.
 *
 * Property: no work is done after the driver has stopped.
 * State space: finite, although the threads run for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int pendingIo = 1;               /* requests in flight, plus one until the driver stops */
int stoppingFlag = 0;                   /* no new requests, please */
int stoppingEvent = 0;                  /* all requests are done */
int stopped = 0;                        /* the driver is gone */

int io_increment(void)
{
    atomic_fetch_add(&pendingIo, 1);
    if (stoppingFlag)
        return -1;
    return 0;
}

void io_decrement(void)
{
    if (atomic_fetch_sub(&pendingIo, 1) == 1)
        stoppingEvent = 1;
}

void *worker(void *arg)
{
    while (1) {
        if (io_increment() == 0) {
            /* work on the request */
            assert(stopped == 0);
        }
        io_decrement();
    }
    return 0;
}

void *stopper(void *arg)
{
    stoppingFlag = 1;
    io_decrement();
    while (stoppingEvent == 0);
    /* release the driver's resources */
    stopped = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, stopper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
