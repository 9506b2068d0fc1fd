/* As ft_ending, in an instant that begins with a broadcast: what was broadcast does not count as a move of
 * the first pass. */
#include "note.h"
#include <fthread.h>

ft_thread_t brief;
ft_event_t e, f;
int one = 1;

void reader(void *a)
{
    void *got;
    note(ft_thread_join(brief));
    note(4);
    note(ft_thread_get_value(e, 0, &got));
    note(5);
}

void source(void *a)
{
    note(ft_thread_join(brief));
    note(6);
    ft_thread_generate_value(e, &one);
    note(7);
}

void ends(void *a) { note(8); }

void observer(void *a)
{
    ft_thread_cooperate_n(6);
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    e = ft_event_create(s);
    f = ft_event_create(s);
    ft_scheduler_broadcast(f);
    ft_thread_create(s, reader, 0, 0);
    ft_thread_create(s, source, 0, 0);
    brief = ft_thread_create(s, ends, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
