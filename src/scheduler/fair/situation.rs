//! How things stand in FairThreads: for people, and what threads need to go on.

use super::state::{Fair, Phase, Status, Thread, Wait};
use crate::program::ThreadId;
use crate::scheduler::{Clock, Resource, Situation, Standing, Wait as Awaited};

/// How things stand.
pub(super) fn of(fair: &Fair, clock: Clock) -> Situation {
    let moment = match clock.rounds {
        0 => "before the first instant".to_owned(),
        instant => format!("instant {instant}"),
    };
    let threads = fair.threads.iter().enumerate().map(|(number, thread)| match number {
        0 => matches!(fair.phase, Phase::Choosing | Phase::Started | Phase::Instant)
            .then_some(Standing::Started),
        _ => standing(fair, thread),
    });
    Situation { moment, threads: threads.collect() }
}

fn standing(fair: &Fair, thread: &Thread) -> Option<Standing> {
    let waits = |wait| Some(Standing::Waits { wait, limit: thread.limit });
    match (thread.status, thread.wait) {
        (Status::Absent, _) => Some(Standing::Absent),
        (Status::Fresh, _) => Some(Standing::Begins),
        (Status::Suspended, _) => Some(Standing::Suspended),
        (Status::Ended | Status::Lost, _) => Some(Standing::Ended),
        (_, Wait::Event(event)) if !fair.present(event) => waits(Awaited::OneOf(vec![event])),
        (Status::Waiting, Wait::Any) => waits(Awaited::OneOf(thread.watched.clone())),
        (Status::Waiting, _) => waits(Awaited::Instants),
        (_, Wait::End(other)) if fair.threads[other as usize].status != Status::Ended => {
            waits(Awaited::End(ThreadId::new(other as usize)))
        }
        (_, Wait::Value(event, index)) => waits(Awaited::Value { event, index }),
        (Status::Done, _) => Some(Standing::Cooperated),
        (Status::Ready, _) => None,
    }
}

/// What has to happen before a thread can go on. That an instant ends is for all to bring about.
pub(super) fn awaits(fair: &Fair, number: usize) -> Vec<Resource> {
    let thread = &fair.threads[number];
    let mut needs = match (thread.status, thread.wait) {
        (Status::Absent | Status::Suspended | Status::Ended | Status::Lost, _) => {
            vec![Resource::Thread(number as i32)]
        }
        (Status::Waiting, Wait::Event(event)) => vec![Resource::Event(event)],
        (Status::Waiting, Wait::Any) => thread.watched.iter().map(|&event| Resource::Event(event)).collect(),
        (Status::Ready, Wait::End(other)) => vec![Resource::Thread(other)],
        (Status::Ready, Wait::Value(event, _)) => vec![Resource::Event(event), Resource::Common],
        _ => vec![Resource::Common],
    };
    if thread.limit.is_some() {
        needs.push(Resource::Common);
    }
    needs.sort_unstable();
    needs.dedup();
    needs
}
