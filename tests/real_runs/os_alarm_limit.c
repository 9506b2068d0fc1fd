/* An alarm that comes again and again activates a task that takes one activation: the others are lost,
 * unless it runs between them. */
#include "note.h"
#include <os_coop.h>

ALARM(Tick);

int rounds = 0;

TASK(Busy)
{
    note(SetRelAlarm(Tick, 1, 1));
    note(1);
    TerminateTask();
}

TASK(Ticked)
{
    note(2);
    if (++rounds == 2) {
        CancelAlarm(Tick);
        note(3);
    }
    TerminateTask();
}

TASK(Last)
{
    note(rounds);
    RESULT();
    ShutdownOS(E_OK);
}

OS_APPLICATION
{
    os_task(&Busy, OS_ENTRY(Busy), 2, 1, OS_AUTOSTART);
    os_task(&Ticked, OS_ENTRY(Ticked), 2, 1, OS_NO_AUTOSTART);
    os_task(&Last, OS_ENTRY(Last), 1, 1, OS_AUTOSTART);
    os_alarm_task(&Tick, Ticked);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
