//! The kernel of SystemC: any runnable process, delta cycles, simulated time.
//!
//! The meaning is that of IEEE 1666-2011, sections 4.2 (elaboration and simulation) and 5.10 (events),
//! without dynamic processes; `kernel.rs` tells how it goes. The standard leaves open which runnable process
//! goes first: all orders are followed.
//!
//! An event has at most one pending notification: an immediate one cancels it and happens now, of two others
//! the earlier one stays. Values of signals are not known here. Who writes tells whether the value differs
//! from the current one, and only the last write of an evaluation phase counts.

mod kernel;
mod situation;
mod state;
#[cfg(test)]
mod tests;

use super::table::{self, Blocks, Entry, number};
use super::{Clock, Footprint, Misuse, Resource, Scheduler, Situation, State};
use crate::program::{Primitive, ThreadId};
use kernel::Turn;
use state::{Kernel, Phase, Signal, Status};

/// The kernel.
pub(super) struct SystemC;

/// The primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Event,
    Process,
    Sensitive,
    DontInitialise,
    Signal,
    Start,
    Wait,
    WaitEvent,
    Watch,
    WaitAny,
    WaitAll,
    WaitTime,
    Notify,
    NotifyDelta,
    NotifyAfter,
    Cancel,
    Side,
    Write,
    Return,
    End,
}

const fn entry(name: &'static str, kind: Kind, arguments: usize, blocks: Blocks) -> Entry<Kind> {
    Entry { name, kind, arguments, blocks }
}

const TABLE: [Entry<Kind>; 20] = [
    entry("event", Kind::Event, 1, Blocks::Never),
    entry("process", Kind::Process, 2, Blocks::Never),
    entry("sensitive", Kind::Sensitive, 2, Blocks::Never),
    entry("dont_initialize", Kind::DontInitialise, 1, Blocks::Never),
    entry("signal", Kind::Signal, 2, Blocks::Never),
    entry("start", Kind::Start, 0, Blocks::Perhaps),
    entry("wait", Kind::Wait, 0, Blocks::Perhaps),
    entry("wait_event", Kind::WaitEvent, 1, Blocks::Perhaps),
    entry("watch", Kind::Watch, 1, Blocks::Never),
    entry("wait_any", Kind::WaitAny, 0, Blocks::Perhaps),
    entry("wait_all", Kind::WaitAll, 0, Blocks::Perhaps),
    entry("wait_time", Kind::WaitTime, 1, Blocks::Perhaps),
    entry("notify", Kind::Notify, 1, Blocks::Never),
    entry("notify_delta", Kind::NotifyDelta, 1, Blocks::Never),
    entry("notify_after", Kind::NotifyAfter, 2, Blocks::Never),
    entry("cancel", Kind::Cancel, 1, Blocks::Never),
    entry("side", Kind::Side, 1, Blocks::Never),
    entry("write", Kind::Write, 2, Blocks::Never),
    entry("return", Kind::Return, 0, Blocks::Perhaps),
    entry("end", Kind::End, 0, Blocks::Perhaps),
];

impl Scheduler for SystemC {
    fn primitive(&self, name: &str) -> Option<Primitive> {
        table::find(&TABLE, name)
    }

    fn initial(&self, threads: usize) -> State {
        State::of_main(Kernel::new(threads).write())
    }

    fn execute(
        &self,
        state: &mut State,
        caller: ThreadId,
        primitive: Primitive,
        arguments: &[i64],
    ) -> Result<i64, Misuse> {
        let mut kernel = Kernel::read(&state.words);
        let kind = table::checked(&TABLE, primitive, arguments)?;
        let done = perform(&mut kernel, caller.index() as i32, kind, arguments)?;
        if done.is_none() {
            state.running = None;
        }
        state.words = kernel.write();
        Ok(i64::from(done.unwrap_or(0)))
    }

    fn next(&self, state: &State) -> Vec<State> {
        kernel::turns(Kernel::read(&state.words)).iter().map(Turn::state).collect()
    }

    fn may_block(&self, primitive: Primitive) -> bool {
        table::entry(&TABLE, primitive).blocks == Blocks::Perhaps
    }

