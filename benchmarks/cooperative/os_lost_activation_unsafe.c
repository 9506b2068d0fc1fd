/* OSEK tasks that sample and filter: a task takes a limited number of activations, one more is refused with
 * E_OS_LIMIT and lost.
 *
 * The sampler is an alarm without a clock and may be faster than the filter.
 *
 * Property: when only the report is left to do, every sample that was kept has been filtered.
 * Mutant: the sampler does not look whether the activation was refused.
 * State space: infinite.
 */
#include <assert.h>
#include <os_coop.h>

DeclareTask(Filter);

ALARM(Clock);
ALARM(Ask);

int waiting = 0;

TASK(Sampler)
{
    ActivateTask(Filter); /* mutant: was if (ActivateTask(Filter) == E_OK) */
    waiting++;
    TerminateTask();
}

TASK(Filter)
{
    waiting--;
    TerminateTask();
}

TASK(Report)
{
    assert(waiting == 0);
    TerminateTask();
}

TASK(Init)
{
    SetRelAlarm(Clock, 1, 1);
    SetRelAlarm(Ask, 100, 100);
    TerminateTask();
}

OS_APPLICATION
{
    os_task(&Init, OS_ENTRY(Init), 4, 1, OS_AUTOSTART);
    os_task(&Sampler, OS_ENTRY(Sampler), 3, 1, OS_NO_AUTOSTART);
    os_task(&Filter, OS_ENTRY(Filter), 2, 3, OS_NO_AUTOSTART);
    os_task(&Report, OS_ENTRY(Report), 1, 1, OS_NO_AUTOSTART);
    os_alarm_task(&Clock, Sampler);
    os_alarm_task(&Ask, Report);
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
