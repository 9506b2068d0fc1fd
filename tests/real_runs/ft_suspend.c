/* A suspended thread misses events and finds its time over when it is resumed; to suspend and to resume at
 * once is to suspend. */
#include "note.h"
#include <fthread.h>

ft_event_t e;
ft_thread_t victim;

void waits(void *a)
{
    note(ft_thread_await_n(e, 3));
    note(1);
    note(ft_thread_await(e));
    note(4);
    for (;;) {
        ft_thread_cooperate();
        note(5);
    }
}

void director(void *a)
{
    ft_scheduler_suspend(victim);
    ft_thread_cooperate();
    ft_thread_generate(e);
    ft_thread_cooperate_n(4);
    note(6);
    ft_scheduler_resume(victim);
    ft_thread_cooperate_n(2);
    ft_thread_generate(e);
    note(7);
    ft_scheduler_resume(victim);
    ft_scheduler_suspend(victim);
    ft_thread_cooperate_n(2);
    note(8);
    ft_scheduler_resume(victim);
    ft_thread_cooperate_n(2);
    ft_scheduler_stop(victim);
}

void observer(void *a)
{
    ft_thread_cooperate_n(20);
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    e = ft_event_create(s);
    victim = ft_thread_create(s, waits, 0, 0);
    ft_thread_create(s, director, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
