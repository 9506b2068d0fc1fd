/* A producer and a consumer with a buffer of one place, as fair threads that tell each other by events.
 *
 * `pc-sfifo1` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), adapted to FairThreads as in A. Cimatti, I. Narasamdya, M. Roveri,
 * "Software model checking with explicit scheduler and symbolic threads" (2012), Section 6. An event is
 * present until the end of the instant, so each side cooperates after its turn.
 *
 * Property: what was read is what was written last, and as much was read as written.
 * Mutant: the consumer does not cooperate, so what it waits for next is still present, and it reads the same
 *   value again.
 * State space: infinite.
 */
#include <assert.h>
#include <fthread.h>

extern int __VERIFIER_nondet_int(void);

ft_event_t was_written, was_read;
int buffer, empty = 1;
int last_written, writes = 0;
int last_read, reads = 0;

void producer(void *arguments)
{
    for (;;) {
        if (!empty)
            ft_thread_await(was_read);
        buffer = __VERIFIER_nondet_int();
        last_written = buffer;
        writes++;
        empty = 0;
        ft_thread_generate(was_written);
        ft_thread_cooperate();
    }
}

void consumer(void *arguments)
{
    for (;;) {
        if (empty)
            ft_thread_await(was_written);
        last_read = buffer;
        reads++;
        empty = 1;
        ft_thread_generate(was_read);
        assert(last_read == last_written && reads == writes);
        /* mutant: was ft_thread_cooperate(); */
    }
}

int main(void)
{
    ft_scheduler_t scheduler = ft_scheduler_create();
    was_written = ft_event_create(scheduler);
    was_read = ft_event_create(scheduler);
    ft_thread_create(scheduler, producer, 0, 0);
    ft_thread_create(scheduler, consumer, 0, 0);
    ft_scheduler_start(scheduler);
    ft_exit();
    return 0;
}
