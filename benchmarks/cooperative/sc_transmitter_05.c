/* A message goes along a chain of SystemC threads: a master and 5 transmitters, the last of which keeps it.
 *
 * `transmitter` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/transmitter).
 * Notifications are immediate and all threads are runnable at the start, so a notification can be lost and
 * the message be stuck.
 *
 * Property: the message has come through all transmitters before.
 * State space: finite.
 */
#include <assert.h>
#include <sc_coop.h>

sc_event to1, to2, to3, to4, to5, never;
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
        assert(hops == 4);
    }
}

int main(void)
{
    to1 = sc_event_create();
    to2 = sc_event_create();
    to3 = sc_event_create();
    to4 = sc_event_create();
    to5 = sc_event_create();
    never = sc_event_create();
    sc_thread(master, 0);
    sc_thread(transmitter1, 0);
    sc_thread(transmitter2, 0);
    sc_thread(transmitter3, 0);
    sc_thread(transmitter4, 0);
    sc_thread(transmitter5, 0);
    sc_start();
    return 0;
}
