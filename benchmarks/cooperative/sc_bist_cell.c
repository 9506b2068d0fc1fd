/* A cell for self-tests in hardware: gates between four inputs and an output, as a SystemC method.
 *
 * `bist_cell` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/bist_cell). A
 * thread sets the inputs here.
 *
 * Property: with all inputs set the output is not.
 * State space: finite.
 */
#include <assert.h>
#include <sc_coop.h>

sc_signal b0, b1, d0, d1, z;

void cell(void *argument)
{
    int first = !(sc_signal_read(&b0) && sc_signal_read(&d1));
    int second = !(sc_signal_read(&d0) && sc_signal_read(&b1));
    int none = !(first || second);
    int both = first && second;
    sc_signal_write(&z, !(both || none));
}

void stimulus(void *argument)
{
    sc_signal_write(&b0, 1);
    sc_signal_write(&b1, 1);
    sc_signal_write(&d0, 1);
    sc_signal_write(&d1, 1);
}

int main(void)
{
    sc_signal_init(&b0, 0);
    sc_signal_init(&b1, 0);
    sc_signal_init(&d0, 0);
    sc_signal_init(&d1, 0);
    sc_signal_init(&z, 0);
    sc_thread(stimulus, 0);
    sc_process process = sc_method(cell, 0);
    sc_sensitive(process, sc_signal_event(&b0));
    sc_sensitive(process, sc_signal_event(&b1));
    sc_sensitive(process, sc_signal_event(&d0));
    sc_sensitive(process, sc_signal_event(&d1));
    sc_dont_initialize(process);
    sc_start();
    assert(sc_signal_read(&z) == 0);
    return 0;
}
