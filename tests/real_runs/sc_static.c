/* A thread with a sensitivity: waiting for nothing in particular, and not hearing of it while it waits for
 * something else. */
#include "note.h"
#include <sc_coop.h>

sc_event e, f;

void sensitive(void *a)
{
    note(1);
    sc_wait();
    note(2);
    sc_wait_event(f);
    note(3);
    sc_wait();
    note(4);
}

void driver(void *a)
{
    sc_wait_time(1);
    sc_notify(e);
    sc_wait_time(1);
    note(5);
    sc_notify(e);
    sc_wait_time(1);
    note(6);
    sc_notify(f);
    sc_wait_time(1);
    note(7);
    sc_notify_delta(e);
}

int main(void)
{
    e = sc_event_create();
    f = sc_event_create();
    sc_process process = sc_thread(sensitive, 0);
    sc_sensitive(process, e);
    sc_dont_initialize(process);
    sc_process other = sc_thread(driver, 0);
    sc_sensitive(other, f);
    sc_start();
    RESULT();
    return 0;
}
