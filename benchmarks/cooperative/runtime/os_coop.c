/* OSEK on coroutines: the part of it that os_coop.h declares, with non-preemptive tasks and extended status.
 *
 * ISO 17356-3 (OSEK/VDX Operating System 2.2.3). The task with the highest priority goes, among equals the one that has been ready for longest, until it
 * ends, waits or calls Schedule. Alarms have no clock: before each dispatch any that are set may expire, which is a choice. The run
 * ends when no task is ready and no alarm is set, where the system would idle for ever.
 */
#include "core.h"
#include "os_coop.h"

struct task {
    struct coroutine coroutine;
    void (*entry)(void *);
    int priority, autostart;
    int activations, limit;         /* that have not ended yet, and how many there may be */
    TaskStateType state;
    EventMaskType events, waited;
    ResourceType held[16];          /* the last one taken is the first to be released */
    int held_count;
};

struct alarm {
    TaskType task;
    EventMaskType events;           /* 0: it activates the task */
    int set, cyclic;
};

static struct {
    struct task *tasks[64];
    struct alarm *alarms[64];
    ResourceType resources;
    int taken[64];
    int task_count, alarm_count;
    TaskType ready[256];            /* in the order in which they became so; a task once for each activation */
    int ready_count;
    TaskType running;
    int started;
} os;

static struct task *task_of(TaskType task)
{
    return task >= 1 && task <= os.task_count ? os.tasks[task - 1] : 0;
}

static struct alarm *alarm_of(AlarmType alarm)
{
    return alarm >= 1 && alarm <= os.alarm_count ? os.alarms[alarm - 1] : 0;
}

static struct task *self(void) { return task_of(os.running); }

static void *fresh(size_t bytes)
{
    void *new = malloc(bytes);
    if (!new)
        coop_misuse("out of memory");
    return memset(new, 0, bytes);
}

/* ---- what there is ---- */

void os_task(TaskType *task, void (*entry)(void *), int priority, int activations, int autostart)
{
    if (os.started || os.task_count == 64)
        coop_misuse("a task after the start, or too many");
    struct task *new = fresh(sizeof *new);
    new->entry = entry;
    new->priority = priority;
    new->limit = activations;
    new->autostart = autostart;
    os.tasks[os.task_count++] = new;
    *task = os.task_count;
}

void os_resource(ResourceType *resource)
{
    if (os.started || os.resources == 63)
        coop_misuse("a resource after the start, or too many");
    *resource = ++os.resources;
}

void os_alarm_event(AlarmType *alarm, TaskType task, EventMaskType events)
{
    if (os.started || os.alarm_count == 64 || !task_of(task))
        coop_misuse("an alarm after the start, for no task, or too many");
    struct alarm *new = fresh(sizeof *new);
    new->task = task;
    new->events = events;
    os.alarms[os.alarm_count++] = new;
    *alarm = os.alarm_count;
}

void os_alarm_task(AlarmType *alarm, TaskType task) { os_alarm_event(alarm, task, 0); }

/* ---- tasks ---- */

static void enqueue(int place, TaskType task)
{
    if (os.ready_count == 256)
        coop_misuse("too many activations");
    memmove(os.ready + place + 1, os.ready + place, (os.ready_count - place) * sizeof *os.ready);
    os.ready[place] = task;
    os.ready_count++;
}

/* The place of the task that goes next. */
static int best(void)
{
    int found = 0;
    for (int i = 1; i < os.ready_count; i++)
        if (task_of(os.ready[i])->priority > task_of(os.ready[found])->priority)
            found = i;
    return found;
}

StatusType ActivateTask(TaskType number)
{
    struct task *task = task_of(number);
    if (!task)
        return E_OS_ID;
    if (task->activations == task->limit)
        return E_OS_LIMIT;
    if (task->activations++ == 0) {
        task->state = READY;
        task->events = 0;
    }
    enqueue(os.ready_count, number);
    return E_OK;
}

/* The running activation is over. If there is another one, it begins with no events. */
static void end_activation(void)
{
    struct task *task = self();
    task->activations--;
    task->state = task->activations ? READY : SUSPENDED;
    task->events = 0;
}

StatusType TerminateTask(void)
{
    if (!self())
        return E_OS_CALLEVEL;
    if (self()->held_count)
        return E_OS_RESOURCE;
    end_activation();
    coop_end();
    return E_OK;
}

StatusType ChainTask(TaskType number)
{
    struct task *task = task_of(number);
    if (!self())
        return E_OS_CALLEVEL;
    if (!task)
        return E_OS_ID;
    if (self()->held_count)
        return E_OS_RESOURCE;
    if (task != self() && task->activations == task->limit)
        return E_OS_LIMIT;
    end_activation();
    ActivateTask(number);
    coop_end();
    return E_OK;
}

/* Only a higher priority gets a turn; the caller stays the oldest of its own. */
StatusType Schedule(void)
{
    if (!self())
        return E_OS_CALLEVEL;
    if (self()->held_count)
        return E_OS_RESOURCE;
    if (os.ready_count && task_of(os.ready[best()])->priority > self()->priority) {
        self()->state = READY;
        enqueue(0, os.running);
        coop_yield();
    }
    return E_OK;
}

