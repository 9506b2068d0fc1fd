/* What services say to a task that has a resource, and to one that wants what it has already, or has not. */
#include "note.h"
#include <os_coop.h>

RESOURCE(Bus);
RESOURCE(Disk);

EVENT(Never, 0);

TASK(Start)
{
    note(ReleaseResource(Bus));
    note(GetResource(Bus));
    note(GetResource(Bus));
    note(WaitEvent(Never));
    note(Schedule());
    note(TerminateTask());
    note(ChainTask(Start));
    note(GetResource(Disk));
    note(ReleaseResource(Disk));
    note(ReleaseResource(Bus));
    note(ReleaseResource(55));
    note(GetResource(0));
    RESULT();
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Start, OS_ENTRY(Start), 1, 1, OS_AUTOSTART);
    os_resource(&Bus);
    os_resource(&Disk);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
