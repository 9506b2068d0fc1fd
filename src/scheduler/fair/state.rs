//! The state of FairThreads: what the scheduler knows of threads and events, and how that becomes numbers.
//!
//! Nothing here grows with time: deadlines count down, an event forgets its instant when that ends, values
//! have the lowest slots that are free.

use crate::scheduler::words::{Reader, Writer};

/// The scheduler and all it knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fair {
    /// How far the program is.
    pub phase: Phase,
    /// Linked threads that have their place, in order.
    pub order: Vec<i32>,
    /// Linked threads whose place is still to be chosen.
    pub open: Vec<i32>,
    /// Threads that are linked at the beginning of the next instant, in the order of their creation.
    pub fresh: Vec<i32>,
    /// How many places of the order this pass has been through.
    pub position: i32,
    /// Whether something happened in this pass that somebody may be waiting for.
    pub moved: bool,
    /// Whether it is settled that nothing more will be generated in this instant, so that whoever waits gives
    /// up for now.
    pub ending: bool,
    /// The threads by number; `main` is the first.
    pub threads: Vec<Thread>,
    /// The events; their numbers begin with 1.
    pub events: Vec<Event>,
}

/// How far the program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// There is no scheduler.
    Nothing,
    /// It was created.
    Created,
    /// It was started and the places of the threads are to be chosen in the first instant.
    Choosing,
    /// It was started and is between two instants.
    Started,
    /// It is in an instant.
    Instant,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Thread {
    /// What it does.
    pub status: Status,
    /// Where it stands in its program.
    pub wait: Wait,
    /// In how many instants what it waits for is out of time, if ever.
    pub limit: Option<i32>,
    /// In how many instants the timer looks after it, also if it does not wait any more.
    pub timer: Option<i32>,
    /// Whether it is to end.
    pub stopped: bool,
    /// What the next instant is to do with it.
    pub orders: Orders,
    /// How its last waiting ended.
    pub outcome: i32,
    /// The events that it is going to select from.
    pub watched: Vec<i32>,
}

/// The status of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// It has not been created.
    Absent,
    /// It has been created and is not linked yet.
    Fresh,
    /// It is to get a turn in this instant.
    Ready,
    /// It has nothing more to do in this instant.
    Done,
    /// It gets a turn when an event comes or the timer.
    Waiting,
    /// It gets no turn until it is resumed.
    Suspended,
    /// It has ended.
    Ended,
    /// It was suspended after it had ended: nobody learns of its end any more.
    Lost,
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// Before its first step.
    Entry,
    /// Behind something that is over.
    Nothing,
    /// For some instants to pass.
    Instants,
    /// For an event.
    Event(i32),
    /// For one of the watched events.
    Any,
    /// For the end of a thread.
    End(i32),
    /// For a value of an event.
    Value(i32, i32),
    /// For the next instant, after a value did not come.
    NoValue,
}

/// What is to be done with a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Orders {
    /// It is to end.
    pub stop: bool,
    /// It is to be suspended.
    pub suspend: bool,
    /// It is to be resumed.
    pub resume: bool,
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Event {
    /// Whether it has been created.
    pub created: bool,
    /// Whether it was generated in this instant.
    pub present: bool,
    /// Whether the next instant begins with generating it.
    pub broadcast: bool,
    /// The slots of its values in this instant.
    pub values: Vec<i32>,
    /// The slots of values for the next instant, the first broadcast first.
    pub sent: Vec<i32>,
}

const PHASES: [Phase; 5] = [Phase::Nothing, Phase::Created, Phase::Choosing, Phase::Started, Phase::Instant];

const STATUSES: [Status; 8] = [
    Status::Absent,
    Status::Fresh,
    Status::Ready,
    Status::Done,
    Status::Waiting,
    Status::Suspended,
    Status::Ended,
    Status::Lost,
];

impl Fair {
    /// Before anything happened.
    pub fn new(threads: usize) -> Fair {
        Fair {
            phase: Phase::Nothing,
            order: Vec::new(),
            open: Vec::new(),
            fresh: Vec::new(),
            position: 0,
            moved: false,
            ending: false,
            threads: vec![Thread::new(); threads],
            events: Vec::new(),
        }
    }

