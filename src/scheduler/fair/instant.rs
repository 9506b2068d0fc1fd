//! The instants of FairThreads: who gets the next turn.
//!
//! An instant begins with the threads whose time has come and with what was ordered (run, broadcast, stop,
//! resume, suspend). Then the scheduler passes over the threads in their order and gives each that is ready
//! its turn, again and again: a thread that waits for an event gets ready when it is generated, in this pass
//! if its place is still to come. After a pass in which nothing was generated the instant is ending: in one
//! more pass those who wait for the end of a thread or for a value give up for now. When nobody is ready the
//! instant is over, and whoever has cooperated is ready for the next.

use super::state::{Fair, Phase, Status, Wait};

/// What a wait comes to in the end.
pub(super) mod outcome {
    /// What was waited for happened.
    pub const OK: i32 = 0;
    /// The thread is to end.
    pub const STOPPED: i32 = -1;
    /// The value did not come.
    pub const NO_VALUE: i32 = -2;
    /// Time is over.
    pub const TIMEOUT: i32 = -3;
}

/// A thread gets its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    /// How things then stand.
    pub fair: Fair,
    /// Whose turn it is.
    pub thread: i32,
    /// How many instants have begun meanwhile.
    pub instants: u64,
}

/// The turns that may come next, without repetition. Where places are still to be chosen there are several.
pub(super) fn turns(mut fair: Fair) -> Vec<Turn> {
    let mut instants = 0;
    // How the last instant ended, if nobody had a turn in it.
    let mut idle: Option<Fair> = None;
    if fair.phase != Phase::Instant && !begin(&mut fair, &mut instants) {
        return Vec::new();
    }
    loop {
        while let Some(&thread) = fair.order.get(fair.position as usize) {
            fair.position += 1;
            if fair.thread(thread).status == Status::Ready && poll(&mut fair, thread) {
                return vec![Turn { fair, thread, instants }];
            }
        }
        if !fair.open.is_empty() {
            return choices(&fair, instants);
        }
        if !over(&fair) {
            next_pass(&mut fair);
            continue;
        }
        finish(&mut fair);
        if let Some(before) = &idle {
            if *before == fair {
                return Vec::new();
            }
            instants += skip(before, &mut fair);
        }
        idle = Some(fair.clone());
        if !begin(&mut fair, &mut instants) {
            return Vec::new();
        }
    }
}

/// Any of the threads without a place takes the next one.
fn choices(fair: &Fair, instants: u64) -> Vec<Turn> {
    let mut all: Vec<Turn> = Vec::new();
    for &thread in &fair.open {
        let mut fair = fair.clone();
        fair.open.retain(|&other| other != thread);
        fair.order.push(thread);
        for mut turn in turns(fair) {
            turn.instants += instants;
            if !all.contains(&turn) {
                all.push(turn);
            }
        }
    }
    all
}

/// Whether a thread whose turn it is can go on; if not, it is put where it belongs.
pub(super) fn poll(fair: &mut Fair, thread: i32) -> bool {
    let (wait, limit, stopped) = {
        let data = fair.thread(thread);
        (data.wait, data.limit, data.stopped)
    };
    if stopped && wait != Wait::Entry {
        return go(fair, thread, outcome::STOPPED);
    }
    let late = limit.is_some_and(|limit| limit <= 0);
    match wait {
        Wait::Entry | Wait::Nothing => go(fair, thread, outcome::OK),
        Wait::Instants if late => go(fair, thread, outcome::OK),
        Wait::NoValue => go(fair, thread, outcome::NO_VALUE),
        _ if late => go(fair, thread, outcome::TIMEOUT),
        Wait::Instants => park(fair, thread),
        Wait::Event(event) if fair.present(event) => go(fair, thread, outcome::OK),
        Wait::Any if any_present(fair, thread) => go(fair, thread, outcome::OK),
        Wait::Event(_) | Wait::Any => absent(fair, thread),
        Wait::End(other) if fair.thread(other).status == Status::Ended => {
            fair.moved = true;
            go(fair, thread, outcome::OK)
        }
        Wait::End(_) => give_up(fair, thread, wait),
        Wait::Value(event, index) => match fair.event(event).values.get(index as usize).copied() {
            Some(slot) => go(fair, thread, slot),
            None => give_up(fair, thread, Wait::NoValue),
        },
    }
}

/// Asks for what the running thread wants; whether it goes on at once.
pub(super) fn ask(fair: &mut Fair, thread: i32, wait: Wait, limit: Option<i32>) -> bool {
    let data = fair.thread(thread);
    // A thread that is to end learns it when it has given up its turn, not before.
    let stopped = std::mem::take(&mut data.stopped);
    (data.wait, data.limit) = (wait, limit);
    let goes = poll(fair, thread);
    fair.thread(thread).stopped = stopped;
    goes
}

fn go(fair: &mut Fair, thread: i32, outcome: i32) -> bool {
    let data = fair.thread(thread);
    (data.wait, data.limit, data.outcome) = (Wait::Nothing, None, outcome);
    data.status = Status::Ready;
    data.watched.clear();
    true
}

/// The thread waits for the timer or an event.
fn park(fair: &mut Fair, thread: i32) -> bool {
    let data = fair.thread(thread);
    data.status = Status::Waiting;
    if data.limit.is_some() {
        data.timer = data.limit;
    }
    false
}

