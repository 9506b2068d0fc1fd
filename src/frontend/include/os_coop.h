/* OSEK/VDX (ISO 17356-3) with non-preemptive tasks and extended status: tasks, events, resources, alarms.

   What OSEK keeps in a file of its own is a function of the program:

       OS_APPLICATION {
           os_task(&Pump, OS_ENTRY(Pump), 2, 1, OS_AUTOSTART);   a task, its priority (higher goes first), how many activations it takes
           os_resource(&Valve);
           os_alarm_task(&Tick, Pump);                            an alarm that activates a task
           os_alarm_event(&Tock, Pump, Full);                     an alarm that sets events of a task
       }
       TASK(Pump) { ...; TerminateTask(); }
       int main(void) { StartOS(OSDEFAULTAPPMODE); return 0; }

   Tasks, resources and alarms are variables, declared by `DeclareTask(Pump)` and its like and defined by `TASK(Pump)`, `RESOURCE(Valve)`, `ALARM(Tick)`.
   Alarms have no clock: once set they expire whenever they like, cyclic ones again and again. */
#ifndef REGRAIN_OS_COOP_H
#define REGRAIN_OS_COOP_H

typedef unsigned char StatusType;
typedef int TaskType;
typedef int ResourceType;
typedef int AlarmType;
typedef unsigned EventMaskType;
typedef unsigned TickType;
typedef int AppModeType;
typedef int TaskStateType;
typedef TaskType *TaskRefType;
typedef TaskStateType *TaskStateRefType;
typedef EventMaskType *EventMaskRefType;

#define E_OK 0
#define E_OS_ACCESS 1
#define E_OS_CALLEVEL 2
#define E_OS_ID 3
#define E_OS_LIMIT 4
#define E_OS_NOFUNC 5
#define E_OS_RESOURCE 6
#define E_OS_STATE 7
#define E_OS_VALUE 8

#define SUSPENDED 0
#define READY 1
#define WAITING 2
#define RUNNING 3
#define INVALID_TASK 0
#define OSDEFAULTAPPMODE 0

#define OS_AUTOSTART 1
#define OS_NO_AUTOSTART 0
#define OS_ENTRY(name) os_entry_##name
#define OS_APPLICATION void os_application(void)

#define DeclareTask(name) extern TaskType name; void os_entry_##name(void *)
#define DeclareResource(name) extern ResourceType name
#define DeclareAlarm(name) extern AlarmType name
#define DeclareEvent(name) extern const EventMaskType name
#define TASK(name) TaskType name; void os_entry_##name(void *os_unused)
#define RESOURCE(name) ResourceType name
#define ALARM(name) AlarmType name
#define EVENT(name, bit) const EventMaskType name = 1u << (bit)

void os_application(void);
void os_task(TaskType *task, void (*entry)(void *), int priority, int activations, int autostart);
void os_resource(ResourceType *resource);
void os_alarm_task(AlarmType *alarm, TaskType task);
void os_alarm_event(AlarmType *alarm, TaskType task, EventMaskType events);

void StartOS(AppModeType mode);
void ShutdownOS(StatusType error);

StatusType ActivateTask(TaskType task);
StatusType TerminateTask(void);
StatusType ChainTask(TaskType task);
StatusType Schedule(void);
StatusType GetTaskID(TaskRefType task);
StatusType GetTaskState(TaskType task, TaskStateRefType state);

StatusType SetEvent(TaskType task, EventMaskType events);
StatusType ClearEvent(EventMaskType events);
StatusType GetEvent(TaskType task, EventMaskRefType events);
StatusType WaitEvent(EventMaskType events);

StatusType GetResource(ResourceType resource);
StatusType ReleaseResource(ResourceType resource);

StatusType SetRelAlarm(AlarmType alarm, TickType increment, TickType cycle);
StatusType SetAbsAlarm(AlarmType alarm, TickType start, TickType cycle);
StatusType CancelAlarm(AlarmType alarm);

#endif
