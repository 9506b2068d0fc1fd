/* Two OSEK tasks share a bus, and one asks the other something while it has the bus: to hold and to wait,
 * half of a deadlock.
 *
 * OSEK does not let tasks wait while they have a resource: WaitEvent returns E_OS_RESOURCE at once. Who does
 * not look at the code goes on without what it was to wait for.
 *
 * Property: the pump goes on only when the valve has answered.
 * Mutant: the pump waits while it has the bus, which OSEK refuses, so it goes on without an answer.
 * State space: finite.
 */
#include <assert.h>
#include <os_coop.h>

DeclareTask(Pump);
DeclareTask(Valve);

EVENT(Asked, 0);
EVENT(Answered, 0);

RESOURCE(Bus);

int question = 0, answer = 0;

TASK(Pump)
{
    for (int round = 1; round < 4; round++) {
        GetResource(Bus);
        question = round;
        SetEvent(Valve, Asked);
        WaitEvent(Answered);
        ClearEvent(Answered);
        ReleaseResource(Bus); /* mutant: was before WaitEvent */
        assert(answer == round);
    }
    TerminateTask();
}

TASK(Valve)
{
    for (;;) {
        WaitEvent(Asked);
        ClearEvent(Asked);
        if (GetResource(Bus) == E_OK) {
            answer = question;
            ReleaseResource(Bus);
            SetEvent(Pump, Answered);
        }
    }
}

OS_APPLICATION
{
    os_task(&Pump, OS_ENTRY(Pump), 1, 1, OS_AUTOSTART);
    os_task(&Valve, OS_ENTRY(Valve), 2, 1, OS_AUTOSTART);
    os_resource(&Bus);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
