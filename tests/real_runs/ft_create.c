/* A thread that a thread creates begins in the next instant, as the last. */
#include "note.h"
#include <fthread.h>

ft_event_t e;

void child(void *a)
{
    note(*(int *)a);
    ft_thread_await(e);
    note(5);
}

int three = 3, four = 4;

void parent(void *a)
{
    note(1);
    ft_thread_create(ft_thread_scheduler(), child, 0, &three);
    ft_thread_create(ft_thread_scheduler(), child, 0, &four);
    ft_thread_generate(e);
    note(2);
    ft_thread_cooperate();
    note(6);
    ft_thread_cooperate();
    ft_thread_generate(e);
    note(7);
}

void other(void *a)
{
    note(8);
    ft_thread_cooperate();
    note(9);
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
    ft_thread_create(s, parent, 0, 0);
    ft_thread_create(s, other, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
