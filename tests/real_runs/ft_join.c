/* Joining a thread that ends in this instant, before or after the joiner has its turn, one that has ended,
 * and one that takes too long. */
#include "note.h"
#include <fthread.h>

ft_thread_t brief, slow;

void first(void *a)
{
    note(ft_thread_join(brief));
    note(1);
    note(ft_thread_join_n(slow, 2));
    note(ft_thread_join_n(slow, 4));
    note(ft_thread_join_n(brief, 1));
}

void ends_at_once(void *a) { note(7); }

void ends_later(void *a)
{
    ft_thread_cooperate_n(4);
    note(8);
}

void observer(void *a)
{
    ft_thread_cooperate_n(12);
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    ft_thread_create(s, first, 0, 0);
    brief = ft_thread_create(s, ends_at_once, 0, 0);
    slow = ft_thread_create(s, ends_later, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
