/* The highest priority goes first, among equals who was activated first; nobody is interrupted. */
#include "note.h"
#include <os_coop.h>

DeclareTask(High);
DeclareTask(Low);

TASK(Start)
{
    note(1);
    note(ActivateTask(Low));
    note(ActivateTask(High));
    note(2);
    TerminateTask();
}

TASK(Equal)
{
    note(3);
    TerminateTask();
}

TASK(High)
{
    note(4);
    TerminateTask();
}

TASK(Low)
{
    note(5);
    RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Start, OS_ENTRY(Start), 2, 1, OS_AUTOSTART);
    os_task(&Equal, OS_ENTRY(Equal), 2, 1, OS_AUTOSTART);
    os_task(&High, OS_ENTRY(High), 3, 1, OS_NO_AUTOSTART);
    os_task(&Low, OS_ENTRY(Low), 1, 1, OS_NO_AUTOSTART);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
