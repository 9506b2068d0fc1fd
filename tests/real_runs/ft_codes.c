/* What the functions return when they are given nothing. */
#include "note.h"
#include <fthread.h>

ft_event_t e;

void tries(void *a)
{
    note(ft_thread_await(0));
    note(ft_thread_generate(0));
    note(ft_scheduler_broadcast(0));
    note(ft_thread_join(0));
    note(ft_scheduler_stop(0));
    note(ft_event_create(0) == 0);
    note(ft_thread_create(0, tries, 0, 0) == 0);
    note(ft_thread_self() == (ft_thread_t)0);
    note(ft_thread_cooperate_n(1));
    note(ft_thread_await_n(e, 1));
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    e = ft_event_create(s);
    ft_thread_create(s, tries, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
