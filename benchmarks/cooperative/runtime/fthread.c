/* FairThreads on coroutines: the part of the library that fthread.h declares, for threads that stay linked
 * to one scheduler.
 *
 * F. Boussinot, "FairThreads: mixing cooperative and preemptive threads in C", Concurrency and Computation
 * 18(5), 2006, and the manual of version 1.0. main builds and starts the scheduler; its ft_exit() hands the
 * stack over to it. The run ends when nothing can ever happen again, where the library would sleep for ever.
 *
 * Threads go in the order of their creation. With COOP_SCHEDULER=fair-any-order those that are there at the
 * start take random places, which they keep.
 */
#include "core.h"
#include "fthread.h"

enum status { READY, BLOCKED, DONE, WAITING, SUSPENDED, TERMINATED };

struct list {
    struct thread **items;
    int length;
};

struct thread {
    struct coroutine coroutine;
    ft_executable_t run, cleanup;
    void *arguments;
    enum status status;
    int stopped, deadline, number;
};

struct event {
    int instant;
    void **values;
    int count;
    struct list waiting;
};

struct broadcast {
    struct event *event;
    int pure;
    void *value;
};

/* The scheduler: there is one. */
static struct scheduler {
    int created, started;
    int instant;
    int moved;          /* something happened in this pass that somebody may wait for */
    int closing;        /* the end of the instant has been decided: what is absent stays absent */
    struct list linked, timer, to_run, to_stop, to_suspend, to_resume;
    struct broadcast *broadcasts;
    int broadcast_count, thread_count;
} scheduler;

static ft_scheduler_t handle(void) { return (ft_scheduler_t)&scheduler; }
static struct thread *as_thread(ft_thread_t thread) { return (struct thread *)thread; }
static struct event *as_event(ft_event_t event) { return (struct event *)event; }
static struct thread *self(void) { return (struct thread *)coop_running; }

static void *grown(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);
    if (!new)
        coop_misuse("out of memory");
    return new;
}

static void insert(struct list *list, int place, struct thread *thread)
{
    list->items = grown(list->items, (list->length + 1) * sizeof *list->items);
    memmove(list->items + place + 1, list->items + place, (list->length - place) * sizeof *list->items);
    list->items[place] = thread;
    list->length++;
}

/* Appends a thread unless it is there. */
static void add(struct list *list, struct thread *thread)
{
    for (int i = 0; i < list->length; i++)
        if (list->items[i] == thread)
            return;
    insert(list, list->length, thread);
}

static void drop(struct list *list, int place)
{
    list->length--;
    memmove(list->items + place, list->items + place + 1, (list->length - place) * sizeof *list->items);
}

/* ---- creation ---- */

ft_scheduler_t ft_scheduler_create(void)
{
    if (scheduler.created)
        coop_misuse("a second scheduler");
    coop_begin();
    scheduler.created = 1;
    return handle();
}

int ft_scheduler_start(ft_scheduler_t which)
{
    if (!scheduler.created || which != handle())
        return EBADCREATE;
    scheduler.started = 1;
    return OK;
}

ft_thread_t ft_thread_create(
    ft_scheduler_t which, ft_executable_t run, ft_executable_t cleanup, void *arguments)
{
    if (!scheduler.created || which != handle())
        return 0;
    if (scheduler.started && !self())
        coop_misuse("main creates a thread after the start");
    struct thread *new = grown(0, sizeof *new);
    memset(new, 0, sizeof *new);
    coop_create(&new->coroutine, run, arguments);
    new->cleanup = cleanup;
    new->arguments = arguments;
    new->number = ++scheduler.thread_count;
    add(&scheduler.to_run, new);
    return (ft_thread_t)new;
}

ft_event_t ft_event_create(ft_scheduler_t which)
{
    if (!scheduler.created || which != handle())
        return 0;
    struct event *new = grown(0, sizeof *new);
    memset(new, 0, sizeof *new);
    new->instant = -1;
    return (ft_event_t)new;
}

ft_thread_t ft_thread_self(void) { return (ft_thread_t)self(); }

ft_scheduler_t ft_thread_scheduler(void) { return self() ? handle() : 0; }

/* ---- what threads do ---- */

static void terminate(struct thread *thread)
{
    coop_trace("  thread %d ends\n", thread->number);
    thread->status = TERMINATED;
    coop_end();
}

/* Gives the turn back. A thread that was stopped in the meantime cleans up and ends instead of going on. */
static void give_back(enum status status)
{
    struct thread *me = self();
    me->status = status;
    coop_yield();
    if (me->stopped) {
        if (me->cleanup)
            me->cleanup(me->arguments);
        terminate(me);
    }
}

static int present(const struct event *event) { return event->instant == scheduler.instant; }

