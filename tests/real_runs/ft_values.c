/* The values of an event: by number, as they come, and one that does not come, which costs an instant. */
#include "note.h"
#include <fthread.h>

ft_event_t e;
int one = 1, two = 2, three = 3;

void reader(void *a)
{
    void *got;
    note(ft_thread_get_value(e, 0, &got));
    note(*(int *)got);
    note(ft_thread_get_value(e, 1, &got));
    note(*(int *)got);
    note(ft_thread_get_value(e, 2, &got));
    note(4);
    note(ft_thread_get_value(e, 0, &got));
    note(*(int *)got);
}

void first_source(void *a)
{
    ft_thread_generate_value(e, &one);
    ft_thread_cooperate();
    note(5);
    ft_thread_generate_value(e, &three);
}

void second_source(void *a)
{
    ft_thread_generate_value(e, &two);
    note(6);
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
    ft_thread_create(s, reader, 0, 0);
    ft_thread_create(s, first_source, 0, 0);
    ft_thread_create(s, second_source, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
