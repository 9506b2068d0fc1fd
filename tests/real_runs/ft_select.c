/* Waiting for one of several events, with and without a time limit; the mask tells which are present. */
#include "note.h"
#include <fthread.h>

ft_event_t e, f;

void chooser(void *a)
{
    ft_event_t both[2];
    int mask[2] = {0, 0};
    both[0] = e;
    both[1] = f;
    note(ft_thread_select(2, both, mask));
    note(mask[0] + 2 * mask[1] + 4);
    ft_thread_cooperate();
    note(ft_thread_select(2, both, mask));
    note(mask[0] + 2 * mask[1] + 4);
    ft_thread_cooperate();
    note(ft_thread_select_n(2, both, mask, 3));
    note(ft_thread_select_n(2, both, mask, 0));
}

void source(void *a)
{
    ft_thread_cooperate();
    ft_thread_generate(f);
    note(8);
    ft_thread_cooperate();
    ft_thread_generate(e);
    ft_thread_generate(f);
    note(9);
}

void observer(void *a)
{
    ft_thread_cooperate_n(12);
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    e = ft_event_create(s);
    f = ft_event_create(s);
    ft_thread_create(s, chooser, 0, 0);
    ft_thread_create(s, source, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
