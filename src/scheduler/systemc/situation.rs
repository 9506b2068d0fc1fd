//! How things stand in SystemC's kernel: for people, and what processes need to go on.

use super::state::{Kernel, Phase, Process, Status};
use crate::scheduler::{Clock, Resource, Situation, Standing, Wait};

/// How things stand.
pub(super) fn of(kernel: &Kernel, clock: Clock) -> Situation {
    let moment = match kernel.phase {
        Phase::Elaboration => "before the simulation".to_owned(),
        _ => format!("delta cycle {} at time {}", clock.rounds, clock.time),
    };
    let threads = kernel.processes.iter().enumerate().map(|(number, process)| match number {
        0 if kernel.phase == Phase::Simulation => Standing::waits(Wait::Simulation),
        0 => None,
        _ => standing(process),
    });
    Situation { moment, threads: threads.collect() }
}

fn standing(process: &Process) -> Option<Standing> {
    match process.status {
        Status::Runnable | Status::Running => None,
        Status::Absent => Some(Standing::Absent),
        Status::Ended => Some(Standing::Ended),
        Status::Time => Standing::waits(Wait::Time(process.timer)),
        Status::Delta => Standing::waits(Wait::Delta),
        Status::Sensitive if process.sensitivity.is_empty() => Standing::waits(Wait::Nothing),
        Status::Sensitive => Standing::waits(Wait::OneOf(process.sensitivity.clone())),
        Status::Any => Standing::waits(Wait::OneOf(process.awaited.clone())),
        Status::All => Standing::waits(Wait::AllOf(process.awaited.clone())),
    }
}

/// What has to happen before a process can go on. That time passes, or a delta cycle begins, is for all to
/// bring about.
pub(super) fn awaits(kernel: &Kernel, number: usize) -> Vec<Resource> {
    let process = &kernel.processes[number];
    let events: &[i32] = match process.status {
        Status::Sensitive => &process.sensitivity,
        Status::Any | Status::All => &process.awaited,
        Status::Absent | Status::Ended => return vec![Resource::Thread(number as i32)],
        _ => &[],
    };
    let mut needs: Vec<Resource> =
        events.iter().flat_map(|&event| [Resource::Event(event), Resource::Event(-event)]).collect();
    let mut comes = number == 0 || !process.waits() || matches!(process.status, Status::Time | Status::Delta);
    comes |= events.iter().any(|&event| kernel.events[event as usize - 1].pending.is_some());
    for (index, signal) in kernel.signals.iter().enumerate() {
        if events.contains(&signal.changed) {
            needs.push(Resource::Signal(index as i32 + 1));
            comes |= signal.request.is_some();
        }
    }
    if comes {
        needs.push(Resource::Common);
    }
    needs.sort_unstable();
    needs.dedup();
    needs
}
