/* Who is suspended after it has ended is not seen to have ended any more. */
#include "note.h"
#include <fthread.h>

ft_thread_t brief;

void ends(void *a) { note(1); }

void joiner(void *a)
{
    note(ft_thread_join_n(brief, 2));
    ft_scheduler_suspend(brief);
    note(ft_thread_join_n(brief, 2));
    ft_thread_cooperate();
    note(ft_thread_join_n(brief, 2));
    note(5);
}

void observer(void *a)
{
    ft_thread_cooperate_n(10);
    RESULT();
}

int main(void)
{
    ft_scheduler_t s = ft_scheduler_create();
    brief = ft_thread_create(s, ends, 0, 0);
    ft_thread_create(s, joiner, 0, 0);
    ft_thread_create(s, observer, 0, 0);
    ft_scheduler_start(s);
    ft_exit();
    return 0;
}
