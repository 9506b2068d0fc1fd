/* The control of an automated gearbox with five gears and a dry clutch, as OSEK tasks.
 *
 * After the case study of L. Waszniowski, Z. Hanzálek, "Formal verification of multitasking applications
 * based on timed automata model" (2008), without its times: actuators report by alarms, which expire
 * whenever they like. ft_gear_box is the same control with fair threads.
 *
 * Property: a gear is left and engaged with the clutch open and the engine without torque, one at a time,
 *   and the clutch closes on a gear.
 * Mutant: the controller does not wait until the clutch is open before it has the gear left.
 * State space: finite.
 */
#include <assert.h>
#include <os_coop.h>

extern int __VERIFIER_nondet_int(void);

enum { NEUTRAL = 0, LOWEST = 1, HIGHEST = 5 };

DeclareTask(Controller);
DeclareTask(Clutch);
DeclareTask(Gearbox);

EVENT(Request, 0);
EVENT(Opened, 1);
EVENT(Left, 2);
EVENT(Engaged, 3);
EVENT(Closed, 4);
EVENT(Open, 0);
EVENT(Close, 1);
EVENT(Leave, 2);
EVENT(Engage, 3);
EVENT(Moved, 4);

ALARM(Shift);
ALARM(ClutchMoved);
ALARM(GearMoved);

int gear = LOWEST, wanted = LOWEST;
int clutch_open = 0, torque = 1;

/* The driver, or the strategy: some time after a shift one gear up or down. */
TASK(Selector)
{
    assert(!clutch_open && gear >= LOWEST && gear <= HIGHEST);
    if (__VERIFIER_nondet_int() && gear < HIGHEST)
        wanted = gear + 1;
    else if (gear > LOWEST)
        wanted = gear - 1;
    SetEvent(Controller, Request);
    TerminateTask();
}

/* The sequence of a shift. */
TASK(Controller)
{
    for (;;) {
        SetRelAlarm(Shift, 100, 0);
        WaitEvent(Request);
        ClearEvent(Request);
        torque = 0;
        SetEvent(Clutch, Open);
        /* mutant: was WaitEvent(Opened); ClearEvent(Opened); */
        SetEvent(Gearbox, Leave);
        WaitEvent(Left);
        ClearEvent(Left);
        SetEvent(Gearbox, Engage);
        WaitEvent(Engaged);
        ClearEvent(Engaged);
        SetEvent(Clutch, Close);
        WaitEvent(Closed);
        ClearEvent(Closed);
        torque = 1;
    }
}

TASK(Clutch)
{
    for (;;) {
        WaitEvent(Open);
        ClearEvent(Open);
        SetRelAlarm(ClutchMoved, 20, 0);
        WaitEvent(Moved);
        ClearEvent(Moved);
        clutch_open = 1;
        SetEvent(Controller, Opened);
        WaitEvent(Close);
        ClearEvent(Close);
        SetRelAlarm(ClutchMoved, 20, 0);
        WaitEvent(Moved);
        ClearEvent(Moved);
        assert(gear != NEUTRAL);
        clutch_open = 0;
        SetEvent(Controller, Closed);
    }
}

TASK(Gearbox)
{
    for (;;) {
        WaitEvent(Leave);
        ClearEvent(Leave);
        SetRelAlarm(GearMoved, 10, 0);
        WaitEvent(Moved);
        ClearEvent(Moved);
        assert(clutch_open && !torque);
        gear = NEUTRAL;
        SetEvent(Controller, Left);
        WaitEvent(Engage);
        ClearEvent(Engage);
        SetRelAlarm(GearMoved, 10, 0);
        WaitEvent(Moved);
        ClearEvent(Moved);
        assert(clutch_open && !torque && gear == NEUTRAL);
        gear = wanted;
        SetEvent(Controller, Engaged);
    }
}

OS_APPLICATION
{
    os_task(&Selector, OS_ENTRY(Selector), 2, 1, OS_NO_AUTOSTART);
    os_task(&Controller, OS_ENTRY(Controller), 2, 1, OS_AUTOSTART);
    os_task(&Clutch, OS_ENTRY(Clutch), 2, 1, OS_AUTOSTART);
    os_task(&Gearbox, OS_ENTRY(Gearbox), 2, 1, OS_AUTOSTART);
    os_alarm_task(&Shift, Selector);
    os_alarm_event(&ClutchMoved, Clutch, Moved);
    os_alarm_event(&GearMoved, Gearbox, Moved);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
