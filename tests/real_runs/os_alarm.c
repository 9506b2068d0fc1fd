/* Two alarms that activate tasks, each once, whenever they like: before, between and after what the tasks
 * ask for. */
#include "note.h"
#include <os_coop.h>

ALARM(First);
ALARM(Second);

int done = 0;

TASK(Start)
{
    note(SetRelAlarm(First, 1, 0));
    note(SetRelAlarm(Second, 1, 0));
    note(1);
    TerminateTask();
}

TASK(One)
{
    note(2);
    if (++done == 2)
        RESULT();
    TerminateTask();
}

TASK(Two)
{
    note(3);
    if (++done == 2)
        RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Start, OS_ENTRY(Start), 2, 1, OS_AUTOSTART);
    os_task(&One, OS_ENTRY(One), 1, 1, OS_NO_AUTOSTART);
    os_task(&Two, OS_ENTRY(Two), 1, 1, OS_NO_AUTOSTART);
    os_alarm_task(&First, One);
    os_alarm_task(&Second, Two);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
