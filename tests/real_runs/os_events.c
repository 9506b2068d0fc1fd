/* Events stay until they are cleared; who was waiting becomes the youngest of its priority. */
#include "note.h"
#include <os_coop.h>

DeclareTask(Waiter);
DeclareTask(Setter);

EVENT(A, 0);
EVENT(B, 1);

TASK(Waiter)
{
    EventMaskType events;
    note(1);
    WaitEvent(A | B);
    GetEvent(Waiter, &events);
    note(events);
    WaitEvent(B);
    note(2);
    ClearEvent(A);
    GetEvent(Waiter, &events);
    note(events);
    ClearEvent(B);
    WaitEvent(A);
    note(8);
    TerminateTask();
}

TASK(Setter)
{
    note(5);
    note(SetEvent(Waiter, B));
    note(SetEvent(Waiter, A));
    TerminateTask();
}

TASK(Equal)
{
    note(6);
    TerminateTask();
}

TASK(Last)
{
    TaskStateType state;
    GetTaskState(Waiter, &state);
    note(state);
    note(SetEvent(Setter, A));
    RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Waiter, OS_ENTRY(Waiter), 2, 1, OS_AUTOSTART);
    os_task(&Setter, OS_ENTRY(Setter), 2, 1, OS_AUTOSTART);
    os_task(&Equal, OS_ENTRY(Equal), 2, 1, OS_AUTOSTART);
    os_task(&Last, OS_ENTRY(Last), 1, 1, OS_AUTOSTART);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
