/* Broadcasts come at the beginning of the next instant, those of main with the first one; the last of
 * several values is the first. */
#include "note.h"
#include <fthread.h>

ft_event_t e;
int one = 1, two = 2, three = 3;

void listener(void *a)
{
    void *got;
    note(ft_thread_await(e));
    note(ft_thread_get_value(e, 0, &got));
    note(*(int *)got);
    ft_thread_cooperate();
    note(ft_thread_await(e));
    note(ft_thread_get_value(e, 0, &got));
    note(*(int *)got);
    note(ft_thread_get_value(e, 1, &got));
    note(*(int *)got);
}

void sender(void *a)
{
    ft_thread_cooperate();
    note(7);
    ft_scheduler_broadcast_value(e, &two);
    ft_scheduler_broadcast(e);
    ft_scheduler_broadcast_value(e, &three);
    note(8);
}

void observer(void *a)
{
    ft_thread_cooperate_n(8);
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    e = ft_event_create(s);
    ft_thread_create(s, listener, 0, 0);
    ft_thread_create(s, sender, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_broadcast_value(e, &one);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
