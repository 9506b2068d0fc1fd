/* A token goes round a ring of SystemC threads: a master and 2 transmitters, each of which adds 1 to it.
 *
 * `token_ring` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C (systemc/token_ring).
 * Notifications are immediate and all threads are runnable at the start, so a notification can be lost and
 * the token be stuck.
 *
 * Property: when the token comes back to the master, 2 has been added to it.
 * Mutant: the last transmitter adds 2.
 * State space: large: the token is an input.
 */
#include <assert.h>
#include <sc_coop.h>

extern int __VERIFIER_nondet_int(void);

sc_event to1, to2, back;
int token, sent;

void master(void *argument)
{
    for (;;) {
        token = __VERIFIER_nondet_int();
        sent = token;
        sc_notify(to1);
        sc_wait_event(back);
        assert(token == sent + 2);
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
        token += 2; /* mutant: was 1 */
        sc_notify(back);
    }
}

int main(void)
{
    to1 = sc_event_create();
    to2 = sc_event_create();
    back = sc_event_create();
    sc_thread(master, 0);
    sc_thread(transmitter1, 0);
    sc_thread(transmitter2, 0);
    sc_start();
    return 0;
}
