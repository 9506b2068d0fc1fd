/* Resources are given back in the reverse order; any other is refused. */
#include "note.h"
#include <os_coop.h>

RESOURCE(Bus);
RESOURCE(Disk);

TASK(Start)
{
    note(GetResource(Bus));
    note(GetResource(Disk));
    note(ReleaseResource(Bus));
    note(ReleaseResource(Disk));
    note(ReleaseResource(Bus));
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