    fn footprint(
        &self,
        state: &State,
        caller: ThreadId,
        primitive: Primitive,
        arguments: &[Option<i64>],
    ) -> Footprint {
        let first = arguments.first().copied().flatten().map(number);
        let sensitivity = &Kernel::read(&state.words).processes[caller.index()].sensitivity;
        footprint(table::entry(&TABLE, primitive).kind, first, sensitivity)
    }

    fn awaits(&self, state: &State, thread: ThreadId) -> Vec<Resource> {
        situation::awaits(&Kernel::read(&state.words), thread.index())
    }

    fn leaves_order_open(&self) -> bool {
        true
    }

    fn advance(&self, clock: Clock, before: &State, after: &State) -> Clock {
        let turns = kernel::turns(Kernel::read(&before.words));
        match turns.iter().find(|turn| turn.state() == *after) {
            Some(turn) if turn.time > 0 => Clock { rounds: turn.cycles, time: clock.time + turn.time },
            Some(turn) => Clock { rounds: clock.rounds + turn.cycles, ..clock },
            None => clock,
        }
    }

    fn situation(&self, state: &State, clock: Clock) -> Situation {
        situation::of(&Kernel::read(&state.words), clock)
    }
}

impl Turn {
    fn state(&self) -> State {
        State { running: Some(ThreadId::new(self.thread as usize)), words: self.kernel.write() }
    }
}

fn misuse<T>(text: &str) -> Result<T, Misuse> {
    Err(Misuse(text.to_owned()))
}

/// Does what a primitive asks for; nothing if the caller's turn is over.
fn perform(kernel: &mut Kernel, caller: i32, kind: Kind, arguments: &[i64]) -> Result<Option<i32>, Misuse> {
    let argument = |index: usize| number(arguments[index]);
    let process = |kernel: &Kernel| match (caller, kernel.processes[caller as usize].method) {
        (0, _) => misuse("`main` waits like a process"),
        (_, true) => misuse("a method waits"),
        (_, false) => Ok(()),
    };
    match kind {
        Kind::Event | Kind::Process | Kind::Sensitive | Kind::DontInitialise | Kind::Signal => {
            elaborate(kernel, kind, arguments)?;
        }
        Kind::Start => return start(kernel, caller),
        Kind::Wait => {
            process(kernel)?;
            return wait(kernel, caller, Status::Sensitive);
        }
        Kind::WaitEvent => {
            process(kernel)?;
            kernel.process(caller).awaited = vec![event(kernel, arguments[0])?];
            return wait(kernel, caller, Status::Any);
        }
        Kind::Watch => {
            let event = event(kernel, arguments[0])?;
            insert(&mut kernel.process(caller).awaited, event);
        }
        Kind::WaitAny | Kind::WaitAll => {
            process(kernel)?;
            let status = if kind == Kind::WaitAny { Status::Any } else { Status::All };
            return wait(kernel, caller, status);
        }
        Kind::WaitTime => {
            process(kernel)?;
            let time = time(arguments[0])?;
            kernel.process(caller).timer = time;
            return wait(kernel, caller, if time == 0 { Status::Delta } else { Status::Time });
        }
        Kind::Notify if kernel.phase == Phase::Elaboration => {
            return misuse("an immediate notification before the simulation begins");
        }
        Kind::Notify => kernel::notify(kernel, event(kernel, arguments[0])?),
        Kind::NotifyDelta => kernel::notify_after(kernel, event(kernel, arguments[0])?, 0),
        Kind::NotifyAfter => kernel::notify_after(kernel, event(kernel, arguments[0])?, time(arguments[1])?),
        Kind::Cancel => kernel.event(event(kernel, arguments[0])?).pending = None,
        Kind::Side => return Ok(Some(i32::from(signal(kernel, arguments[0])?.side))),
        Kind::Write => signal(kernel, arguments[0])?.request = Some(argument(1) != 0),
        Kind::Return => return wait(kernel, caller, Status::Sensitive),
        Kind::End if caller == 0 => {
            kernel.phase = Phase::Over;
            return Ok(None);
        }
        Kind::End => return wait(kernel, caller, Status::Ended),
    }
    Ok(Some(0))
}

fn wait(kernel: &mut Kernel, caller: i32, status: Status) -> Result<Option<i32>, Misuse> {
    kernel.process(caller).status = status;
    Ok(None)
}

