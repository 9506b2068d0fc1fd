//! The phases of SystemC's kernel: who may run next.
//!
//! Evaluation: any runnable process runs until it waits or ends. When none is left, signals that were written
//! take their new values, and events are notified whose time is the next delta cycle; if that makes processes
//! runnable, a delta cycle begins. Else time passes to the earliest notification, and everything that is due
//! then happens. When nothing is left at all, `main` goes on.

use super::state::{Kernel, Phase, Status};

/// A process gets its turn, or `main` does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    /// How things then stand.
    pub kernel: Kernel,
    /// Whose turn it is.
    pub thread: i32,
    /// How many delta cycles have begun since time last passed.
    pub cycles: u64,
    /// How much time has passed.
    pub time: u64,
}

/// The turns that may come next.
pub(super) fn turns(mut kernel: Kernel) -> Vec<Turn> {
    if kernel.phase != Phase::Simulation {
        return Vec::new();
    }
    let (mut cycles, mut time) = (0, 0);
    while !kernel.processes.iter().any(|process| process.status == Status::Runnable) {
        update(&mut kernel);
        if notify_delta(&mut kernel) {
            cycles += 1;
            continue;
        }
        match pass_time(&mut kernel) {
            Some(passed) => {
                (cycles, time) = (0, time + passed);
            }
            None => {
                kernel.phase = Phase::Pause;
                return vec![Turn { kernel, thread: 0, cycles, time }];
            }
        }
    }
    let runnable = (0..kernel.processes.len()).filter(|&it| kernel.processes[it].status == Status::Runnable);
    let turn = |thread: usize| {
        let mut kernel = kernel.clone();
        kernel.processes[thread].status = Status::Running;
        Turn { kernel, thread: thread as i32, cycles, time }
    };
    runnable.map(turn).collect()
}

/// The simulation begins: all processes but those that do not want to be initialised are runnable.
pub(super) fn initialise(kernel: &mut Kernel) {
    update(kernel);
    for process in kernel.processes.iter_mut().filter(|process| process.status != Status::Absent) {
        process.status = if process.initialise { Status::Runnable } else { Status::Sensitive };
    }
    notify_delta(kernel);
}

/// The update phase: signals that were written change their sides, and those whose value is another one then
/// tell of it in the delta notification phase that follows. Where the value is the same nobody sees the
/// change of sides, and states differ less if it happens all the same.
fn update(kernel: &mut Kernel) {
    for index in 0..kernel.signals.len() {
        let signal = &mut kernel.signals[index];
        let Some(differs) = signal.request.take() else { continue };
        signal.side = !signal.side;
        if differs {
            let changed = signal.changed;
            kernel.event(changed).pending = Some(0);
        }
    }
}

/// The delta notification phase; whether it made a process runnable.
fn notify_delta(kernel: &mut Kernel) -> bool {
    for event in 1..=kernel.events.len() as i32 {
        if kernel.event(event).pending == Some(0) {
            notify(kernel, event);
        }
    }
    for process in kernel.processes.iter_mut().filter(|process| process.status == Status::Delta) {
        process.wake();
    }
    kernel.processes.iter().any(|process| process.status == Status::Runnable)
}

/// Time passes to the next thing that is due, which then happens; how much passed, if anything is due at all.
fn pass_time(kernel: &mut Kernel) -> Option<u64> {
    let events = kernel.events.iter().filter_map(|event| event.pending);
    let timed = kernel.processes.iter().filter(|process| process.status == Status::Time);
    let next = events.chain(timed.map(|process| process.timer)).min()?;
    for process in kernel.processes.iter_mut().filter(|process| process.status == Status::Time) {
        process.timer -= next;
        if process.timer == 0 {
            process.wake();
        }
    }
    let due: Vec<i32> =
        (1..=kernel.events.len() as i32).filter(|&event| kernel.event(event).pending == Some(next)).collect();
    for event in &mut kernel.events {
        event.pending = event.pending.map(|time| time - next);
    }
    due.into_iter().for_each(|event| notify(kernel, event));
    Some(next as u64)
}

/// An event is notified: its pending notification is gone, and who waits for it is runnable.
pub(super) fn notify(kernel: &mut Kernel, event: i32) {
    kernel.event(event).pending = None;
    for process in &mut kernel.processes {
        let wakes = match process.status {
            Status::Sensitive => process.sensitivity.contains(&event),
            Status::Any => process.awaited.contains(&event),
            Status::All => {
                process.awaited.retain(|&other| other != event);
                process.awaited.is_empty()
            }
            _ => false,
        };
        if wakes {
            process.wake();
        }
    }
}

/// An event is to be notified after some time, 0 for the next delta cycle. Only the earliest notification
/// counts.
pub(super) fn notify_after(kernel: &mut Kernel, event: i32, time: i32) {
    let pending = &mut kernel.event(event).pending;
    *pending = Some(pending.map_or(time, |earlier| earlier.min(time)));
}
