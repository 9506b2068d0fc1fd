/* A token goes round a ring of fair threads: a master and 13 transmitters, each of which adds 1 to it.
 *
 * `token-ring` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), adapted to FairThreads as in A. Cimatti, I. Narasamdya, M. Roveri,
 * "Software model checking with explicit scheduler and symbolic threads" (2012), Section 6. An event is
 * present until the end of the instant, so each thread cooperates after its turn.
 *
 * Property: when the token comes back to the master, 13 has been added to it.
 * Mutant: the last transmitter adds 2.
 * State space: large: the token is an input.
 */
#include <assert.h>
#include <fthread.h>

extern int __VERIFIER_nondet_int(void);

ft_event_t to1, to2, to3, to4, to5, to6, to7, to8, to9, to10, to11, to12, to13, back;
int token, sent;

void master(void *arguments)
{
    for (;;) {
        token = __VERIFIER_nondet_int();
        sent = token;
        ft_thread_generate(to1);
        ft_thread_await(back);
        assert(token == sent + 13);
        ft_thread_cooperate();
    }
}

void transmitter1(void *arguments)
{
    for (;;) {
        ft_thread_await(to1);
        token += 1;
        ft_thread_generate(to2);
        ft_thread_cooperate();
    }
}

void transmitter2(void *arguments)
{
    for (;;) {
        ft_thread_await(to2);
        token += 1;
        ft_thread_generate(to3);
        ft_thread_cooperate();
    }
}

void transmitter3(void *arguments)
{
    for (;;) {
        ft_thread_await(to3);
        token += 1;
        ft_thread_generate(to4);
        ft_thread_cooperate();
    }
}

void transmitter4(void *arguments)
{
    for (;;) {
        ft_thread_await(to4);
        token += 1;
        ft_thread_generate(to5);
        ft_thread_cooperate();
    }
}

void transmitter5(void *arguments)
{
    for (;;) {
        ft_thread_await(to5);
        token += 1;
        ft_thread_generate(to6);
        ft_thread_cooperate();
    }
}

void transmitter6(void *arguments)
{
    for (;;) {
        ft_thread_await(to6);
        token += 1;
        ft_thread_generate(to7);
        ft_thread_cooperate();
    }
}

void transmitter7(void *arguments)
{
    for (;;) {
        ft_thread_await(to7);
        token += 1;
        ft_thread_generate(to8);
        ft_thread_cooperate();
    }
}

void transmitter8(void *arguments)
{
    for (;;) {
        ft_thread_await(to8);
        token += 1;
        ft_thread_generate(to9);
        ft_thread_cooperate();
    }
}

void transmitter9(void *arguments)
{
    for (;;) {
        ft_thread_await(to9);
        token += 1;
        ft_thread_generate(to10);
        ft_thread_cooperate();
    }
}

void transmitter10(void *arguments)
{
    for (;;) {
        ft_thread_await(to10);
        token += 1;
        ft_thread_generate(to11);
        ft_thread_cooperate();
    }
}

void transmitter11(void *arguments)
{
    for (;;) {
        ft_thread_await(to11);
        token += 1;
        ft_thread_generate(to12);
        ft_thread_cooperate();
    }
}

void transmitter12(void *arguments)
{
    for (;;) {
        ft_thread_await(to12);
        token += 1;
        ft_thread_generate(to13);
        ft_thread_cooperate();
    }
}

void transmitter13(void *arguments)
{
    for (;;) {
        ft_thread_await(to13);
        token += 2; /* mutant: was 1 */
        ft_thread_generate(back);
        ft_thread_cooperate();
    }
}

int main(void)
{
    ft_scheduler_t scheduler = ft_scheduler_create();
    to1 = ft_event_create(scheduler);
    to2 = ft_event_create(scheduler);
    to3 = ft_event_create(scheduler);
    to4 = ft_event_create(scheduler);
    to5 = ft_event_create(scheduler);
    to6 = ft_event_create(scheduler);
    to7 = ft_event_create(scheduler);
    to8 = ft_event_create(scheduler);
    to9 = ft_event_create(scheduler);
    to10 = ft_event_create(scheduler);
    to11 = ft_event_create(scheduler);
    to12 = ft_event_create(scheduler);
    to13 = ft_event_create(scheduler);
    back = ft_event_create(scheduler);
    ft_thread_create(scheduler, master, 0, 0);
    ft_thread_create(scheduler, transmitter1, 0, 0);
    ft_thread_create(scheduler, transmitter2, 0, 0);
    ft_thread_create(scheduler, transmitter3, 0, 0);
    ft_thread_create(scheduler, transmitter4, 0, 0);
    ft_thread_create(scheduler, transmitter5, 0, 0);
    ft_thread_create(scheduler, transmitter6, 0, 0);
    ft_thread_create(scheduler, transmitter7, 0, 0);
    ft_thread_create(scheduler, transmitter8, 0, 0);
    ft_thread_create(scheduler, transmitter9, 0, 0);
    ft_thread_create(scheduler, transmitter10, 0, 0);
    ft_thread_create(scheduler, transmitter11, 0, 0);
    ft_thread_create(scheduler, transmitter12, 0, 0);
    ft_thread_create(scheduler, transmitter13, 0, 0);
    ft_scheduler_start(scheduler);
    ft_exit();
    return 0;
}
