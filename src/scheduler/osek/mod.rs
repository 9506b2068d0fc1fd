//! OSEK without preemption: the highest priority first, first come, first served among equals.
//!
//! The meaning is that of ISO 17356-3:2005 for non-preemptive tasks and extended status. The system decides
//! anew when a task ends, waits or calls `Schedule` while one of higher priority is ready; a task that gives
//! way like that stays the oldest of its priority, one that waited becomes the youngest. Alarms know no time
//! (`dispatch.rs`). Without alarms there is never a choice, so that no reduction has anything to gain: all
//! primitives count as dependent.

mod dispatch;
mod state;
#[cfg(test)]
mod tests;

use super::table::{self, Blocks, Entry, number};
use super::{Clock, Footprint, Misuse, Resource, Scheduler, Situation, Standing, State, Wait};
use crate::program::{Primitive, ThreadId};
use state::{Alarm, Set, System, Task};

/// The operating system.
pub(super) struct Osek;

/// Codes of services.
mod code {
    pub const OK: i32 = 0;
    pub const ACCESS: i32 = 1;
    pub const ID: i32 = 3;
    pub const LIMIT: i32 = 4;
    pub const NO_FUNCTION: i32 = 5;
    pub const RESOURCE: i32 = 6;
    pub const STATE: i32 = 7;
}

/// The primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Task,
    Resource,
    Alarm,
    Start,
    Tick,
    Activate,
    MayEnd,
    Chain,
    Terminate,
    Schedule,
    TaskState,
    SetEvent,
    ClearEvent,
    GetEvent,
    WaitEvent,
    GetResource,
    ReleaseResource,
    SetAlarm,
    CancelAlarm,
    End,
}

const fn entry(name: &'static str, kind: Kind, arguments: usize, blocks: Blocks) -> Entry<Kind> {
    Entry { name, kind, arguments, blocks }
}

const TABLE: [Entry<Kind>; 20] = [
    entry("task", Kind::Task, 4, Blocks::Never),
    entry("resource", Kind::Resource, 1, Blocks::Never),
    entry("alarm", Kind::Alarm, 3, Blocks::Never),
    entry("start", Kind::Start, 0, Blocks::Perhaps),
    entry("tick", Kind::Tick, 0, Blocks::Perhaps),
    entry("activate", Kind::Activate, 1, Blocks::Never),
    entry("may_end", Kind::MayEnd, 0, Blocks::Never),
    entry("chain", Kind::Chain, 1, Blocks::Never),
    entry("terminate", Kind::Terminate, 0, Blocks::Perhaps),
    entry("schedule", Kind::Schedule, 0, Blocks::Perhaps),
    entry("task_state", Kind::TaskState, 1, Blocks::Never),
    entry("set_event", Kind::SetEvent, 2, Blocks::Never),
    entry("clear_event", Kind::ClearEvent, 1, Blocks::Never),
    entry("get_event", Kind::GetEvent, 1, Blocks::Never),
    entry("wait_event", Kind::WaitEvent, 1, Blocks::Perhaps),
    entry("get_resource", Kind::GetResource, 1, Blocks::Never),
    entry("release_resource", Kind::ReleaseResource, 1, Blocks::Never),
    entry("set_alarm", Kind::SetAlarm, 2, Blocks::Never),
    entry("cancel_alarm", Kind::CancelAlarm, 1, Blocks::Never),
    entry("end", Kind::End, 0, Blocks::Perhaps),
];

impl Scheduler for Osek {
    fn primitive(&self, name: &str) -> Option<Primitive> {
        table::find(&TABLE, name)
    }

    fn initial(&self, threads: usize) -> State {
        State::of_main(System::new(threads).write())
    }

    fn execute(
        &self,
        state: &mut State,
        caller: ThreadId,
        primitive: Primitive,
        arguments: &[i64],
    ) -> Result<i64, Misuse> {
        let mut system = System::read(&state.words);
        let kind = table::checked(&TABLE, primitive, arguments)?;
        let arguments: Vec<i32> = arguments.iter().copied().map(number).collect();
        let done = match system.started {
            true => serve(&mut system, caller.index() as i32, kind, &arguments)?,
            false => configure(&mut system, kind, &arguments)?,
        };
        if done.is_none() {
            state.running = None;
        }
        state.words = system.write();
        Ok(i64::from(done.unwrap_or(code::OK)))
    }

