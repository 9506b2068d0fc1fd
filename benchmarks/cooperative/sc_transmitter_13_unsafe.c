/* A message goes along a chain of SystemC threads: a master and 13 transmitters, the last of which keeps it.
 *
 * `transmitter` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/transmitter).
 * Notifications are immediate and all threads are runnable at the start, so a notification can be lost and
 * the message be stuck.
 *
 * Property: the message never arrives.
 * Mutant: as in the original, it is the arrival that is called an error.
 * State space: finite.
 */
#include <assert.h>
#include <sc_coop.h>

sc_event to1, to2, to3, to4, to5, to6, to7, to8, to9, to10, to11, to12, to13, never;
int hops = 0;

void master(void *argument)
{
    sc_notify(to1);
    for (;;)
        sc_wait_event(never);
}

void transmitter1(void *argument)
{
    for (;;) {
        sc_wait_event(to1);
        hops++;
        sc_notify(to2);
    }
}

void transmitter2(void *argument)
{
    for (;;) {
        sc_wait_event(to2);
        hops++;
        sc_notify(to3);
    }
}

void transmitter3(void *argument)
{
    for (;;) {
        sc_wait_event(to3);
        hops++;
        sc_notify(to4);
    }
}

void transmitter4(void *argument)
{
    for (;;) {
        sc_wait_event(to4);
        hops++;
        sc_notify(to5);
    }
}

void transmitter5(void *argument)
{
    for (;;) {
        sc_wait_event(to5);
        hops++;
        sc_notify(to6);
    }
}

void transmitter6(void *argument)
{
    for (;;) {
        sc_wait_event(to6);
        hops++;
        sc_notify(to7);
    }
}

void transmitter7(void *argument)
{
    for (;;) {
        sc_wait_event(to7);
        hops++;
        sc_notify(to8);
    }
}

void transmitter8(void *argument)
{
    for (;;) {
        sc_wait_event(to8);
        hops++;
        sc_notify(to9);
    }
}

void transmitter9(void *argument)
{
    for (;;) {
        sc_wait_event(to9);
        hops++;
        sc_notify(to10);
    }
}

void transmitter10(void *argument)
{
    for (;;) {
        sc_wait_event(to10);
        hops++;
        sc_notify(to11);
    }
}

void transmitter11(void *argument)
{
    for (;;) {
        sc_wait_event(to11);
        hops++;
        sc_notify(to12);
    }
}

void transmitter12(void *argument)
{
    for (;;) {
        sc_wait_event(to12);
        hops++;
        sc_notify(to13);
    }
}

void transmitter13(void *argument)
{
    for (;;) {
        sc_wait_event(to13);
        assert(0); /* mutant: was hops == 12 */
    }
}

int main(void)
{
    to1 = sc_event_create();
    to2 = sc_event_create();
    to3 = sc_event_create();
    to4 = sc_event_create();
    to5 = sc_event_create();
    to6 = sc_event_create();
    to7 = sc_event_create();
    to8 = sc_event_create();
    to9 = sc_event_create();
    to10 = sc_event_create();
    to11 = sc_event_create();
    to12 = sc_event_create();
    to13 = sc_event_create();
    never = sc_event_create();
    sc_thread(master, 0);
    sc_thread(transmitter1, 0);
    sc_thread(transmitter2, 0);
    sc_thread(transmitter3, 0);
    sc_thread(transmitter4, 0);
    sc_thread(transmitter5, 0);
    sc_thread(transmitter6, 0);
    sc_thread(transmitter7, 0);
    sc_thread(transmitter8, 0);
    sc_thread(transmitter9, 0);
    sc_thread(transmitter10, 0);
    sc_thread(transmitter11, 0);
    sc_thread(transmitter12, 0);
    sc_thread(transmitter13, 0);
    sc_start();
    return 0;
}
