/* An immediate notification reaches those who wait and nobody else: who comes later, or is runnable already,
 * has missed it. */
#include "note.h"
#include <sc_coop.h>

sc_event e;

void waiter(void *a)
{
    note(1);
    sc_wait_event(e);
    note(2);
}

void notifier(void *a)
{
    note(3);
    sc_notify(e);
    note(4);
    sc_notify(e);
}

int main(void)
{
    e = sc_event_create();
    sc_thread(waiter, 0);
    sc_thread(notifier, 0);
    sc_start();
    note(9);
    RESULT();
    return 0;
}