    fn next(&self, state: &State) -> Vec<State> {
        dispatch::next(System::read(&state.words))
    }

    fn may_block(&self, primitive: Primitive) -> bool {
        table::entry(&TABLE, primitive).blocks == Blocks::Perhaps
    }

    fn footprint(&self, _: &State, _: ThreadId, _: Primitive, _: &[Option<i64>]) -> Footprint {
        Footprint::Everything
    }

    fn awaits(&self, _: &State, _: ThreadId) -> Vec<Resource> {
        vec![Resource::Common]
    }

    fn advance(&self, clock: Clock, _: &State, _: &State) -> Clock {
        Clock { rounds: clock.rounds + 1, ..clock }
    }

    fn situation(&self, state: &State, clock: Clock) -> Situation {
        let system = System::read(&state.words);
        let tasks = system.tasks.iter().enumerate().map(|(number, task)| match number {
            0 => None,
            _ => standing(&system, number as i32, task),
        });
        let moment = match system.started {
            true => format!("decision {}", clock.rounds),
            false => "before the start".to_owned(),
        };
        Situation { moment, threads: tasks.collect() }
    }
}

fn standing(system: &System, number: i32, task: &Task) -> Option<Standing> {
    match () {
        () if task.limit == 0 => Some(Standing::Absent),
        () if task.awaited != 0 => Standing::waits(Wait::Mask(task.awaited)),
        () if system.activations(number) == 0 => Some(Standing::Suspended),
        () => None,
    }
}

fn misuse<T>(text: &str) -> Result<T, Misuse> {
    Err(Misuse(text.to_owned()))
}

/// What `main` does before the start; nothing if its turn is over.
fn configure(system: &mut System, kind: Kind, arguments: &[i32]) -> Result<Option<i32>, Misuse> {
    match (kind, arguments) {
        (Kind::Task, &[number, priority, limit, autostart]) => {
            if number <= 0 || number as usize >= system.tasks.len() || limit <= 0 {
                return misuse("a task that takes no activation");
            }
            *system.task(number) = Task { limit, priority, autostart: autostart != 0, ..Task::default() };
        }
        (Kind::Resource, &[number]) if number > 0 => {
            let count = system.taken.len().max(number as usize);
            system.taken.resize(count, -1);
            system.taken[number as usize - 1] = 0;
        }
        (Kind::Alarm, &[number, task, events]) if number > 0 => {
            if !is_task(system, task) {
                return misuse("an alarm for something that is no task");
            }
            let count = system.alarms.len().max(number as usize);
            system.alarms.resize(count, Alarm::default());
            system.alarms[number as usize - 1] = Alarm { task, events, set: Set::Off };
        }
        (Kind::SetAlarm, &[alarm, cyclic]) => return Ok(Some(set_alarm(system, alarm, cyclic))),
        // Nothing has expired before the start.
        (Kind::Tick, _) => {}
        (Kind::Start, _) => {
            system.started = true;
            for task in 1..system.tasks.len() as i32 {
                if system.task(task).autostart {
                    dispatch::activate(system, task);
                }
            }
            return Ok(None);
        }
        (Kind::End, _) => return Ok(None),
        _ => return misuse("a service before `StartOS`"),
    }
    Ok(Some(code::OK))
}

