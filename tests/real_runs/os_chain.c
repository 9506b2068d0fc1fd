/* A task chains another, and itself; what cannot be chained is refused and the task goes on. */
#include "note.h"
#include <os_coop.h>

DeclareTask(Other);

int rounds = 0;

TASK(Start)
{
    note(1);
    rounds++;
    if (rounds < 3)
        ChainTask(Start);
    ActivateTask(Other);
    note(ChainTask(Other));
    note(ChainTask(77));
    note(2);
    TerminateTask();
}

TASK(Other)
{
    note(3);
    rounds++;
    if (rounds < 5)
        ChainTask(Other);
    note(4);
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
    os_task(&Other, OS_ENTRY(Other), 2, 1, OS_NO_AUTOSTART);
    os_task(&Last, OS_ENTRY(Last), 1, 1, OS_AUTOSTART);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
