/* A producer and a consumer with a buffer of one place, as SystemC threads that notify each other at once.
 *
 * `pc_sfifo_1` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/pc_sfifo_1).
 *
 * Property: what was read is what was written last, and as much was read as written.
 * Mutant: the consumer leaves the buffer full and reads the same value again.
 * State space: infinite.
 */
#include <assert.h>
#include <sc_coop.h>

extern int __VERIFIER_nondet_int(void);

sc_event was_written, was_read;
int buffer, empty = 1;
int last_written, writes = 0;
int last_read, reads = 0;

void producer(void *argument)
{
    for (;;) {
        if (!empty)
            sc_wait_event(was_read);
        buffer = __VERIFIER_nondet_int();
        last_written = buffer;
        writes++;
        empty = 0;
        sc_notify(was_written);
    }
}

void consumer(void *argument)
{
    for (;;) {
        if (empty)
            sc_wait_event(was_written);
        last_read = buffer;
        reads++;
        /* mutant: was empty = 1; */
        sc_notify(was_read);
        assert(last_read == last_written && reads == writes);
    }
}

int main(void)
{
    was_written = sc_event_create();
    was_read = sc_event_create();
    sc_thread(producer, 0);
    sc_thread(consumer, 0);
    sc_start();
    return 0;
}
