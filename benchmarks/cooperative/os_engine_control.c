/* The control of a combustion engine as OSEK tasks: the crankshaft's sensor calls for injection and
 * ignition.
 *
 * The teeth of the sensor's wheel are an alarm without a clock, so the crankshaft may be faster than the
 * tasks: if the ignition of the last cycle is still due when fuel is to be injected, the cycle is left out.
 *
 * Property: fuel is injected into an empty cylinder, and the spark finds fuel.
 * State space: finite.
 */
#include <assert.h>
#include <os_coop.h>

DeclareTask(Injection);
DeclareTask(Ignition);

ALARM(Tooth);

int angle = 0, left_out = 0, fuel = 0;

TASK(Crankshaft)
{
    TaskStateType ignition;
    angle = (angle + 1) % 4;
    if (angle == 1) {
        GetTaskState(Ignition, &ignition);
        left_out = ignition != SUSPENDED;
        if (!left_out)
            ActivateTask(Injection);
    } else if (angle == 3 && !left_out) {
        ActivateTask(Ignition);
    }
    TerminateTask();
}

TASK(Injection)
{
    assert(!fuel);
    fuel = 1;
    TerminateTask();
}

TASK(Ignition)
{
    assert(fuel);
    fuel = 0;
    TerminateTask();
}

TASK(Init)
{
    SetRelAlarm(Tooth, 1, 1);
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Init, OS_ENTRY(Init), 4, 1, OS_AUTOSTART);
    os_task(&Crankshaft, OS_ENTRY(Crankshaft), 3, 1, OS_NO_AUTOSTART);
    os_task(&Injection, OS_ENTRY(Injection), 2, 1, OS_NO_AUTOSTART);
    os_task(&Ignition, OS_ENTRY(Ignition), 1, 1, OS_NO_AUTOSTART);
    os_alarm_task(&Tooth, Crankshaft);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
