/* Time limits: none left, one instant too few, just enough; the limit is looked at before the event. */
#include "note.h"
#include <fthread.h>

ft_event_t e;

void waiter(void *a)
{
    note(ft_thread_await_n(e, 0));
    note(ft_thread_await_n(e, 2));
    note(ft_thread_await_n(e, 1));
    note(ft_thread_await_n(e, 2));
    note(ft_thread_await_n(e, 0));
    note(ft_thread_cooperate_n(0));
    note(ft_thread_await_n(e, 1));
}

void source(void *a)
{
    ft_thread_cooperate_n(3);
    ft_thread_generate(e);
    note(8);
    ft_thread_cooperate();
    ft_thread_generate(e);
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
    ft_thread_create(s, waiter, 0, 0);
    ft_thread_create(s, source, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