static void generate(struct event *event)
{
    if (present(event))
        return;
    event->instant = scheduler.instant;
    scheduler.moved = 1;
    event->count = 0;
    for (int i = 0; i < event->waiting.length; i++)
        if (event->waiting.items[i]->status == WAITING)
            event->waiting.items[i]->status = BLOCKED;
    event->waiting.length = 0;
}

static void generate_value(struct event *event, void *value)
{
    generate(event);
    scheduler.moved = 1;
    event->values = grown(event->values, (event->count + 1) * sizeof *event->values);
    event->values[event->count++] = value;
}

#define LINKED                 \
    do {                       \
        if (!self())           \
            return EBADCREATE; \
    } while (0)
#define CREATED(what)          \
    do {                       \
        if (!(what))           \
            return EBADCREATE; \
    } while (0)

int ft_thread_generate(ft_event_t event)
{
    LINKED;
    CREATED(event);
    generate(as_event(event));
    return OK;
}

int ft_thread_generate_value(ft_event_t event, void *value)
{
    LINKED;
    CREATED(event);
    generate_value(as_event(event), value);
    return OK;
}

int ft_thread_cooperate(void)
{
    LINKED;
    give_back(DONE);
    return OK;
}

static void wake_me_at(int deadline)
{
    self()->deadline = deadline;
    add(&scheduler.timer, self());
}

static int expired(int deadline) { return deadline <= scheduler.instant; }

int ft_thread_cooperate_n(int count)
{
    LINKED;
    int deadline = scheduler.instant + count;
    while (!expired(deadline)) {
        wake_me_at(deadline);
        give_back(WAITING);
    }
    return OK;
}

/* Fills the mask; whether one of the events is present. */
static int any_present(int length, ft_event_t *events, int *mask)
{
    int found = 0;
    for (int i = 0; i < length; i++) {
        int here = present(as_event(events[i]));
        found |= here;
        if (mask)
            mask[i] = here;
    }
    return found;
}

/* Waits for one of the events, until the deadline if there is one. */
static int wait_for(int length, ft_event_t *events, int *mask, const int *deadline)
{
    for (;;) {
        if (deadline && expired(*deadline))
            return ETIMEOUT;
        if (any_present(length, events, mask))
            return OK;
        if (scheduler.closing) {
            give_back(DONE);
            continue;
        }
        for (int i = 0; i < length; i++)
            add(&as_event(events[i])->waiting, self());
        if (deadline)
            wake_me_at(*deadline);
        give_back(WAITING);
    }
}

static int all_created(int length, ft_event_t *events)
{
    for (int i = 0; i < length; i++)
        if (!events[i])
            return 0;
    return 1;
}

int ft_thread_select(int length, ft_event_t *events, int *mask)
{
    LINKED;
    CREATED(all_created(length, events));
    return wait_for(length, events, mask, 0);
}

int ft_thread_select_n(int length, ft_event_t *events, int *mask, int count)
{
    LINKED;
    CREATED(all_created(length, events));
    int deadline = scheduler.instant + count;
    return wait_for(length, events, mask, &deadline);
}

int ft_thread_await(ft_event_t event) { return ft_thread_select(1, &event, 0); }

int ft_thread_await_n(ft_event_t event, int count) { return ft_thread_select_n(1, &event, 0, count); }

static int join_until(struct thread *thread, const int *deadline)
{
    for (;;) {
        if (deadline && expired(*deadline))
            return ETIMEOUT;
        if (thread->status == TERMINATED) {
            scheduler.moved = 1;
            return OK;
        }
        give_back(scheduler.closing ? DONE : BLOCKED);
    }
}

int ft_thread_join(ft_thread_t thread)
{
    LINKED;
    CREATED(thread);
    return join_until(as_thread(thread), 0);
}

int ft_thread_join_n(ft_thread_t thread, int count)
{
    LINKED;
    CREATED(thread);
    int deadline = scheduler.instant + count;
    return join_until(as_thread(thread), &deadline);
}

int ft_thread_get_value(ft_event_t event, int index, void **result)
{
    LINKED;
    CREATED(event);
    struct event *from = as_event(event);
    for (;;) {
        if (present(from) && from->count > index) {
            *result = from->values[index];
            return OK;
        }
        if (scheduler.closing)
            break;
        give_back(BLOCKED);
    }
    give_back(DONE);
    return ENEXT;
}

/* ---- orders: done at the beginning of the next instant ---- */

static int order(struct list *list, ft_thread_t thread)
{
    CREATED(thread);
    add(list, as_thread(thread));
    return OK;
}

int ft_scheduler_stop(ft_thread_t thread) { return order(&scheduler.to_stop, thread); }
int ft_scheduler_suspend(ft_thread_t thread) { return order(&scheduler.to_suspend, thread); }
int ft_scheduler_resume(ft_thread_t thread) { return order(&scheduler.to_resume, thread); }