/// An event is not there: the thread waits for it, or tries again in the next instant.
fn absent(fair: &mut Fair, thread: i32) -> bool {
    match fair.ending {
        true => give_up(fair, thread, fair.threads[thread as usize].wait),
        false => park(fair, thread),
    }
}

/// The thread tries again in the next pass, or when the instant is ending in the next instant, with what is
/// left to wait for then.
fn give_up(fair: &mut Fair, thread: i32, then: Wait) -> bool {
    let ending = fair.ending;
    let data = fair.thread(thread);
    data.status = Status::Ready;
    if ending {
        data.status = Status::Done;
        data.wait = then;
    }
    false
}

/// Whether one of the events that a thread watches is present.
fn any_present(fair: &Fair, thread: i32) -> bool {
    fair.threads[thread as usize].watched.iter().any(|&event| fair.present(event))
}

/// Generates an event: whoever waits for it gets ready.
pub(super) fn generate(fair: &mut Fair, event: i32) {
    if fair.present(event) {
        return;
    }
    fair.event(event).present = true;
    fair.moved = true;
    for thread in &mut fair.threads {
        let waits = match thread.wait {
            Wait::Event(other) => other == event,
            Wait::Any => thread.watched.contains(&event),
            _ => false,
        };
        if waits && thread.status == Status::Waiting {
            thread.status = Status::Ready;
        }
    }
}

/// Whether everybody has cooperated, waits or has ended.
fn over(fair: &Fair) -> bool {
    fair.order.iter().all(|&thread| fair.threads[thread as usize].status != Status::Ready)
}

fn next_pass(fair: &mut Fair) {
    fair.ending |= !fair.moved;
    fair.moved = false;
    fair.position = 0;
}

/// The end of an instant.
pub(super) fn finish(fair: &mut Fair) {
    fair.phase = Phase::Started;
    (fair.moved, fair.ending, fair.position) = (false, false, 0);
    for event in &mut fair.events {
        event.present = false;
        event.values.clear();
    }
    for thread in &mut fair.threads {
        if thread.status == Status::Done {
            thread.status = Status::Ready;
        }
    }
}

/// Begins an instant, unless there is nothing to begin it for. Orders to stop or suspend alone are nothing.
pub(super) fn begin(fair: &mut Fair, instants: &mut u64) -> bool {
    let timed = fair.threads.iter().any(|thread| thread.timer.is_some());
    let ordered = !fair.fresh.is_empty()
        || fair.threads.iter().any(|thread| thread.orders.resume)
        || fair.events.iter().any(|event| event.broadcast || !event.sent.is_empty());
    if !timed && !ordered && over(fair) {
        return false;
    }
    *instants += 1;
    pass_time(fair, 1);
    for thread in &mut fair.threads {
        if thread.timer == Some(0) {
            thread.timer = None;
            if thread.status == Status::Waiting {
                thread.status = Status::Ready;
            }
        }
    }
    link(fair);
    follow_orders(fair);
    // What is broadcast is there before the first pass, and is no news in it.
    fair.moved = false;
    fair.phase = Phase::Instant;
    true
}

/// Threads that were created get a place: the last ones, or in the first instant any.
fn link(fair: &mut Fair) {
    let fresh = std::mem::take(&mut fair.fresh);
    fresh.iter().for_each(|&thread| fair.thread(thread).status = Status::Ready);
    match fair.phase {
        Phase::Choosing => fair.open = fresh,
        _ => fair.order.extend(fresh),
    }
}

fn follow_orders(fair: &mut Fair) {
    for event in 1..=fair.events.len() as i32 {
        // The library keeps what is broadcast with the last one first.
        let sent: Vec<i32> = fair.event(event).sent.drain(..).rev().collect();
        if std::mem::take(&mut fair.event(event).broadcast) || !sent.is_empty() {
            generate(fair, event);
            fair.event(event).values = sent;
        }
    }
    for thread in &mut fair.threads {
        let orders = std::mem::take(&mut thread.orders);
        let held = matches!(thread.status, Status::Suspended | Status::Waiting);
        if orders.stop {
            thread.stopped = !matches!(thread.status, Status::Ended | Status::Lost);
        }
        if held && (orders.stop || orders.resume) {
            thread.status = Status::Ready;
        }
        if orders.suspend {
            let ended = matches!(thread.status, Status::Ended | Status::Lost);
            thread.status = if ended { Status::Lost } else { Status::Suspended };
        }
    }
}

/// Time passes.
fn pass_time(fair: &mut Fair, instants: i32) {
    for thread in &mut fair.threads {
        thread.limit = thread.limit.map(|limit| (limit - instants).max(0));
        thread.timer = thread.timer.map(|timer| (timer - instants).max(0));
    }
}

/// If nothing but time passed in the last instant, lets time pass until something else can happen; how many
/// instants that were.
fn skip(before: &Fair, fair: &mut Fair) -> u64 {
    let mut later = before.clone();
    pass_time(&mut later, 1);
    let times = fair.threads.iter().flat_map(|thread| [thread.limit, thread.timer]).flatten();
    match times.filter(|&time| time > 0).min() {
        Some(next) if later == *fair && next > 1 => {
            pass_time(fair, next - 1);
            next as u64 - 1
        }
        _ => 0,
    }
}
