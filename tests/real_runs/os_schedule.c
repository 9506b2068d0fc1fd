/* Schedule lets higher priorities go and nobody else; who called it stays the oldest of its own. */
#include "note.h"
#include <os_coop.h>

DeclareTask(High);
DeclareTask(Equal);

TASK(Start)
{
    ActivateTask(Equal);
    note(1);
    note(Schedule());
    ActivateTask(High);
    note(2);
    Schedule();
    note(3);
    TerminateTask();
}

TASK(Equal)
{
    note(4);
    TerminateTask();
}

TASK(High)
{
    note(5);
    TerminateTask();
}

TASK(Last)
{
    RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Start, OS_ENTRY(Start), 2, 1, OS_AUTOSTART);
    os_task(&Equal, OS_ENTRY(Equal), 2, 1, OS_NO_AUTOSTART);
    os_task(&High, OS_ENTRY(High), 3, 1, OS_NO_AUTOSTART);
    os_task(&Last, OS_ENTRY(Last), 1, 1, OS_AUTOSTART);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
