/* An event is present until its instant ends: who waits before it, who comes after it, and who comes an
 * instant late. */
#include "note.h"
#include <fthread.h>

ft_event_t e;

void early(void *a)
{
    ft_thread_await(e);
    note(1);
    ft_thread_await(e);
    note(2);
    ft_thread_cooperate();
    note(3);
    ft_thread_await(e);
    note(9);
}

void source(void *a)
{
    ft_thread_cooperate();
    note(4);
    ft_thread_generate(e);
    note(5);
    ft_thread_await(e);
    note(6);
}

void late(void *a)
{
    ft_thread_cooperate_n(2);
    note(7);
    ft_thread_await(e);
    note(9);
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
    ft_thread_create(s, early, 0, 0);
    ft_thread_create(s, source, 0, 0);
    ft_thread_create(s, late, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
