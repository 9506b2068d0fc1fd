/* The control of an automated gearbox with five gears and a dry clutch, its tasks as fair threads of one
 * priority.
 *
 * After the case study of L. Waszniowski, Z. Hanzálek, "Formal verification of multitasking applications
 * based on timed automata model" (2008), in the form of A. Cimatti, I. Narasamdya, M. Roveri, "Software
 * model checking with explicit scheduler and symbolic threads" (2012), Section 6: without the times of the
 * components, so an actuator may take any number of instants. Rebuilt from the description there.
 * os_gear_box is the same control on OSEK.
 *
 * Property: a gear is left and engaged with the clutch open and the engine without torque, one at a time,
 *   and the clutch closes on a gear.
 * Mutant: the controller does not wait until the clutch is open before it leaves the gear.
 * State space: finite.
 */
#include <assert.h>
#include <fthread.h>

extern int __VERIFIER_nondet_int(void);

enum { NEUTRAL = 0, LOWEST = 1, HIGHEST = 5 };

ft_event_t request, open_clutch, opened, leave_gear, left, engage_gear, engaged, close_clutch, closed;
int gear = LOWEST, wanted = LOWEST;
int clutch_open = 0, torque = 1;

/* The driver, or the strategy: one gear up or down. */
void selector(void *arguments)
{
    for (;;) {
        if (__VERIFIER_nondet_int() && gear < HIGHEST)
            wanted = gear + 1;
        else if (gear > LOWEST)
            wanted = gear - 1;
        ft_thread_generate(request);
        ft_thread_await(closed);
        ft_thread_cooperate();
    }
}

/* The sequence of a shift. */
void controller(void *arguments)
{
    for (;;) {
        ft_thread_await(request);
        torque = 0;
        ft_thread_generate(open_clutch);
        /* mutant: was ft_thread_await(opened); */
        ft_thread_generate(leave_gear);
        ft_thread_await(left);
        ft_thread_generate(engage_gear);
        ft_thread_await(engaged);
        ft_thread_generate(close_clutch);
        ft_thread_await(closed);
        torque = 1;
        ft_thread_cooperate();
    }
}

void clutch(void *arguments)
{
    for (;;) {
        ft_thread_await(open_clutch);
        while (__VERIFIER_nondet_int())
            ft_thread_cooperate();
        clutch_open = 1;
        ft_thread_generate(opened);
        ft_thread_await(close_clutch);
        while (__VERIFIER_nondet_int())
            ft_thread_cooperate();
        assert(gear != NEUTRAL);
        clutch_open = 0;
        ft_thread_generate(closed);
        ft_thread_cooperate();
    }
}

void gearbox(void *arguments)
{
    for (;;) {
        ft_thread_await(leave_gear);
        while (__VERIFIER_nondet_int())
            ft_thread_cooperate();
        assert(clutch_open && !torque);
        gear = NEUTRAL;
        ft_thread_generate(left);
        ft_thread_await(engage_gear);
        while (__VERIFIER_nondet_int())
            ft_thread_cooperate();
        assert(clutch_open && !torque && gear == NEUTRAL);
        gear = wanted;
        ft_thread_generate(engaged);
        ft_thread_cooperate();
    }
}

void monitor(void *arguments)
{
    for (;;) {
        assert(clutch_open || gear != NEUTRAL);
        assert(gear >= NEUTRAL && gear <= HIGHEST);
        ft_thread_cooperate();
    }
}

int main(void)
{
    ft_scheduler_t scheduler = ft_scheduler_create();
    request = ft_event_create(scheduler);
    open_clutch = ft_event_create(scheduler);
    opened = ft_event_create(scheduler);
    leave_gear = ft_event_create(scheduler);
    left = ft_event_create(scheduler);
    engage_gear = ft_event_create(scheduler);
    engaged = ft_event_create(scheduler);
    close_clutch = ft_event_create(scheduler);
    closed = ft_event_create(scheduler);
    ft_thread_create(scheduler, selector, 0, 0);
    ft_thread_create(scheduler, controller, 0, 0);
    ft_thread_create(scheduler, clutch, 0, 0);
    ft_thread_create(scheduler, gearbox, 0, 0);
    ft_thread_create(scheduler, monitor, 0, 0);
    ft_scheduler_start(scheduler);
    ft_exit();
    return 0;
}
