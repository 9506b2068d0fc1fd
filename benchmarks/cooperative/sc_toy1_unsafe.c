/* Two SystemC threads compute on the same data at once, a third writes back what it finds, a method reads it
 * when it has changed.
 *
 * `toy1` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model checking
 * approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/toy1). See sc_toy.
 *
 * Property: a round adds 1.
 * Mutant: that it adds 2 is not allowed for, after it has been allowed for.
 * State space: infinite.
 */
#include <assert.h>
#include <sc_coop.h>

sc_event fresh, computed, done;
sc_signal result;
int latest = 0, data, processed;

void write_loop(void *argument)
{
    sc_wait_time(0); /* the others wait by now */
    for (;;) {
        int before = latest;
        data = latest;
        processed = 0;
        sc_notify(fresh);
        sc_wait_event(done);
        assert(latest == before + 1 || latest == before + 2);
        assert(latest == before + 1); /* mutant: was not there */
    }
}

void compute(void *argument)
{
    for (;;) {
        sc_wait_event(fresh);
        if (!processed) {
            data += 1;
            sc_notify(computed);
        }
    }
}

void write_back(void *argument)
{
    for (;;) {
        sc_wait_event(computed);
        sc_signal_write(&result, data);
        processed = 1;
    }
}

void read_result(void *argument)
{
    latest = sc_signal_read(&result);
    sc_notify(done);
}

int main(void)
{
    fresh = sc_event_create();
    computed = sc_event_create();
    done = sc_event_create();
    sc_signal_init(&result, 0);
    sc_thread(write_loop, 0);
    sc_thread(compute, 0);
    sc_thread(compute, 0);
    sc_thread(write_back, 0);
    sc_process reader = sc_method(read_result, 0);
    sc_sensitive(reader, sc_signal_event(&result));
    sc_dont_initialize(reader);
    sc_start();
    return 0;
}
