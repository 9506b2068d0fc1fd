/* A factorial by two fair threads as in fact1, of any number, with counters in the place of a flag.
 *
 * After `fact1-mod` in A. Cimatti, I. Narasamdya, M. Roveri, "Software model checking with explicit
 * scheduler and symbolic threads" (2012), Section 6, whose sources are not public: rebuilt from the
 * description there.
 *
 * Property: when the counter has been told that its factor is multiplied, as many factors have been taken as
 *   were handed out.
 * State space: large: the number is an input.
 */
#include <assert.h>
#include <fthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

ft_event_t next, multiplied;
unsigned factor, product = 1;
unsigned handed_out = 0, taken = 0;
int finished = 0;

void counter(void *arguments)
{
    unsigned n = __VERIFIER_nondet_uint();
    for (unsigned i = n; i > 1; i--) {
        factor = i;
        handed_out++;
        ft_thread_generate(next);
        ft_thread_await(multiplied);
        assert(taken == handed_out);
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
        product = product * factor;
        taken++;
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
