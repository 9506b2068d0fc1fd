/* A pipeline of three stages between a source of numbers and a sink, as SystemC methods that go at the
 * rising edge of a clock.
 *
 * `pipeline` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/pipeline).
 * The clock is a thread here.
 *
 * Property: with s = a + b and d = a - b, (s + d) + (s - d) is s + s: after five edges the sink has seen 0.
 * State space: large: the numbers are inputs.
 */
#include <assert.h>
#include <sc_coop.h>

extern int __VERIFIER_nondet_int(void);

sc_signal clock_line, in1, in2, sum, difference, preserved, doubled, zero;
int seen = 0;

int falling(void) { return sc_signal_read(&clock_line) == 0; }

void source(void *argument)
{
    if (falling())
        return;
    sc_signal_write(&in1, __VERIFIER_nondet_int());
    sc_signal_write(&in2, __VERIFIER_nondet_int());
}

void add_and_subtract(void *argument)
{
    if (falling())
        return;
    int a = sc_signal_read(&in1), b = sc_signal_read(&in2);
    sc_signal_write(&sum, a + b);
    sc_signal_write(&difference, a - b);
}

void preserve_and_double(void *argument)
{
    if (falling())
        return;
    int s = sc_signal_read(&sum), d = sc_signal_read(&difference);
    sc_signal_write(&preserved, s);
    sc_signal_write(&doubled, (s + d) + (s - d));
}

void subtract(void *argument)
{
    if (falling())
        return;
    int p = sc_signal_read(&preserved), d = sc_signal_read(&doubled);
    sc_signal_write(&zero, d - (p + p));
}

void sink(void *argument)
{
    if (falling())
        return;
    seen = sc_signal_read(&zero);
}

void clock_thread(void *argument)
{
    int edges = 0;
    for (;;) {
        sc_signal_write(&clock_line, 1);
        sc_wait_time(1);
        edges++;
        if (edges == 5) {
            assert(seen == 0);
            edges = 0;
        }
        sc_signal_write(&clock_line, 0);
        sc_wait_time(1);
    }
}

void stage(void (*run)(void *))
{
    sc_process process = sc_method(run, 0);
    sc_sensitive(process, sc_signal_event(&clock_line));
    sc_dont_initialize(process);
}

int main(void)
{
    sc_signal_init(&clock_line, 0);
    sc_signal_init(&in1, 0);
    sc_signal_init(&in2, 0);
    sc_signal_init(&sum, 0);
    sc_signal_init(&difference, 0);
    sc_signal_init(&preserved, 0);
    sc_signal_init(&doubled, 0);
    sc_signal_init(&zero, 0);
    stage(source);
    stage(add_and_subtract);
    stage(preserve_and_double);
    stage(subtract);
    stage(sink);
    sc_thread(clock_thread, 0);
    sc_start();
    return 0;
}
