//! The state of SystemC's kernel: processes, events, signals, and how that becomes numbers.
//!
//! Times are counted from now, so that runs can come back to a state. The values of signals are the
//! program's: the kernel knows on which of a signal's two sides the value is that can be read.

use crate::scheduler::words::{Reader, Writer};

/// The kernel and all it knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Kernel {
    /// How far the program is.
    pub phase: Phase,
    /// The processes by the number of their thread; `main`, the first, is none.
    pub processes: Vec<Process>,
    /// The events; their numbers begin with 1.
    pub events: Vec<Event>,
    /// The signals; their numbers begin with 1.
    pub signals: Vec<Signal>,
}

/// How far the program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// `main` creates processes.
    Elaboration,
    /// `main` waits for the end of the simulation.
    Simulation,
    /// `main` goes on, as nothing was left to simulate.
    Pause,
    /// `main` has ended.
    Over,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Process {
    /// What it does.
    pub status: Status,
    /// Whether it is a method, which never waits.
    pub method: bool,
    /// Whether it is made runnable when the simulation begins.
    pub initialise: bool,
    /// The events of its static sensitivity, sorted.
    pub sensitivity: Vec<i32>,
    /// The events that it waits for, or is about to wait for, sorted.
    pub awaited: Vec<i32>,
    /// In how much time it goes on, if it waits for that.
    pub timer: i32,
}

/// The status of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Status {
    /// It does not exist.
    Absent,
    /// It runs, in this evaluation phase, when it is chosen.
    Runnable,
    /// It runs.
    Running,
    /// It waits for an event of its sensitivity.
    Sensitive,
    /// It waits for any of some events.
    Any,
    /// It waits until all of some events have come.
    All,
    /// It waits for some time to pass.
    Time,
    /// It waits for the next delta cycle.
    Delta,
    /// It has ended.
    Ended,
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Event {
    /// Whether it has been created.
    pub created: bool,
    /// When it is to be notified: in so much time, with 0 for the next delta cycle.
    pub pending: Option<i32>,
}

/// A signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Signal {
    /// The event that tells of changes; 0 if the signal has not been created.
    pub changed: i32,
    /// On which of its two sides the value is.
    pub side: bool,
    /// Whether the next update phase looks at it, and finds another value.
    pub request: Option<bool>,
}

const PHASES: [Phase; 4] = [Phase::Elaboration, Phase::Simulation, Phase::Pause, Phase::Over];

const STATUSES: [Status; 9] = [
    Status::Absent,
    Status::Runnable,
    Status::Running,
    Status::Sensitive,
    Status::Any,
    Status::All,
    Status::Time,
    Status::Delta,
    Status::Ended,
];

impl Kernel {
    /// Before anything happened.
    pub fn new(threads: usize) -> Kernel {
        let process = Process {
            status: Status::Absent,
            method: false,
            initialise: true,
            sensitivity: Vec::new(),
            awaited: Vec::new(),
            timer: 0,
        };
        let processes = vec![process; threads];
        Kernel { phase: Phase::Elaboration, processes, events: Vec::new(), signals: Vec::new() }
    }

    /// As numbers.
    pub fn write(&self) -> Vec<i32> {
        let mut out = Writer::default();
        out.number(self.phase as i32);
        out.number(self.processes.len() as i32);
        for process in &self.processes {
            out.number(process.status as i32);
            out.flag(process.method);
            out.flag(process.initialise);
            out.number(process.timer);
            out.list(&process.sensitivity);
            out.list(&process.awaited);
        }
        out.number(self.events.len() as i32);
        for event in &self.events {
            out.flag(event.created);
            out.number(event.pending.unwrap_or(-1));
        }
        out.number(self.signals.len() as i32);
        for signal in &self.signals {
            out.number(signal.changed);
            out.flag(signal.side);
            out.number(signal.request.map_or(-1, i32::from));
        }
        out.finish()
    }

    /// From numbers.
    pub fn read(words: &[i32]) -> Kernel {
        let mut from = Reader::new(words);
        let perhaps = |number: i32| (number >= 0).then_some(number);
        Kernel {
            phase: PHASES[from.number() as usize],
            processes: (0..from.number()).map(|_| Process::read(&mut from)).collect(),
            events: (0..from.number())
                .map(|_| Event { created: from.flag(), pending: perhaps(from.number()) })
                .collect(),
            signals: (0..from.number())
                .map(|_| Signal {
                    changed: from.number(),
                    side: from.flag(),
                    request: perhaps(from.number()).map(|flag| flag != 0),
                })
                .collect(),
        }
    }

    /// A process by the number of its thread.
    pub fn process(&mut self, number: i32) -> &mut Process {
        &mut self.processes[number as usize]
    }

    /// An event by its number.
    pub fn event(&mut self, number: i32) -> &mut Event {
        &mut self.events[number as usize - 1]
    }
}

impl Process {
    fn read(from: &mut Reader) -> Process {
        Process {
            status: STATUSES[from.number() as usize],
            method: from.flag(),
            initialise: from.flag(),
            timer: from.number(),
            sensitivity: from.list(),
            awaited: from.list(),
        }
    }

    /// Whether it waits.
    pub fn waits(&self) -> bool {
        (Status::Sensitive..=Status::Delta).contains(&self.status)
    }

    /// Makes it runnable.
    pub fn wake(&mut self) {
        self.status = Status::Runnable;
        self.awaited.clear();
        self.timer = 0;
    }
}
