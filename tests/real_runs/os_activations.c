/* A task takes so many activations and no more; each that it took comes in its turn. */
#include "note.h"
#include <os_coop.h>

DeclareTask(Once);
DeclareTask(Twice);

TASK(Start)
{
    note(ActivateTask(Twice));
    note(ActivateTask(Once));
    note(ActivateTask(Twice));
    note(ActivateTask(Twice));
    note(ActivateTask(Once));
    note(ActivateTask(99));
    note(ActivateTask(0));
    TerminateTask();
}

TASK(Once)
{
    note(1);
    note(ActivateTask(Once));
    TerminateTask();
}

TASK(Twice)
{
    note(2);
    TerminateTask();
}

TASK(Last)
{
    RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Start, OS_ENTRY(Start), 3, 1, OS_AUTOSTART);
    os_task(&Once, OS_ENTRY(Once), 2, 1, OS_NO_AUTOSTART);
    os_task(&Twice, OS_ENTRY(Twice), 2, 2, OS_NO_AUTOSTART);
    os_task(&Last, OS_ENTRY(Last), 1, 1, OS_AUTOSTART);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
