//! How things stand in FairThreads: for people, and what threads need to go on.

use super::state::{Fair, Phase, Status, Thread, Wait};
use crate::scheduler::{Clock, Resource, Situation};

/// How things stand.
pub(super) fn of(fair: &Fair, clock: Clock) -> Situation {
    let moment = match clock.rounds {
        0 => "before the first instant".to_owned(),
        instant => format!("instant {instant}"),
    };
    let threads = fair.threads.iter().enumerate().map(|(number, thread)| match number {
        0 => matches!(fair.phase, Phase::Choosing | Phase::Started | Phase::Instant)
            .then(|| "has started the scheduler".to_owned()),
        _ => describe(fair, thread),
    });
    Situation { moment, threads: threads.collect() }
}

fn describe(fair: &Fair, thread: &Thread) -> Option<String> {
    let left = thread.limit.map_or_else(String::new, |limit| match limit {
        1 => ", for 1 more instant".to_owned(),
        _ => format!(", for {limit} more instants"),
    });
    Some(match (thread.status, thread.wait) {
        (Status::Absent, _) => "has not been created".to_owned(),
        (Status::Fresh, _) => "starts in the next instant".to_owned(),
        (Status::Suspended, _) => "is suspended".to_owned(),
        (Status::Ended | Status::Lost, _) => "has ended".to_owned(),
        (_, Wait::Event(event)) if !fair.present(event) => format!("waits for event {event}{left}"),
        (Status::Waiting, Wait::Any) => {
            let events: Vec<String> = thread.watched.iter().map(i32::to_string).collect();
            format!("waits for one of the events {}{left}", events.join(", "))
        }
        (Status::Waiting, _) => format!("waits{left}"),
        (_, Wait::End(other)) if fair.threads[other as usize].status != Status::Ended => {
            format!("waits for the end of thread {other}{left}")
        }
        (_, Wait::Value(event, index)) => format!("waits for value {index} of event {event}"),
        (Status::Done, _) => "has cooperated".to_owned(),
        (Status::Ready, _) => return None,
    })
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
