/* Two alarms that set events of one task: it may find one of them or both. */
#include "note.h"
#include <os_coop.h>

DeclareTask(Waiter);

EVENT(A, 0);
EVENT(B, 1);

ALARM(First);
ALARM(Second);

TASK(Waiter)
{
    EventMaskType events, seen = 0;
    SetRelAlarm(First, 1, 0);
    SetRelAlarm(Second, 1, 0);
    while (seen != 3) {
        WaitEvent(A | B);
        GetEvent(Waiter, &events);
        note(events);
        seen |= events;
        ClearEvent(events);
    }
    RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Waiter, OS_ENTRY(Waiter), 1, 1, OS_AUTOSTART);
    os_alarm_event(&First, Waiter, A);
    os_alarm_event(&Second, Waiter, B);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
