/* An alarm that sets an event may expire before it is cancelled or not; set twice it is refused. */
#include "note.h"
#include <os_coop.h>

DeclareTask(Waiter);

EVENT(Rung, 0);
EVENT(Asked, 1);

ALARM(Bell);

TASK(Waiter)
{
    EventMaskType events;
    note(SetRelAlarm(Bell, 1, 0));
    GetEvent(Waiter, &events);
    note(events);
    note(CancelAlarm(Bell));
    GetEvent(Waiter, &events);
    note(events);
    note(CancelAlarm(Bell));
    note(SetAbsAlarm(Bell, 1, 1));
    note(SetRelAlarm(Bell, 1, 1));
    note(CancelAlarm(Bell));
    note(CancelAlarm(66));
    RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Waiter, OS_ENTRY(Waiter), 1, 1, OS_AUTOSTART);
    os_alarm_event(&Bell, Waiter, Rung);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
