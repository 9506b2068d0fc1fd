/* The kernel of SystemC in C, over the scheduler in scheduler/systemc/ (IEEE 1666-2011, sections 4.2, 5.10, 6.4).

   A signal has two sides: the value that can be read is on one, what was written last is on the other. Which is which is for the kernel to know, who changes
   them over in the update phase if the signal was written. Values do not change during an evaluation phase, so that the writer can say whether the two differ. */

sc_event sc_event_create(void) {
    sc_event event = (sc_event)__regrain_fresh("event");
    __regrain_schedule("event", event);
    return event;
}

sc_process sc_thread(void (*run)(void *), void *argument) {
    sc_process process = (sc_process)__regrain_create((void *(*)(void *))run, argument);
    __regrain_schedule("process", process, 0);
    return process;
}

sc_process sc_method(void (*run)(void *), void *argument) {
    sc_process process = (sc_process)__regrain_create_repeated(run, argument, "return", "");
    __regrain_schedule("process", process, 1);
    return process;
}

void sc_sensitive(sc_process process, sc_event event) { __regrain_schedule("sensitive", process, event); }

void sc_dont_initialize(sc_process process) { __regrain_schedule("dont_initialize", process); }

void sc_start(void) { __regrain_schedule("start"); }

void sc_wait(void) { __regrain_schedule("wait"); }

void sc_wait_event(sc_event event) { __regrain_schedule("wait_event", event); }

static void __regrain_sc_watch(int count, const sc_event *events) {
    for (int i = 0; i < count; i++)
        __regrain_schedule("watch", events[i]);
}

void sc_wait_any(int count, const sc_event *events) {
    __regrain_sc_watch(count, events);
    __regrain_schedule("wait_any");
}

void sc_wait_all(int count, const sc_event *events) {
    __regrain_sc_watch(count, events);
    __regrain_schedule("wait_all");
}

void sc_wait_time(sc_time time) { __regrain_schedule("wait_time", time); }

void sc_notify(sc_event event) { __regrain_schedule("notify", event); }

void sc_notify_delta(sc_event event) { __regrain_schedule("notify_delta", event); }

void sc_notify_after(sc_event event, sc_time time) { __regrain_schedule("notify_after", event, time); }

void sc_cancel(sc_event event) { __regrain_schedule("cancel", event); }

void sc_signal_init(sc_signal *signal, int value) {
    signal->number = (int)__regrain_fresh("signal");
    signal->changed = sc_event_create();
    signal->first = value;
    signal->second = value;
    __regrain_schedule("signal", signal->number, signal->changed);
}

int sc_signal_read(const sc_signal *signal) {
    if (__regrain_schedule("side", signal->number))
        return signal->second;
    return signal->first;
}

void sc_signal_write(sc_signal *signal, int value) {
    _Bool changes;
    if (__regrain_schedule("side", signal->number)) {
        signal->first = value;
        changes = signal->second != value;
    } else {
        signal->second = value;
        changes = signal->first != value;
    }
    if (changes)
        __regrain_schedule("write", signal->number, 1);
    else
        __regrain_schedule("write", signal->number, 0);
}

sc_event sc_signal_event(const sc_signal *signal) { return signal->changed; }