static int broadcast(ft_event_t event, int pure, void *value)
{
    CREATED(event);
    scheduler.broadcasts =
        grown(scheduler.broadcasts, (scheduler.broadcast_count + 1) * sizeof *scheduler.broadcasts);
    scheduler.broadcasts[scheduler.broadcast_count++] = (struct broadcast){as_event(event), pure, value};
    return OK;
}

int ft_scheduler_broadcast(ft_event_t event) { return broadcast(event, 1, 0); }
int ft_scheduler_broadcast_value(ft_event_t event, void *value) { return broadcast(event, 0, value); }

static void wake(struct thread *thread)
{
    if (thread->status == SUSPENDED || thread->status == WAITING)
        thread->status = READY;
}

static int any_order(void)
{
    const char *policy = getenv("COOP_SCHEDULER");
    return policy && strcmp(policy, "fair-any-order") == 0;
}

/* Threads that are there at the start may take any place, later ones take the last. */
static void link_new_threads(void)
{
    int choose = scheduler.instant == 1 && any_order();
    for (int i = 0; i < scheduler.to_run.length; i++) {
        int length = scheduler.linked.length;
        insert(&scheduler.linked, choose ? (int)coop_choose(length + 1) : length, scheduler.to_run.items[i]);
    }
    scheduler.to_run.length = 0;
}

/* The last order to broadcast comes first, as in the library: it shows in the order of an event's values. */
static void send_broadcasts(void)
{
    while (scheduler.broadcast_count > 0) {
        struct broadcast *next = &scheduler.broadcasts[--scheduler.broadcast_count];
        if (next->pure)
            generate(next->event);
        else
            generate_value(next->event, next->value);
    }
}

static void carry_out_orders(void)
{
    link_new_threads();
    send_broadcasts();
    for (int i = 0; i < scheduler.to_stop.length; i++) {
        scheduler.to_stop.items[i]->stopped = 1;
        wake(scheduler.to_stop.items[i]);
    }
    for (int i = scheduler.linked.length - 1; i >= 0; i--)
        if (scheduler.linked.items[i]->status == TERMINATED)
            drop(&scheduler.linked, i);
    for (int i = 0; i < scheduler.to_resume.length; i++)
        wake(scheduler.to_resume.items[i]);
    for (int i = 0; i < scheduler.to_suspend.length; i++)
        scheduler.to_suspend.items[i]->status = SUSPENDED;
    scheduler.to_stop.length = scheduler.to_resume.length = scheduler.to_suspend.length = 0;
}

/* ---- instants ---- */

static int count_with(enum status status)
{
    int count = 0;
    for (int i = 0; i < scheduler.linked.length; i++)
        count += scheduler.linked.items[i]->status == status;
    return count;
}

static int something_to_do(void)
{
    return scheduler.timer.length || count_with(READY) || scheduler.to_run.length
        || scheduler.to_resume.length || scheduler.broadcast_count;
}

static void wake_by_time(void)
{
    for (int i = scheduler.timer.length - 1; i >= 0; i--) {
        struct thread *thread = scheduler.timer.items[i];
        if (!expired(thread->deadline))
            continue;
        if (thread->status == WAITING)
            thread->status = READY;
        drop(&scheduler.timer, i);
    }
}

static void pass_over_threads(void)
{
    for (int i = 0; i < scheduler.linked.length; i++) {
        struct thread *thread = scheduler.linked.items[i];
        if (thread->status != READY && thread->status != BLOCKED)
            continue;
        coop_trace("  thread %d goes\n", thread->number);
        coop_resume(&thread->coroutine);
        if (thread->coroutine.ended)
            thread->status = TERMINATED;
    }
}

static void one_instant(void)
{
    scheduler.instant++;
    scheduler.moved = scheduler.closing = 0;
    coop_trace("instant %d\n", scheduler.instant);
    wake_by_time();
    carry_out_orders();
    for (;;) {
        scheduler.moved = 0;
        pass_over_threads();
        if (count_with(READY) + count_with(BLOCKED) == 0)
            break;
        if (count_with(READY) == 0) {
            scheduler.closing |= !scheduler.moved;
            for (int i = 0; i < scheduler.linked.length; i++)
                if (scheduler.linked.items[i]->status == BLOCKED)
                    scheduler.linked.items[i]->status = READY;
        }
    }
    for (int i = 0; i < scheduler.linked.length; i++)
        if (scheduler.linked.items[i]->status == DONE)
            scheduler.linked.items[i]->status = READY;
}

/* Threads stay with their scheduler. */
int ft_thread_unlink(void)
{
    coop_misuse("a thread leaves its scheduler");
    return EBADLINK;
}

int ft_thread_link(ft_scheduler_t which)
{
    (void)which;
    coop_misuse("a thread changes its scheduler");
    return EBADLINK;
}

/* A thread ends; main gives its stack to the scheduler. */
void ft_exit(void)
{
    if (self())
        terminate(self());
    if (scheduler.started)
        while (something_to_do())
            one_instant();
    exit(0);
}
