/* Any runnable process may be next: three of them, two of which go on after a delta cycle. */
#include "note.h"
#include <sc_coop.h>

void once(void *a) { note(1); }

void twice(void *a)
{
    note(*(int *)a);
    sc_wait_time(0);
    note(*(int *)a + 1);
}

int two = 2, four = 4;

int main(void)
{
    sc_thread(once, 0);
    sc_thread(twice, &two);
    sc_thread(twice, &four);
    sc_start();
    RESULT();
    return 0;
}
