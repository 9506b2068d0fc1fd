/* The kernel of SystemC on coroutines: the part of it that sc_coop.h declares.
 *
 * IEEE 1666-2011, Section 4.2: processes are evaluated in any order until none is runnable, then channels
 * are updated, then delta notifications fire, and only when still nothing is runnable does time pass, to the
 * earliest notification. Which runnable process goes first is a choice.
 */
#include "core.h"
#include "sc_coop.h"

enum pending { NEVER, NEXT_DELTA, AFTER_TIME };

struct event {
    enum pending pending;
    unsigned remaining;         /* until it fires, if it is pending for a time */
};

/* What a process waits for. */
enum wait { NOTHING, STATIC, ANY, ALL };

struct set {
    struct event **items;
    int length;
};

struct process {
    struct coroutine coroutine;
    void (*run)(void *);
    void *argument;
    int method, initialised, started, runnable;
    struct set sensitivity;     /* static */
    enum wait wait;
    struct set waited;          /* for ANY and ALL: what is still to come */
    sc_event timer;             /* for the passing of time */
    int number;
};

static struct {
    struct event **events;
    struct process **processes;
    sc_signal **requests;
    int event_count, process_count, request_count;
    int initialised;
    unsigned now, delta;
    struct process *running;
} kernel;

static void *grown(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);
    if (!new)
        coop_misuse("out of memory");
    return new;
}

#define APPEND(array, count, item) \
    ((array) = grown((array), ((count) + 1) * sizeof *(array)), (array)[(count)++] = (item))

/* Events are known by their numbers, which begin with 1. */
static struct event *event_of(sc_event number)
{
    if (number < 1 || number > kernel.event_count)
        coop_misuse("an event that was never created");
    return kernel.events[number - 1];
}

static struct process *process_of(sc_process number)
{
    if (number < 1 || number > kernel.process_count)
        coop_misuse("a process that was never created");
    return kernel.processes[number - 1];
}

static void before_start(void)
{
    if (kernel.initialised)
        coop_misuse("something is created after the start");
}

static void set_add(struct set *set, struct event *event)
{
    for (int i = 0; i < set->length; i++)
        if (set->items[i] == event)
            return;
    APPEND(set->items, set->length, event);
}

static int set_has(const struct set *set, const struct event *event)
{
    for (int i = 0; i < set->length; i++)
        if (set->items[i] == event)
            return 1;
    return 0;
}

static void set_remove(struct set *set, const struct event *event)
{
    for (int i = 0; i < set->length; i++)
        if (set->items[i] == event) {
            set->items[i] = set->items[--set->length];
            return;
        }
}

/* ---- events ---- */

/* Whether what a process waits for is there now that this event fires. */
static int triggers(struct process *process, const struct event *event)
{
    if (process->wait == STATIC)
        return set_has(&process->sensitivity, event);
    if (process->wait == NOTHING || !set_has(&process->waited, event))
        return 0;
    set_remove(&process->waited, event);
    return process->wait == ANY || process->waited.length == 0;
}

/* Only processes that wait hear of it: whoever runs or is runnable already loses it. */
static void fire(struct event *event)
{
    event->pending = NEVER;
    for (int i = 0; i < kernel.process_count; i++) {
        struct process *process = kernel.processes[i];
        if (triggers(process, event)) {
            process->wait = NOTHING;
            process->runnable = 1;
        }
    }
}

static void notify_delta(struct event *event) { event->pending = NEXT_DELTA; }

/* An event has one pending notification: the earliest. */
static void notify_after(struct event *event, unsigned time)
{
    if (time == 0) {
        notify_delta(event);
    } else if (event->pending == NEVER || (event->pending == AFTER_TIME && time < event->remaining)) {
        event->pending = AFTER_TIME;
        event->remaining = time;
    }
}

/* ---- processes ---- */

static void run_process(struct process *process)
{
    coop_trace("  process %d goes\n", process->number);
    process->runnable = 0;
    kernel.running = process;
    if (process->method) {
        process->run(process->argument);
        process->wait = STATIC;
    } else {
        if (!process->started)
            coop_create(&process->coroutine, process->run, process->argument);
        process->started = 1;
        coop_resume(&process->coroutine);
    }
    kernel.running = 0;
}

static sc_process add_process(void (*run)(void *), void *argument, int method)
{
    before_start();
    struct process *new = grown(0, sizeof *new);
    memset(new, 0, sizeof *new);
    new->run = run;
    new->argument = argument;
    new->method = method;
    new->initialised = 1;
    APPEND(kernel.processes, kernel.process_count, new);
    return new->number = kernel.process_count;
}

/* The running thread gives the turn back until it is triggered. */
static void wait_as(enum wait wait)
{
    if (!kernel.running || kernel.running->method)
        coop_misuse("only a thread can wait");
    kernel.running->wait = wait;
    coop_yield();
}

/* ---- the kernel ---- */

static void update(void)
{
    for (int i = 0; i < kernel.request_count; i++) {
        sc_signal *signal = kernel.requests[i];
        if (signal->first != signal->second) {
            signal->first = signal->second;
            event_of(signal->changed)->pending = NEXT_DELTA;
        }
    }
    kernel.request_count = 0;
}

