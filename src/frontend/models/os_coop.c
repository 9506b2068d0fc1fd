/* OSEK/VDX with non-preemptive tasks, over the scheduler in scheduler/osek/ (ISO 17356-3:2005), with extended status: misuse is told by codes.

   A task is its number. Between two services of a running task alarms may expire, which it can see; programs without alarms do not pay for that.
   Left out: interrupts, hooks, preemption, counters, internal resources. */

enum {
    __regrain_os_level = 2,
    __regrain_os_number = 3,
    __regrain_os_state = 7,
    __regrain_os_suspended = 0
};

/* Programs without an application of their own have no tasks. */
void os_application(void) {}

void os_task(TaskType *task, void (*entry)(void *), int priority, int activations, int autostart) {
    int number = (int)__regrain_create_repeated(entry, 0, "terminate", "a task ends without `TerminateTask` or `ChainTask`");
    __regrain_schedule("task", number, priority, activations, autostart);
    *task = number;
}

void os_resource(ResourceType *resource) {
    int number = (int)__regrain_fresh("resource");
    __regrain_schedule("resource", number);
    *resource = number;
}

void os_alarm_event(AlarmType *alarm, TaskType task, EventMaskType events) {
    int number = (int)__regrain_fresh("alarm");
    __regrain_schedule("alarm", number, task, (int)events);
    *alarm = number;
}

/* An alarm that sets no events activates its task. */
void os_alarm_task(AlarmType *alarm, TaskType task) { os_alarm_event(alarm, task, 0); }

void StartOS(AppModeType mode) {
    if (__regrain_self() != 0)
        __regrain_undefined("`StartOS` by a task");
    os_application();
    __regrain_schedule("start");
    __regrain_stop();
}

void ShutdownOS(StatusType error) { __regrain_stop(); }

/* Alarms may expire now. */
static void __regrain_os_time(void) {
    if (__regrain_used("SetRelAlarm") || __regrain_used("SetAbsAlarm"))
        __regrain_schedule("tick");
}

StatusType ActivateTask(TaskType task) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("activate", task);
}

StatusType TerminateTask(void) {
    __regrain_os_time();
    StatusType code = (StatusType)__regrain_schedule("may_end");
    if (code == 0)
        __regrain_exit(0);
    return code;
}

StatusType ChainTask(TaskType task) {
    __regrain_os_time();
    StatusType code = (StatusType)__regrain_schedule("chain", task);
    if (code == 0)
        __regrain_exit(0);
    return code;
}

StatusType Schedule(void) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("schedule");
}

StatusType GetTaskID(TaskRefType task) {
    *task = (TaskType)__regrain_self();
    return 0;
}

StatusType GetTaskState(TaskType task, TaskStateRefType state) {
    __regrain_os_time();
    long found = __regrain_schedule("task_state", task);
    if (found < 0)
        return __regrain_os_number;
    *state = (TaskStateType)found;
    return 0;
}

StatusType SetEvent(TaskType task, EventMaskType events) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("set_event", task, (int)events);
}

StatusType ClearEvent(EventMaskType events) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("clear_event", (int)events);
}

StatusType GetEvent(TaskType task, EventMaskRefType events) {
    __regrain_os_time();
    long found = __regrain_schedule("task_state", task);
    if (found < 0)
        return __regrain_os_number;
    if (found == __regrain_os_suspended)
        return __regrain_os_state;
    *events = (EventMaskType)__regrain_schedule("get_event", task);
    return 0;
}

StatusType WaitEvent(EventMaskType events) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("wait_event", (int)events);
}

StatusType GetResource(ResourceType resource) { return (StatusType)__regrain_schedule("get_resource", resource); }

StatusType ReleaseResource(ResourceType resource) {
    return (StatusType)__regrain_schedule("release_resource", resource);
}

StatusType SetRelAlarm(AlarmType alarm, TickType increment, TickType cycle) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("set_alarm", alarm, cycle != 0);
}

StatusType SetAbsAlarm(AlarmType alarm, TickType start, TickType cycle) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("set_alarm", alarm, cycle != 0);
}

StatusType CancelAlarm(AlarmType alarm) {
    __regrain_os_time();
    return (StatusType)__regrain_schedule("cancel_alarm", alarm);
}
