/* Of several notifications of an event one is pending, the earliest: a later one is ignored, an earlier one
 * replaces it, and one for the next delta cycle comes before any time. */
#include "note.h"
#include <sc_coop.h>

sc_event e, f, g;

void chooser(void *a)
{
    sc_notify_after(e, 5);
    sc_notify_after(e, 7);
    sc_notify_after(f, 7);
    sc_notify_after(f, 3);
    sc_notify_after(g, 4);
    sc_notify_delta(g);
    sc_notify_after(g, 1);
}

void wait_e(void *a)
{
    sc_wait_event(e);
    note(1);
    sc_wait_event(e);
    note(8);
}

void wait_f(void *a)
{
    sc_wait_event(f);
    note(2);
    sc_wait_event(f);
    note(8);
}

void wait_g(void *a)
{
    sc_wait_event(g);
    note(3);
    sc_wait_event(g);
    note(8);
}

void ticks(void *a)
{
    for (int i = 0; i < 8; i++) {
        sc_wait_time(1);
        note(0);
    }
}

int main(void)
{
    e = sc_event_create();
    f = sc_event_create();
    g = sc_event_create();
    sc_thread(wait_e, 0);
    sc_thread(wait_f, 0);
    sc_thread(wait_g, 0);
    sc_thread(chooser, 0);
    sc_thread(ticks, 0);
    sc_start();
    RESULT();
    return 0;
}