static void fire_deltas(void)
{
    /* All that are due, and none that a process asks for meanwhile: no process runs here. */
    for (int i = 0; i < kernel.event_count; i++)
        if (kernel.events[i]->pending == NEXT_DELTA)
            fire(kernel.events[i]);
}

static int count_runnable(void)
{
    int count = 0;
    for (int i = 0; i < kernel.process_count; i++)
        count += kernel.processes[i]->runnable;
    return count;
}

static void evaluate(void)
{
    int count;
    while ((count = count_runnable()) > 0) {
        unsigned chosen = coop_choose(count);
        for (int i = 0;; i++)
            if (kernel.processes[i]->runnable && chosen-- == 0) {
                run_process(kernel.processes[i]);
                break;
            }
    }
}

/* Lets time pass to the earliest notification; whether there is one. */
static int pass_time(void)
{
    unsigned step = 0;
    for (int i = 0; i < kernel.event_count; i++) {
        struct event *event = kernel.events[i];
        if (event->pending == AFTER_TIME && (!step || event->remaining < step))
            step = event->remaining;
    }
    if (!step)
        return 0;
    kernel.now += step;
    kernel.delta = 0;
    coop_trace("time %u\n", kernel.now);
    for (int i = 0; i < kernel.event_count; i++) {
        struct event *event = kernel.events[i];
        if (event->pending == AFTER_TIME && (event->remaining -= step) == 0)
            fire(event);
    }
    return 1;
}

/* All processes are runnable but those that are not to be initialised; these wait for what they are
 * sensitive to. */
static void initialise(void)
{
    coop_begin();
    kernel.initialised = 1;
    update();
    for (int i = 0; i < kernel.process_count; i++) {
        kernel.processes[i]->runnable = kernel.processes[i]->initialised;
        kernel.processes[i]->wait = kernel.processes[i]->initialised ? NOTHING : STATIC;
    }
    fire_deltas();
}

/* ---- the interface ---- */

sc_event sc_event_create(void)
{
    before_start();
    struct event *new = grown(0, sizeof *new);
    new->pending = NEVER;
    APPEND(kernel.events, kernel.event_count, new);
    return kernel.event_count;
}

sc_process sc_thread(void (*run)(void *), void *argument)
{
    sc_process number = add_process(run, argument, 0);
    process_of(number)->timer = sc_event_create();
    return number;
}

sc_process sc_method(void (*run)(void *), void *argument) { return add_process(run, argument, 1); }

void sc_sensitive(sc_process process, sc_event event)
{
    before_start();
    set_add(&process_of(process)->sensitivity, event_of(event));
}

void sc_dont_initialize(sc_process process)
{
    before_start();
    process_of(process)->initialised = 0;
}

/* `first` is the value of a signal, `second` the one that it has after the next update. */
void sc_signal_init(sc_signal *signal, int value)
{
    static int signals;
    signal->number = ++signals;
    signal->changed = sc_event_create();
    signal->first = signal->second = value;
}

int sc_signal_read(const sc_signal *signal) { return signal->first; }

sc_event sc_signal_event(const sc_signal *signal) { return signal->changed; }

void sc_signal_write(sc_signal *signal, int value)
{
    signal->second = value;
    for (int i = 0; i < kernel.request_count; i++)
        if (kernel.requests[i] == signal)
            return;
    APPEND(kernel.requests, kernel.request_count, signal);
}

void sc_start(void)
{
    if (kernel.running)
        coop_misuse("a process starts the simulation");
    if (!kernel.initialised)
        initialise();
    do {
        do {
            coop_trace(" delta cycle %u\n", kernel.delta++);
            evaluate();
            update();
            fire_deltas();
        } while (count_runnable() > 0);
    } while (pass_time());
}

void sc_wait(void) { wait_as(STATIC); }

static void wait_for(enum wait wait, int count, const sc_event *events)
{
    if (!kernel.running)
        coop_misuse("only a thread can wait");
    kernel.running->waited.length = 0;
    for (int i = 0; i < count; i++)
        set_add(&kernel.running->waited, event_of(events[i]));
    wait_as(wait);
}

void sc_wait_any(int count, const sc_event *events) { wait_for(ANY, count, events); }
void sc_wait_all(int count, const sc_event *events) { wait_for(ALL, count, events); }
void sc_wait_event(sc_event event) { wait_for(ANY, 1, &event); }

void sc_wait_time(sc_time time)
{
    if (!kernel.running)
        coop_misuse("only a thread can wait");
    sc_event timer = kernel.running->timer;
    sc_notify_after(timer, time);
    sc_wait_event(timer);
}

void sc_notify(sc_event event) { fire(event_of(event)); }
void sc_notify_delta(sc_event event) { notify_delta(event_of(event)); }
void sc_notify_after(sc_event event, sc_time time) { notify_after(event_of(event), time); }
void sc_cancel(sc_event event) { event_of(event)->pending = NEVER; }
