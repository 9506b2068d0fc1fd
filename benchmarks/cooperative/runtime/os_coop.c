/* OSEK on coroutines: the part of it that os_coop.h declares, with non-preemptive tasks and extended status.
 *
 * ISO 17356-3:2005. The task with the highest priority goes, among equals the one that has been ready for
 * longest, until it ends, waits or calls Schedule. Alarms have no clock: whenever the system decides, and at
 * any service that a running task asks for, those that are set may have expired or not, which is a choice.
 * The run ends when no task is ready and no alarm is set, where the system would idle for ever.
 */
#include "core.h"
#include "os_coop.h"

struct task {
    struct coroutine coroutine;
    void (*entry)(void *);
    int priority, autostart;
    int activations, limit;         /* that have not ended yet, and how many there may be */
    int begun;                      /* and not ended: the next activation has to wait */
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
    /* In the order in which they became so: a task for each activation, minus a task that goes on. */
    TaskType ready[256];
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

/* The place of the task that goes next; none is -1. */
static int best(void)
{
    int found = -1;
    for (int i = 0; i < os.ready_count; i++) {
        struct task *task = task_of(abs(os.ready[i]));
        int may = os.ready[i] < 0 || !task->begun;
        if (may && (found < 0 || task->priority > task_of(abs(os.ready[found]))->priority))
            found = i;
    }
    return found;
}

static void let_alarms_expire(int at_least);

/* Alarms may expire now. */
static void tick(void)
{
    if (os.started)
        let_alarms_expire(0);
}

static int activate(TaskType number)
{
    struct task *task = task_of(number);
    if (task->activations == task->limit)
        return 0;
    if (task->activations++ == 0) {
        task->state = READY;
        task->events = 0;
    }
    enqueue(os.ready_count, number);
    return 1;
}

StatusType ActivateTask(TaskType task)
{
    tick();
    if (!task_of(task))
        return E_OS_ID;
    return activate(task) ? E_OK : E_OS_LIMIT;
}

/* The running activation is over, and another one may have to begin. */
static void end_activation(void)
{
    struct task *task = self();
    task->begun = 0;
    task->activations--;
    task->state = task->activations ? READY : SUSPENDED;
}

StatusType TerminateTask(void)
{
    tick();
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
    tick();
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
    activate(number);
    coop_end();
    return E_OK;
}

/* Only a higher priority gets a turn; the caller stays the oldest of its own. */
StatusType Schedule(void)
{
    tick();
    if (!self())
        return E_OS_CALLEVEL;
    if (self()->held_count)
        return E_OS_RESOURCE;
    int next = best();
    if (next >= 0 && task_of(abs(os.ready[next]))->priority > self()->priority) {
        self()->state = READY;
        enqueue(0, -os.running);
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
    tick();
    if (!task_of(task))
        return E_OS_ID;
    *state = task_of(task)->state;
    return E_OK;
}

/* ---- events ---- */

static int set_events(TaskType number, EventMaskType events)
{
    struct task *task = task_of(number);
    if (task->state == SUSPENDED)
        return 0;
    task->events |= events;
    if (task->state == WAITING && (task->events & task->waited)) {
        task->state = READY;
        enqueue(os.ready_count, -number);
    }
    return 1;
}

StatusType SetEvent(TaskType task, EventMaskType events)
{
    tick();
    if (!task_of(task))
        return E_OS_ID;
    return set_events(task, events) ? E_OK : E_OS_STATE;
}

StatusType ClearEvent(EventMaskType events)
{
    tick();
    if (!self())
        return E_OS_CALLEVEL;
    self()->events &= ~events;
    return E_OK;
}

StatusType GetEvent(TaskType task, EventMaskRefType events)
{
    tick();
    if (!task_of(task))
        return E_OS_ID;
    if (task_of(task)->state == SUSPENDED)
        return E_OS_STATE;
    *events = task_of(task)->events;
    return E_OK;
}

StatusType WaitEvent(EventMaskType events)
{
    tick();
    if (!self())
        return E_OS_CALLEVEL;
    if (self()->held_count)
        return E_OS_RESOURCE;
    if (!events)
        coop_misuse("a task waits for no event");
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
    tick();
    struct alarm *alarm = alarm_of(number);
    if (!alarm)
        return E_OS_ID;
    if (alarm->set)
        return E_OS_STATE;
    alarm->set = 1;
    alarm->cyclic = cycle != 0;
    return E_OK;
}

StatusType SetAbsAlarm(AlarmType alarm, TickType start, TickType cycle)
{
    return SetRelAlarm(alarm, start, cycle);
}

StatusType CancelAlarm(AlarmType number)
{
    tick();
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
        set_events(alarm->task, alarm->events);
    else
        activate(alarm->task);
}

static int count_set(void)
{
    int count = 0;
    for (int i = 0; i < os.alarm_count; i++)
        count += os.alarms[i]->set;
    return count;
}

/* Any number of alarms expire, or one at least. */
static void let_alarms_expire(int at_least)
{
    int count;
    while ((count = count_set()) > 0) {
        int chosen = coop_choose(count + !at_least);
        if (chosen == count)
            break;
        at_least = 0;
        for (int i = 0;; i++)
            if (os.alarms[i]->set && chosen-- == 0) {
                expire(os.alarms[i]);
                break;
            }
    }
}

/* ---- the system ---- */

static void dispatch(void)
{
    int place = best();
    os.running = abs(os.ready[place]);
    os.ready_count--;
    memmove(os.ready + place, os.ready + place + 1, (os.ready_count - place) * sizeof *os.ready);
    struct task *task = self();
    coop_trace("task %d goes\n", os.running);
    if (!task->begun)
        coop_create(&task->coroutine, task->entry, 0);
    task->begun = 1;
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
            activate(i + 1);
    do {
        let_alarms_expire(best() < 0);
        if (best() >= 0)
            dispatch();
    } while (best() >= 0 || count_set() > 0);
    exit(0);
}

void ShutdownOS(StatusType error)
{
    (void)error;
    exit(0);
}