StatusType GetTaskID(TaskRefType task)
{
    *task = os.running;
    return E_OK;
}

StatusType GetTaskState(TaskType task, TaskStateRefType state)
{
    if (!task_of(task))
        return E_OS_ID;
    *state = task_of(task)->state;
    return E_OK;
}

/* ---- events ---- */

StatusType SetEvent(TaskType number, EventMaskType events)
{
    struct task *task = task_of(number);
    if (!task)
        return E_OS_ID;
    if (task->state == SUSPENDED)
        return E_OS_STATE;
    task->events |= events;
    if (task->state == WAITING && (task->events & task->waited)) {
        task->state = READY;
        enqueue(os.ready_count, number);
    }
    return E_OK;
}

StatusType ClearEvent(EventMaskType events)
{
    if (!self())
        return E_OS_CALLEVEL;
    self()->events &= ~events;
    return E_OK;
}

StatusType GetEvent(TaskType task, EventMaskRefType events)
{
    if (!task_of(task))
        return E_OS_ID;
    if (task_of(task)->state == SUSPENDED)
        return E_OS_STATE;
    *events = task_of(task)->events;
    return E_OK;
}

StatusType WaitEvent(EventMaskType events)
{
    if (!self())
        return E_OS_CALLEVEL;
    if (self()->held_count)
        return E_OS_RESOURCE;
    if (!(self()->events & events)) {
        self()->waited = events;
        self()->state = WAITING;
        coop_yield();
    }
    return E_OK;
}

/* ---- resources ---- */

StatusType GetResource(ResourceType resource)
{
    if (resource < 1 || resource > os.resources)
        return E_OS_ID;
    if (!self())
        return E_OS_CALLEVEL;
    if (os.taken[resource])
        return E_OS_ACCESS;
    if (self()->held_count == 16)
        coop_misuse("too many resources at once");
    os.taken[resource] = os.running;
    self()->held[self()->held_count++] = resource;
    return E_OK;
}

StatusType ReleaseResource(ResourceType resource)
{
    if (resource < 1 || resource > os.resources)
        return E_OS_ID;
    if (!self())
        return E_OS_CALLEVEL;
    if (!self()->held_count || self()->held[self()->held_count - 1] != resource)
        return E_OS_NOFUNC;
    os.taken[resource] = 0;
    self()->held_count--;
    return E_OK;
}

/* ---- alarms ---- */

StatusType SetRelAlarm(AlarmType number, TickType increment, TickType cycle)
{
    (void)increment;
    struct alarm *alarm = alarm_of(number);
    if (!alarm)
        return E_OS_ID;
    if (alarm->set)
        return E_OS_STATE;
    alarm->set = 1;
    alarm->cyclic = cycle != 0;
    return E_OK;
}

StatusType SetAbsAlarm(AlarmType alarm, TickType start, TickType cycle) { return SetRelAlarm(alarm, start, cycle); }

StatusType CancelAlarm(AlarmType number)
{
    struct alarm *alarm = alarm_of(number);
    if (!alarm)
        return E_OS_ID;
    if (!alarm->set)
        return E_OS_NOFUNC;
    alarm->set = 0;
    return E_OK;
}

/* What an alarm asks for may be refused, and is lost then. */
static void expire(struct alarm *alarm)
{
    coop_trace("an alarm for task %d expires\n", alarm->task);
    alarm->set = alarm->cyclic;
    if (alarm->events)
        SetEvent(alarm->task, alarm->events);
    else
        ActivateTask(alarm->task);
}

static int count_set(void)
{
    int count = 0;
    for (int i = 0; i < os.alarm_count; i++)
        count += os.alarms[i]->set;
    return count;
}

/* Any number of alarms expire, one at least if nothing else can happen; whether a task is ready then. */
static int let_alarms_expire(void)
{
    int count;
    while ((count = count_set()) > 0) {
        int chosen = coop_choose(count + (os.ready_count > 0));
        if (chosen == count)
            break;
        for (int i = 0;; i++)
            if (os.alarms[i]->set && chosen-- == 0) {
                expire(os.alarms[i]);
                break;
            }
    }
    return os.ready_count > 0;
}

/* ---- the system ---- */

static void dispatch(void)
{
    int place = best();
    os.running = os.ready[place];
    os.ready_count--;
    memmove(os.ready + place, os.ready + place + 1, (os.ready_count - place) * sizeof *os.ready);
    struct task *task = self();
    coop_trace("task %d goes\n", os.running);
    if (!task->coroutine.run || task->coroutine.ended)
        coop_create(&task->coroutine, task->entry, 0);
    task->state = RUNNING;
    coop_resume(&task->coroutine);
    if (task->coroutine.ended && task->state == RUNNING)
        coop_misuse("a task ends without TerminateTask");
    os.running = INVALID_TASK;
}

void StartOS(AppModeType mode)
{
    (void)mode;
    coop_begin();
    os_application();
    os.started = 1;
    for (int i = 0; i < os.task_count; i++)
        if (os.tasks[i]->autostart)
            ActivateTask(i + 1);
    while (let_alarms_expire())
        dispatch();
    exit(0);
}

void ShutdownOS(StatusType error)
{
    (void)error;
    exit(0);
}
