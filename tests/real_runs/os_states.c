/* Who is running, ready, waiting and suspended. */
#include "note.h"
#include <os_coop.h>

DeclareTask(Waiting);
DeclareTask(Ready);
DeclareTask(Idle);

EVENT(Go, 0);

TASK(Asker)
{
    TaskType me;
    TaskStateType state;
    GetTaskID(&me);
    note(me == Asker);
    note(GetTaskState(Asker, &state));
    note(state);
    GetTaskState(Waiting, &state);
    note(state);
    GetTaskState(Ready, &state);
    note(state);
    GetTaskState(Idle, &state);
    note(state);
    note(GetTaskState(44, &state));
    RESULT();
    TerminateTask();
}

TASK(Waiting)
{
    WaitEvent(Go);
    TerminateTask();
}

TASK(Ready) { TerminateTask(); }

TASK(Idle) { TerminateTask(); }

OS_APPLICATION
{
    os_task(&Waiting, OS_ENTRY(Waiting), 3, 1, OS_AUTOSTART);
    os_task(&Asker, OS_ENTRY(Asker), 2, 1, OS_AUTOSTART);
    os_task(&Ready, OS_ENTRY(Ready), 1, 1, OS_AUTOSTART);
    os_task(&Idle, OS_ENTRY(Idle), 1, 1, OS_NO_AUTOSTART);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
