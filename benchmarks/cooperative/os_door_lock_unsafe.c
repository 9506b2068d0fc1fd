/* The central locking of a car as OSEK tasks: doors that were unlocked by remote control and not opened lock
 * again after a while, a crash unlocks them for good.
 *
 * The alarms have no clock. When the crash takes back the alarm for locking, that may have expired already,
 * and the task that locks be ready.
 *
 * Property: after a crash the doors are never locked.
 * Mutant: the task that locks relies on its alarm being taken back, but it may be ready already.
 * State space: finite.
 */
#include <assert.h>
#include <os_coop.h>

DeclareTask(Lock);

ALARM(Button);
ALARM(Sensor);
ALARM(Relock);

int locked = 1, crashed = 0;

TASK(Remote)
{
    if (!crashed) {
        locked = !locked;
        CancelAlarm(Relock);
        if (!locked)
            SetRelAlarm(Relock, 60, 0);
    }
    TerminateTask();
}

TASK(Crash)
{
    crashed = 1;
    locked = 0;
    CancelAlarm(Relock);
    TerminateTask();
}

TASK(Lock)
{
    locked = 1; /* mutant: was if (!crashed) */
    assert(!(crashed && locked));
    TerminateTask();
}

TASK(Init)
{
    SetRelAlarm(Button, 10, 10);
    SetRelAlarm(Sensor, 1, 0);
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Init, OS_ENTRY(Init), 4, 1, OS_AUTOSTART);
    os_task(&Crash, OS_ENTRY(Crash), 3, 1, OS_NO_AUTOSTART);
    os_task(&Remote, OS_ENTRY(Remote), 2, 1, OS_NO_AUTOSTART);
    os_task(&Lock, OS_ENTRY(Lock), 1, 1, OS_NO_AUTOSTART);
    os_alarm_task(&Button, Remote);
    os_alarm_task(&Sensor, Crash);
    os_alarm_task(&Relock, Lock);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
