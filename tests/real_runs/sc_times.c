/* All that is due at a time fires at once, in any order; times count from when one begins to wait. */
#include "note.h"
#include <sc_coop.h>

void slow(void *a)
{
    sc_wait_time(3);
    note(1);
    sc_wait_time(3);
    note(2);
}

void quick(void *a)
{
    sc_wait_time(2);
    note(3);
    sc_wait_time(2);
    note(4);
    sc_wait_time(2);
    note(5);
}

int main(void)
{
    sc_thread(slow, 0);
    sc_thread(quick, 0);
    sc_start();
    RESULT();
    return 0;
}
