/* A method runs at the start unless it is told not to, then whenever an event of its sensitivity comes; it
 * does not trigger itself. */
#include "note.h"
#include <sc_coop.h>

sc_event e, f;

void eager(void *a)
{
    note(1);
    sc_notify(e);
}

void lazy(void *a)
{
    note(2);
    sc_notify(f);
}

void driver(void *a)
{
    sc_wait_time(1);
    note(3);
    sc_notify(f);
    sc_wait_time(1);
    note(4);
    sc_notify(e);
}

int main(void)
{
    e = sc_event_create();
    f = sc_event_create();
    sc_process first = sc_method(eager, 0);
    sc_sensitive(first, e);
    sc_process second = sc_method(lazy, 0);
    sc_sensitive(second, e);
    sc_sensitive(second, f);
    sc_dont_initialize(second);
    sc_thread(driver, 0);
    sc_start();
    RESULT();
    return 0;
}
