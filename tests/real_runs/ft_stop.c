/* A thread that is stopped cleans up in its next turn and ends, also one that waits; one that has had no
 * turn yet has its first. */
#include "note.h"
#include <fthread.h>

ft_event_t e;
ft_thread_t waiting, cooperating;

void clean_up(void *a) { note(*(int *)a); }

void waits(void *a)
{
    note(1);
    ft_thread_await(e);
    note(9);
}

void cooperates(void *a)
{
    for (;;)
        ft_thread_cooperate();
}

int three = 3, four = 4, five = 5;

void starts(void *a)
{
    note(6);
    ft_thread_cooperate();
    note(9);
}

void killer(void *a)
{
    ft_thread_cooperate();
    note(2);
    ft_scheduler_stop(waiting);
    ft_scheduler_stop(cooperating);
    note(ft_thread_join(waiting));
    ft_thread_t fresh = ft_thread_create(ft_thread_scheduler(), starts, clean_up, &five);
    ft_scheduler_stop(fresh);
    note(ft_thread_join(fresh));
    note(ft_thread_join(cooperating));
}

void observer(void *a)
{
    ft_thread_cooperate_n(10);
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    e = ft_event_create(s);
    waiting = ft_thread_create(s, waits, clean_up, &three);
    cooperating = ft_thread_create(s, cooperates, clean_up, &four);
    ft_thread_create(s, killer, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
