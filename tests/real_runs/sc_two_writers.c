/* Two processes write one signal in the same cycle: who comes last wins, and neither sees what the other
 * wrote. */
#include "note.h"
#include <sc_coop.h>

sc_signal s;

void first(void *a)
{
    sc_signal_write(&s, 1);
    note(sc_signal_read(&s));
}

void second(void *a)
{
    sc_signal_write(&s, 2);
    note(sc_signal_read(&s));
}

void changed(void *a)
{
    note(5);
    note(sc_signal_read(&s));
}

int main(void)
{
    sc_signal_init(&s, 0);
    sc_thread(first, 0);
    sc_thread(second, 0);
    sc_process method = sc_method(changed, 0);
    sc_sensitive(method, sc_signal_event(&s));
    sc_dont_initialize(method);
    sc_start();
    RESULT();
    return 0;
}
