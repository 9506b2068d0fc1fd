/* FairThreads 1.0, over the scheduler in scheduler/fair/: its manual, and where that is silent the library itself.

   Threads and events are their numbers, made into pointers that point nowhere. Values of events are kept here; the scheduler knows in which of the
   slots of an event each one is. Left out: automata, mutexes, more than one scheduler, threads that leave theirs, `main` at work after the start; all
   of these are refused. Memory does not run out. */

enum {
    __regrain_ft_timeout = 2,
    __regrain_ft_next = 3,
    __regrain_ft_bad_creation = 5,
    __regrain_ft_events = 64,
    __regrain_ft_slots = 8,
    __regrain_ft_threads = 128
};

static struct ft_scheduler_t {
    int unused;
} __regrain_ft_scheduler;

static void *__regrain_ft_values[__regrain_ft_events * __regrain_ft_slots];
static void (*__regrain_ft_cleanups[__regrain_ft_threads])(void *);
static void *__regrain_ft_arguments[__regrain_ft_threads];

/* How the last wait of this thread ended. A thread that was stopped does what it has left to do, and ends. */
static int __regrain_ft_outcome(void) {
    long outcome = __regrain_schedule("outcome");
    if (__regrain_used("ft_scheduler_stop") && outcome == -1) {
        unsigned long self = __regrain_self();
        void (*cleanup)(void *) = __regrain_ft_cleanups[self];
        if (cleanup)
            __regrain_call("ft_thread_create/2", cleanup, __regrain_ft_arguments[self]);
        __regrain_exit(0);
    }
    return (int)outcome;
}

/* Behind a wait that can end in one way only, if nobody is stopped. */
static int __regrain_ft_waited(void) {
    if (__regrain_used("ft_scheduler_stop"))
        __regrain_ft_outcome();
    return 0;
}

static int __regrain_ft_waited_n(void) {
    return __regrain_ft_outcome() == -3 ? __regrain_ft_timeout : 0;
}

static void **__regrain_ft_value(ft_event_t event, long slot) {
    long number = (long)event;
    if (number >= __regrain_ft_events)
        __regrain_undefined("more than 63 events, one of which has a value");
    return &__regrain_ft_values[number * __regrain_ft_slots + slot];
}

ft_scheduler_t ft_scheduler_create(void) {
    __regrain_schedule("scheduler");
    return &__regrain_ft_scheduler;
}

int ft_scheduler_start(ft_scheduler_t scheduler) {
    if (!scheduler)
        return __regrain_ft_bad_creation;
    if (__regrain_self() != 0)
        __regrain_refused("`ft_scheduler_start` by a thread of a scheduler");
    __regrain_schedule("start");
    return 0;
}

ft_thread_t ft_thread_create(ft_scheduler_t scheduler, ft_executable_t run, ft_executable_t cleanup, void *args) {
    if (!scheduler)
        return 0;
    unsigned long number = __regrain_create((void *(*)(void *))run, args);
    if (__regrain_used("ft_scheduler_stop")) {
        __regrain_ft_cleanups[number] = cleanup;
        __regrain_ft_arguments[number] = args;
    }
    __regrain_schedule("link", number);
    return (ft_thread_t)number;
}

ft_event_t ft_event_create(ft_scheduler_t scheduler) {
    if (!scheduler)
        return 0;
    unsigned long number = __regrain_fresh("event");
    __regrain_schedule("event", number);
    return (ft_event_t)number;
}

int ft_scheduler_stop(ft_thread_t thread) {
    if (!thread)
        return __regrain_ft_bad_creation;
    __regrain_schedule("stop", (long)thread);
    return 0;
}

int ft_scheduler_suspend(ft_thread_t thread) {
    if (!thread)
        return __regrain_ft_bad_creation;
    __regrain_schedule("suspend", (long)thread);
    return 0;
}

int ft_scheduler_resume(ft_thread_t thread) {
    if (!thread)
        return __regrain_ft_bad_creation;
    __regrain_schedule("resume", (long)thread);
    return 0;
}

int ft_scheduler_broadcast(ft_event_t event) {
    if (!event)
        return __regrain_ft_bad_creation;
    __regrain_schedule("broadcast", (long)event);
    return 0;
}

