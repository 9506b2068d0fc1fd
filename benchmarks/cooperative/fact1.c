/* A factorial by two fair threads: one hands out the factors, the other multiplies them, two events keep
 * them in step.
 *
 * After the first of the `fact` programs in A. Cimatti, I. Narasamdya, M. Roveri, "Software model checking
 * with explicit scheduler and symbolic threads" (2012), Section 6, whose sources are not public: rebuilt
 * from the description there, where bad synchronisation that would end in a deadlock is an assertion.
 *
 * An event is present until the end of the instant, so the multiplier cooperates before it waits for the
 * next factor.
 *
 * Property: every factor is multiplied exactly once: none is handed out while another one is pending, none
 *   is taken twice.
 * State space: finite.
 */
#include <assert.h>
#include <fthread.h>

#define N 5

ft_event_t next, multiplied;
unsigned factor, product = 1;
int pending = 0, finished = 0;

void counter(void *arguments)
{
    for (int i = N; i > 1; i--) {
        assert(!pending);
        factor = i;
        pending = 1;
        ft_thread_generate(next);
        ft_thread_await(multiplied);
        ft_thread_cooperate();
    }
    finished = 1;
    ft_thread_generate(next);
}

void multiplier(void *arguments)
{
    for (;;) {
        ft_thread_await(next);
        if (finished)
            return;
        assert(pending);
        product = product * factor;
        pending = 0;
        ft_thread_generate(multiplied);
        ft_thread_cooperate();
    }
}

int main(void)
{
    ft_scheduler_t scheduler = ft_scheduler_create();
    next = ft_event_create(scheduler);
    multiplied = ft_event_create(scheduler);
    ft_thread_create(scheduler, counter, 0, 0);
    ft_thread_create(scheduler, multiplier, 0, 0);
    ft_scheduler_start(scheduler);
    ft_exit();
    return 0;
}
