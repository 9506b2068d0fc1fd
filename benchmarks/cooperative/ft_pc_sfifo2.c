/* A producer and a consumer with a buffer of one place, as fair threads; a third thread is the channel,
 * which tells them of a change one instant later.
 *
 * `pc-sfifo2` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), where the channel does so in its update phase, adapted to FairThreads as
 * in A. Cimatti, I. Narasamdya, M. Roveri, "Software model checking with explicit scheduler and symbolic
 * threads" (2012), Section 6.
 *
 * Property: what was read is what was written last, and as much was read as written.
 * State space: infinite.
 */
#include <assert.h>
#include <fthread.h>

extern int __VERIFIER_nondet_int(void);

ft_event_t changed, was_written, was_read;
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
        ft_thread_generate(changed);
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
        ft_thread_generate(changed);
        assert(last_read == last_written && reads == writes);
        ft_thread_cooperate();
    }
}

void channel(void *arguments)
{
    for (;;) {
        ft_thread_await(changed);
        ft_thread_cooperate();
        if (empty)
            ft_thread_generate(was_read);
        else
            ft_thread_generate(was_written);
    }
}

int main(void)
{
    ft_scheduler_t scheduler = ft_scheduler_create();
    changed = ft_event_create(scheduler);
    was_written = ft_event_create(scheduler);
    was_read = ft_event_create(scheduler);
    ft_thread_create(scheduler, producer, 0, 0);
    ft_thread_create(scheduler, consumer, 0, 0);
    ft_thread_create(scheduler, channel, 0, 0);
    ft_scheduler_start(scheduler);
    ft_exit();
    return 0;
}
