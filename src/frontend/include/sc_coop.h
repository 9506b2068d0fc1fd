/* The kernel of SystemC (IEEE 1666) for C: processes, events, signals, delta cycles and simulated time.

   `main` creates everything, calls `sc_start`, and goes on when nothing is left to simulate. */
#ifndef REGRAIN_SC_COOP_H
#define REGRAIN_SC_COOP_H

typedef int sc_event;
typedef int sc_process;
typedef unsigned sc_time;

/* Its fields belong to the implementation. */
typedef struct sc_signal {
    int number;
    sc_event changed;
    int first;
    int second;
} sc_signal;

/* Before `sc_start`, by `main`. A thread runs once and may wait; a method runs again whenever an event of its sensitivity is notified, and may not. */
sc_event sc_event_create(void);
sc_process sc_thread(void (*run)(void *), void *argument);
sc_process sc_method(void (*run)(void *), void *argument);
void sc_sensitive(sc_process process, sc_event event);
void sc_dont_initialize(sc_process process);
void sc_signal_init(sc_signal *signal, int value);

/* Simulates until nothing is left to do. */
void sc_start(void);

/* Waiting, by threads: for an event of the sensitivity, for an event, for any or all of some events, for a time; time 0 is the next delta cycle. */
void sc_wait(void);
void sc_wait_event(sc_event event);
void sc_wait_any(int count, const sc_event *events);
void sc_wait_all(int count, const sc_event *events);
void sc_wait_time(sc_time time);

/* Notification: now, in the next delta cycle, after a time (0: in the next delta cycle); and taking it back. */
void sc_notify(sc_event event);
void sc_notify_delta(sc_event event);
void sc_notify_after(sc_event event, sc_time time);
void sc_cancel(sc_event event);

/* Signals: what is written can be read after the update phase that follows; if that is something else, `changed` is notified. */
int sc_signal_read(const sc_signal *signal);
void sc_signal_write(sc_signal *signal, int value);
sc_event sc_signal_event(const sc_signal *signal);

#endif
