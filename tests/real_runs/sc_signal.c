/* What is written to a signal is read after the update; writing the old value is no change; only the last of
 * two writes counts. */
#include "note.h"
#include <sc_coop.h>

sc_signal s;

void writer(void *a)
{
    sc_signal_write(&s, 5);
    note(sc_signal_read(&s));
    sc_wait_time(1);
    note(sc_signal_read(&s));
    sc_signal_write(&s, 6);
    sc_signal_write(&s, 5);
    sc_wait_time(1);
    sc_signal_write(&s, 7);
    sc_wait_time(0);
    note(sc_signal_read(&s));
}

void watcher(void *a)
{
    for (;;) {
        sc_wait_event(sc_signal_event(&s));
        note(3);
        note(sc_signal_read(&s));
    }
}

int main(void)
{
    sc_signal_init(&s, 2);
    sc_thread(writer, 0);
    sc_thread(watcher, 0);
    sc_start();
    note(sc_signal_read(&s));
    RESULT();
    return 0;
}
