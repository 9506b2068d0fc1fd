/* Waiting for any of several events, and for all of them in whatever order and cycle they come. */
#include "note.h"
#include <sc_coop.h>

sc_event e, f;

void any(void *a)
{
    sc_event both[2];
    both[0] = e;
    both[1] = f;
    sc_wait_any(2, both);
    note(1);
    sc_wait_any(2, both);
    note(2);
}

void all(void *a)
{
    sc_event both[2];
    both[0] = e;
    both[1] = f;
    sc_wait_all(2, both);
    note(3);
}

void driver(void *a)
{
    sc_wait_time(1);
    note(4);
    sc_notify(f);
    sc_wait_time(1);
    note(5);
    sc_notify(f);
    sc_wait_time(1);
    note(6);
    sc_notify(e);
}

int main(void)
{
    e = sc_event_create();
    f = sc_event_create();
    sc_thread(any, 0);
    sc_thread(all, 0);
    sc_thread(driver, 0);
    sc_start();
    RESULT();
    return 0;
}