int ft_scheduler_broadcast_value(ft_event_t event, void *value) {
    if (!event)
        return __regrain_ft_bad_creation;
    long slot = __regrain_schedule("broadcast_value", (long)event);
    *__regrain_ft_value(event, slot) = value;
    return 0;
}

int ft_thread_generate(ft_event_t event) {
    if (__regrain_self() == 0 || !event)
        return __regrain_ft_bad_creation;
    __regrain_schedule("generate", (long)event);
    return 0;
}

int ft_thread_generate_value(ft_event_t event, void *value) {
    if (__regrain_self() == 0 || !event)
        return __regrain_ft_bad_creation;
    long slot = __regrain_schedule("generate_value", (long)event);
    *__regrain_ft_value(event, slot) = value;
    return 0;
}

int ft_thread_await(ft_event_t event) {
    if (__regrain_self() == 0 || !event)
        return __regrain_ft_bad_creation;
    __regrain_schedule("await", (long)event);
    return __regrain_ft_waited();
}

int ft_thread_await_n(ft_event_t event, int instants) {
    if (__regrain_self() == 0 || !event)
        return __regrain_ft_bad_creation;
    __regrain_schedule("await_n", (long)event, instants);
    return __regrain_ft_waited_n();
}

/* Whether all events are there; the scheduler is told to watch them. */
static _Bool __regrain_ft_watch(int length, ft_event_t *events) {
    for (int i = 0; i < length; i++)
        if (!events[i])
            return 0;
    for (int i = 0; i < length; i++)
        __regrain_schedule("watch", (long)events[i]);
    return 1;
}

static void __regrain_ft_fill(int length, ft_event_t *events, int *mask) {
    if (mask)
        for (int i = 0; i < length; i++)
            mask[i] = (int)__regrain_schedule("present", (long)events[i]);
}

int ft_thread_select(int length, ft_event_t *events, int *mask) {
    if (__regrain_self() == 0 || !__regrain_ft_watch(length, events))
        return __regrain_ft_bad_creation;
    __regrain_schedule("select");
    __regrain_ft_waited();
    __regrain_ft_fill(length, events, mask);
    return 0;
}

/* The mask is filled whenever the library looks for events; at the last look before a timeout none was there. */
int ft_thread_select_n(int length, ft_event_t *events, int *mask, int instants) {
    if (__regrain_self() == 0 || !__regrain_ft_watch(length, events))
        return __regrain_ft_bad_creation;
    __regrain_schedule("select_n", instants);
    int code = __regrain_ft_waited_n();
    if (code == 0)
        __regrain_ft_fill(length, events, mask);
    else if (mask && instants > 0)
        for (int i = 0; i < length; i++)
            mask[i] = 0;
    return code;
}

/* The library leaves `*result` alone if there is no value. */
int ft_thread_get_value(ft_event_t event, int index, void **result) {
    if (__regrain_self() == 0 || !event)
        return __regrain_ft_bad_creation;
    __regrain_schedule("get_value", (long)event, index);
    int slot = __regrain_ft_outcome();
    if (slot < 0)
        return __regrain_ft_next;
    *result = *__regrain_ft_value(event, slot);
    return 0;
}

int ft_thread_cooperate(void) {
    if (__regrain_self() == 0)
        return __regrain_ft_bad_creation;
    __regrain_schedule("cooperate");
    return __regrain_ft_waited();
}

int ft_thread_cooperate_n(int instants) {
    if (__regrain_self() == 0)
        return __regrain_ft_bad_creation;
    __regrain_schedule("cooperate_n", instants);
    return __regrain_ft_waited();
}

int ft_thread_join(ft_thread_t thread) {
    if (__regrain_self() == 0 || !thread)
        return __regrain_ft_bad_creation;
    __regrain_schedule("join", (long)thread);
    return __regrain_ft_waited();
}

int ft_thread_join_n(ft_thread_t thread, int instants) {
    if (__regrain_self() == 0 || !thread)
        return __regrain_ft_bad_creation;
    __regrain_schedule("join_n", (long)thread, instants);
    return __regrain_ft_waited_n();
}

ft_thread_t ft_thread_self(void) { return (ft_thread_t)__regrain_self(); }

ft_scheduler_t ft_thread_scheduler(void) { return __regrain_self() == 0 ? 0 : &__regrain_ft_scheduler; }

void ft_exit(void) { __regrain_exit(0); }