    /// As numbers.
    pub fn write(&self) -> Vec<i32> {
        let mut out = Writer::default();
        out.number(self.phase as i32);
        out.number(self.position);
        out.flag(self.moved);
        out.flag(self.ending);
        out.list(&self.order);
        out.list(&self.open);
        out.list(&self.fresh);
        out.number(self.threads.len() as i32);
        self.threads.iter().for_each(|thread| thread.write(&mut out));
        out.number(self.events.len() as i32);
        self.events.iter().for_each(|event| event.write(&mut out));
        out.finish()
    }

    /// From numbers.
    pub fn read(words: &[i32]) -> Fair {
        let mut from = Reader::new(words);
        Fair {
            phase: PHASES[from.number() as usize],
            position: from.number(),
            moved: from.flag(),
            ending: from.flag(),
            order: from.list(),
            open: from.list(),
            fresh: from.list(),
            threads: (0..from.number()).map(|_| Thread::read(&mut from)).collect(),
            events: (0..from.number()).map(|_| Event::read(&mut from)).collect(),
        }
    }

    /// A thread by its number.
    pub fn thread(&mut self, number: i32) -> &mut Thread {
        &mut self.threads[number as usize]
    }

    /// An event by its number.
    pub fn event(&mut self, number: i32) -> &mut Event {
        &mut self.events[number as usize - 1]
    }

    /// Whether an event was generated in this instant.
    pub fn present(&self, event: i32) -> bool {
        self.events[event as usize - 1].present
    }
}

impl Thread {
    fn new() -> Thread {
        Thread {
            status: Status::Absent,
            wait: Wait::Entry,
            limit: None,
            timer: None,
            stopped: false,
            orders: Orders::default(),
            outcome: 0,
            watched: Vec::new(),
        }
    }

    /// Forgets everything but that it ended.
    pub fn end(&mut self) {
        let timer = self.timer;
        *self = Thread { status: Status::Ended, wait: Wait::Nothing, timer, ..Thread::new() };
    }

    fn write(&self, out: &mut Writer) {
        out.number(self.status as i32);
        let (tag, of, index) = match self.wait {
            Wait::Entry => (0, 0, 0),
            Wait::Nothing => (1, 0, 0),
            Wait::Instants => (2, 0, 0),
            Wait::Event(event) => (3, event, 0),
            Wait::Any => (4, 0, 0),
            Wait::End(thread) => (5, thread, 0),
            Wait::Value(event, index) => (6, event, index),
            Wait::NoValue => (7, 0, 0),
        };
        [tag, of, index].into_iter().for_each(|number| out.number(number));
        out.number(self.limit.unwrap_or(-1));
        out.number(self.timer.unwrap_or(-1));
        let Orders { stop, suspend, resume } = self.orders;
        let flags = [self.stopped, stop, suspend, resume];
        out.number(flags.into_iter().fold(0, |bits, flag| 2 * bits + i32::from(flag)));
        out.number(self.outcome);
        out.list(&self.watched);
    }

    fn read(from: &mut Reader) -> Thread {
        let status = STATUSES[from.number() as usize];
        let (tag, of, index) = (from.number(), from.number(), from.number());
        let wait = match tag {
            0 => Wait::Entry,
            1 => Wait::Nothing,
            2 => Wait::Instants,
            3 => Wait::Event(of),
            4 => Wait::Any,
            5 => Wait::End(of),
            6 => Wait::Value(of, index),
            _ => Wait::NoValue,
        };
        let [limit, timer] = [from.number(), from.number()].map(|number| (number >= 0).then_some(number));
        let bits = from.number();
        let flag = |bit: i32| bits & bit != 0;
        let orders = Orders { stop: flag(4), suspend: flag(2), resume: flag(1) };
        let (stopped, outcome, watched) = (flag(8), from.number(), from.list());
        Thread { status, wait, limit, timer, stopped, orders, outcome, watched }
    }
}

impl Event {
    /// The lowest slot that holds no value now.
    pub fn free_slot(&self) -> i32 {
        let taken = |slot: &i32| self.values.contains(slot) || self.sent.contains(slot);
        (0..).find(|slot| !taken(slot)).expect("there are more numbers than values")
    }

    fn write(&self, out: &mut Writer) {
        out.flag(self.created);
        out.flag(self.present);
        out.flag(self.broadcast);
        out.list(&self.values);
        out.list(&self.sent);
    }

    fn read(from: &mut Reader) -> Event {
        let [created, present, broadcast] = [from.flag(), from.flag(), from.flag()];
        Event { created, present, broadcast, values: from.list(), sent: from.list() }
    }
}