fn start(kernel: &mut Kernel, caller: i32) -> Result<Option<i32>, Misuse> {
    if caller != 0 {
        return misuse("a process starts the simulation");
    }
    if kernel.phase == Phase::Elaboration {
        kernel::initialise(kernel);
    }
    kernel.phase = Phase::Simulation;
    Ok(None)
}

/// What `main` creates before the simulation.
fn elaborate(kernel: &mut Kernel, kind: Kind, arguments: &[i64]) -> Result<(), Misuse> {
    let argument = |index: usize| number(arguments[index]);
    if kernel.phase != Phase::Elaboration {
        return misuse("something is created or connected after the simulation began");
    }
    match kind {
        Kind::Event => {
            let new = argument(0).max(1) as usize;
            let count = kernel.events.len().max(new);
            kernel.events.resize(count, state::Event::default());
            kernel.events[new - 1].created = true;
        }
        Kind::Process => {
            let process = thread(kernel, arguments[0])?;
            process.method = arguments[1] != 0;
            process.status = Status::Sensitive;
        }
        Kind::Sensitive => {
            let event = event(kernel, arguments[1])?;
            insert(&mut thread(kernel, arguments[0])?.sensitivity, event);
        }
        Kind::DontInitialise => thread(kernel, arguments[0])?.initialise = false,
        _ => {
            let (new, changed) = (argument(0).max(1) as usize, event(kernel, arguments[1])?);
            let count = kernel.signals.len().max(new);
            kernel.signals.resize(count, Signal::default());
            kernel.signals[new - 1].changed = changed;
        }
    }
    Ok(())
}

fn insert(events: &mut Vec<i32>, event: i32) {
    if let Err(place) = events.binary_search(&event) {
        events.insert(place, event);
    }
}

fn thread(kernel: &mut Kernel, argument: i64) -> Result<&mut state::Process, Misuse> {
    match usize::try_from(argument).ok().filter(|&number| number > 0 && number < kernel.processes.len()) {
        Some(number) => Ok(&mut kernel.processes[number]),
        None => misuse("a process that was never created"),
    }
}

fn event(kernel: &Kernel, argument: i64) -> Result<i32, Misuse> {
    match argument {
        1.. if kernel.events.get(argument as usize - 1).is_some_and(|event| event.created) => {
            Ok(argument as i32)
        }
        _ => misuse("an event that was never created"),
    }
}

fn time(argument: i64) -> Result<i32, Misuse> {
    match i32::try_from(argument) {
        Ok(time) if time >= 0 => Ok(time),
        _ => misuse("a time of more than 2147483647 is not supported"),
    }
}

fn signal(kernel: &mut Kernel, argument: i64) -> Result<&mut Signal, Misuse> {
    let found = usize::try_from(argument - 1).ok().and_then(|index| kernel.signals.get_mut(index));
    match found {
        Some(signal) if signal.changed != 0 => Ok(signal),
        _ => misuse("a signal that was never created"),
    }
}

/// What the primitives touch. `Event(e)` is who waits for an event, `Event(-e)` its pending notification: a
/// delayed one and waiting do not depend on each other, as it happens after this evaluation phase. Nor do
/// reading and writing a signal.
fn footprint(kind: Kind, first: Option<i32>, sensitivity: &[i32]) -> Footprint {
    match (kind, first) {
        (Kind::Wait | Kind::Return, _) => {
            let events: Vec<Resource> = sensitivity.iter().map(|&event| Resource::Event(event)).collect();
            Footprint::of(events, [])
        }
        // What is waited for was watched before, in the same turn.
        (Kind::WaitAny | Kind::WaitAll | Kind::WaitTime | Kind::Side | Kind::End, _) => Footprint::of([], []),
        (Kind::Start | Kind::Event | Kind::Process | Kind::Sensitive, _)
        | (Kind::DontInitialise | Kind::Signal, _)
        | (_, None) => Footprint::Everything,
        (Kind::WaitEvent | Kind::Watch, Some(event)) => Footprint::of([Resource::Event(event)], []),
        (Kind::Notify, Some(event)) => Footprint::of([], [Resource::Event(event), Resource::Event(-event)]),
        (Kind::NotifyDelta | Kind::NotifyAfter | Kind::Cancel, Some(event)) => {
            Footprint::of([], [Resource::Event(-event)])
        }
        (Kind::Write, Some(signal)) => Footprint::of([], [Resource::Signal(signal)]),
    }
}
