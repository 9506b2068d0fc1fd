/* A delta notification comes after all have had their turn, so that nobody misses it. */
#include "note.h"
#include <sc_coop.h>

sc_event e;

void waiter(void *a)
{
    note(1);
    sc_wait_event(e);
    note(2);
    sc_wait_time(0);
    note(3);
}

void notifier(void *a)
{
    note(4);
    sc_notify_delta(e);
    sc_notify_delta(e);
    sc_wait_event(e);
    note(5);
}

int main(void)
{
    e = sc_event_create();
    sc_thread(waiter, 0);
    sc_thread(notifier, 0);
    sc_start();
    RESULT();
    return 0;
}
