/* A token goes round a ring of SystemC threads: a master and 12 transmitters, each of which adds 1 to it.
 *
 * `token_ring` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/token_ring).
 * Notifications are immediate and all threads are runnable at the start, so a notification can be lost and
 * the token be stuck.
 *
 * Property: when the token comes back to the master, 12 has been added to it.
 * Mutant: the last transmitter adds 2.
 * State space: large: the token is an input.
 */
#include <assert.h>
#include <sc_coop.h>

extern int __VERIFIER_nondet_int(void);

sc_event to1, to2, to3, to4, to5, to6, to7, to8, to9, to10, to11, to12, back;
int token, sent;

void master(void *argument)
{
    for (;;) {
        token = __VERIFIER_nondet_int();
        sent = token;
        sc_notify(to1);
        sc_wait_event(back);
        assert(token == sent + 12);
    }
}

void transmitter1(void *argument)
{
    for (;;) {
        sc_wait_event(to1);
        token += 1;
        sc_notify(to2);
    }
}

void transmitter2(void *argument)
{
    for (;;) {
        sc_wait_event(to2);
        token += 1;
        sc_notify(to3);
    }
}

void transmitter3(void *argument)
{
    for (;;) {
        sc_wait_event(to3);
        token += 1;
        sc_notify(to4);
    }
}

void transmitter4(void *argument)
{
    for (;;) {
        sc_wait_event(to4);
        token += 1;
        sc_notify(to5);
    }
}

void transmitter5(void *argument)
{
    for (;;) {
        sc_wait_event(to5);
        token += 1;
        sc_notify(to6);
    }
}

void transmitter6(void *argument)
{
    for (;;) {
        sc_wait_event(to6);
        token += 1;
        sc_notify(to7);
    }
}

void transmitter7(void *argument)
{
    for (;;) {
        sc_wait_event(to7);
        token += 1;
        sc_notify(to8);
    }
}

void transmitter8(void *argument)
{
    for (;;) {
        sc_wait_event(to8);
        token += 1;
        sc_notify(to9);
    }
}

void transmitter9(void *argument)
{
    for (;;) {
        sc_wait_event(to9);
        token += 1;
        sc_notify(to10);
    }
}

void transmitter10(void *argument)
{
    for (;;) {
        sc_wait_event(to10);
        token += 1;
        sc_notify(to11);
    }
}

void transmitter11(void *argument)
{
    for (;;) {
        sc_wait_event(to11);
        token += 1;
        sc_notify(to12);
    }
}

void transmitter12(void *argument)
{
    for (;;) {
        sc_wait_event(to12);
        token += 2; /* mutant: was 1 */
        sc_notify(back);
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
    back = sc_event_create();
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
    sc_start();
    return 0;
}
