/* An immediate notification takes the pending one away; a notification that was taken back does not come. */
#include "note.h"
#include <sc_coop.h>

sc_event e, f;

void waits_e(void *a)
{
    sc_wait_event(e);
    note(1);
    sc_wait_event(e);
    note(8);
}

void waits_f(void *a)
{
    sc_wait_event(f);
    note(8);
}

void driver(void *a)
{
    sc_wait_time(1);
    sc_notify_after(e, 2);
    sc_notify_delta(f);
    sc_notify(e);
    sc_cancel(f);
    sc_cancel(f);
    note(2);
    sc_wait_time(4);
    note(3);
}

int main(void)
{
    e = sc_event_create();
    f = sc_event_create();
    sc_thread(waits_e, 0);
    sc_thread(waits_f, 0);
    sc_thread(driver, 0);
    sc_start();
    RESULT();
    return 0;
}