/// What a task asks for; nothing if its turn is over.
fn serve(system: &mut System, caller: i32, kind: Kind, arguments: &[i32]) -> Result<Option<i32>, Misuse> {
    let first = arguments.first().copied().unwrap_or(0);
    Ok(Some(match kind {
        Kind::Task | Kind::Resource | Kind::Alarm | Kind::Start => {
            return misuse("something is configured after `StartOS`");
        }
        Kind::Tick => {
            system.goes_on = caller;
            return Ok(None);
        }
        Kind::MayEnd if system.held() > 0 => code::RESOURCE,
        Kind::MayEnd => code::OK,
        Kind::Chain if !is_task(system, first) => code::ID,
        Kind::Chain if system.held() > 0 => code::RESOURCE,
        Kind::Chain if first != caller && system.activations(first) >= system.task(first).limit => {
            code::LIMIT
        }
        Kind::Chain => {
            system.task(caller).chained = first;
            code::OK
        }
        Kind::Terminate | Kind::End => {
            terminate(system, caller);
            return Ok(None);
        }
        Kind::Schedule if system.held() > 0 => code::RESOURCE,
        Kind::Schedule if dispatch::is_outranked(system, caller) => {
            system.ready.insert(0, -caller);
            return Ok(None);
        }
        Kind::Schedule => code::OK,
        Kind::WaitEvent if system.held() > 0 => code::RESOURCE,
        Kind::WaitEvent if system.task(caller).events & first != 0 => code::OK,
        Kind::WaitEvent => {
            system.task(caller).awaited = first;
            return match first {
                0 => misuse("a task waits for no event"),
                _ => Ok(None),
            };
        }
        Kind::ClearEvent => {
            system.task(caller).events &= !first;
            code::OK
        }
        Kind::Activate | Kind::SetEvent if !is_task(system, first) => code::ID,
        Kind::Activate if dispatch::activate(system, first) => code::OK,
        Kind::Activate => code::LIMIT,
        Kind::SetEvent if dispatch::set_events(system, first, arguments[1]) => code::OK,
        Kind::SetEvent => code::STATE,
        Kind::GetEvent if !is_task(system, first) => return misuse("events of something that is no task"),
        Kind::GetEvent => system.task(first).events,
        Kind::TaskState => task_state(system, caller, first),
        Kind::GetResource => get_resource(system, first),
        Kind::ReleaseResource => release_resource(system, first),
        Kind::SetAlarm => set_alarm(system, first, arguments[1]),
        Kind::CancelAlarm => match alarm(system, first) {
            None => code::ID,
            Some(Alarm { set: Set::Off, .. }) => code::NO_FUNCTION,
            Some(alarm) => {
                alarm.set = Set::Off;
                code::OK
            }
        },
    }))
}

fn is_task(system: &System, number: i32) -> bool {
    usize::try_from(number).is_ok_and(|number| system.tasks.get(number).is_some_and(|task| task.limit > 0))
}

/// A task ends; the one that it chained is activated.
fn terminate(system: &mut System, task: i32) {
    let data = system.task(task);
    data.begun = false;
    data.awaited = 0;
    let chained = std::mem::take(&mut data.chained);
    if chained != 0 {
        dispatch::activate(system, chained);
    }
}

fn task_state(system: &System, caller: i32, task: i32) -> i32 {
    match task {
        _ if !is_task(system, task) => -1,
        _ if task == caller => 3,
        _ if system.tasks[task as usize].awaited != 0 => 2,
        _ if system.activations(task) > 0 => 1,
        _ => 0,
    }
}

fn get_resource(system: &mut System, resource: i32) -> i32 {
    let held = system.held();
    match taken(system, resource) {
        None => code::ID,
        Some(place) if *place != 0 => code::ACCESS,
        Some(place) => {
            *place = held + 1;
            code::OK
        }
    }
}

/// The last one taken is the first to be released.
fn release_resource(system: &mut System, resource: i32) -> i32 {
    let held = system.held();
    match taken(system, resource) {
        None => code::ID,
        Some(place) if *place == 0 || *place != held => code::NO_FUNCTION,
        Some(place) => {
            *place = 0;
            code::OK
        }
    }
}

/// The place of a resource among those that are held.
fn taken(system: &mut System, resource: i32) -> Option<&mut i32> {
    let index = usize::try_from(resource).ok()?.checked_sub(1)?;
    system.taken.get_mut(index).filter(|place| **place >= 0)
}

fn alarm(system: &mut System, number: i32) -> Option<&mut Alarm> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    system.alarms.get_mut(index).filter(|alarm| alarm.task != 0)
}

fn set_alarm(system: &mut System, number: i32, cyclic: i32) -> i32 {
    match alarm(system, number) {
        None => code::ID,
        Some(Alarm { set: Set::Once | Set::Cyclic, .. }) => code::STATE,
        Some(alarm) => {
            alarm.set = if cyclic != 0 { Set::Cyclic } else { Set::Once };
            code::OK
        }
    }
}
