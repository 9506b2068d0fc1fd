//! OSEK: which task goes next, and what alarms may have done meanwhile.
//!
//! Of the tasks that are ready the oldest of the highest priority goes. Nobody knows when alarms expire:
//! whenever the system decides, and between any two services of a running task, each alarm that is set may
//! have expired or not, in any order.

use std::collections::BTreeSet;

use super::state::{Alarm, Set, System};
use crate::program::ThreadId;
use crate::scheduler::State;

/// The states that may come next.
pub(super) fn next(system: System) -> Vec<State> {
    if !system.started {
        return Vec::new();
    }
    let states: BTreeSet<(i32, System)> = expiries(system).into_iter().filter_map(choose).collect();
    let state = |(task, system): (i32, System)| State {
        running: Some(ThreadId::new(task as usize)),
        words: system.write(),
    };
    states.into_iter().map(state).collect()
}

/// What can become of the system by alarms.
fn expiries(system: System) -> BTreeSet<System> {
    let mut found = BTreeSet::new();
    let mut stack = vec![system];
    while let Some(system) = stack.pop() {
        for index in 0..system.alarms.len() {
            if system.alarms[index].set != Set::Off {
                let mut system = system.clone();
                expire(&mut system, index);
                if !found.contains(&system) {
                    stack.push(system);
                }
            }
        }
        found.insert(system);
    }
    found
}

/// An alarm expires. What its task cannot take is lost.
fn expire(system: &mut System, index: usize) {
    let Alarm { task, events, set } = system.alarms[index];
    if set == Set::Once {
        system.alarms[index].set = Set::Off;
    }
    match events {
        0 => drop(activate(system, task)),
        _ => drop(set_events(system, task, events)),
    }
}

/// The task that goes next, and the system when it does.
fn choose(mut system: System) -> Option<(i32, System)> {
    let task = match std::mem::take(&mut system.goes_on) {
        0 => {
            let place = first(&system)?;
            system.ready.remove(place).abs()
        }
        task => task,
    };
    system.task(task).begun = true;
    Some((task, system))
}

/// The place of what goes next: the oldest of the highest priority. A task that has begun has to end before
/// its next activation.
fn first(system: &System) -> Option<usize> {
    let task = |place: usize| &system.tasks[system.ready[place].unsigned_abs() as usize];
    let may = |&place: &usize| system.ready[place] < 0 || !task(place).begun;
    let places = (0..system.ready.len()).filter(may);
    places.min_by_key(|&place| (std::cmp::Reverse(task(place).priority), place))
}

/// Whether a task of a higher priority is ready than this one.
pub(super) fn is_outranked(system: &System, task: i32) -> bool {
    let own = system.tasks[task as usize].priority;
    let place = first(system);
    place.is_some_and(|place| system.tasks[system.ready[place].unsigned_abs() as usize].priority > own)
}

/// Activates a task; whether it could take that.
pub(super) fn activate(system: &mut System, task: i32) -> bool {
    let count = system.activations(task);
    if count >= system.task(task).limit {
        return false;
    }
    if count == 0 {
        system.task(task).events = 0;
    }
    system.ready.push(task);
    true
}

/// Sets events of a task, unless it is suspended; whether it is not.
pub(super) fn set_events(system: &mut System, task: i32, events: i32) -> bool {
    if system.activations(task) == 0 {
        return false;
    }
    let data = system.task(task);
    data.events |= events;
    if data.events & data.awaited != 0 {
        data.awaited = 0;
        system.ready.push(-task);
    }
    true
}
