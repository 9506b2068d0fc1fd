//! The state of OSEK: tasks, the queue of those that are ready, resources, alarms, and how that becomes
//! numbers.

use crate::scheduler::words::{Reader, Writer};

/// The operating system and all it knows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct System {
    /// Whether it was started.
    pub started: bool,
    /// The task that goes on after alarms had their chance to expire; 0 for none.
    pub goes_on: i32,
    /// What is ready, the oldest first: a task for an activation of it, minus a task for one that goes on.
    pub ready: Vec<i32>,
    /// The tasks by the number of their thread; `main`, the first, is none.
    pub tasks: Vec<Task>,
    /// For each resource how many were held when it was taken, itself counted; 0 if it is free, -1 for no
    /// resource. Their numbers begin with 1. Only the task that runs holds any: nobody gives up its turn
    /// before all are released.
    pub taken: Vec<i32>,
    /// The alarms; their numbers begin with 1.
    pub alarms: Vec<Alarm>,
}

/// A task.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Task {
    /// How many activations there can be at once; 0 if the task does not exist.
    pub limit: i32,
    /// Tasks of higher priority go first.
    pub priority: i32,
    /// Whether it is activated when the system starts.
    pub autostart: bool,
    /// Whether it has begun and not ended.
    pub begun: bool,
    /// The events that it waits for; 0 if it does not wait.
    pub awaited: i32,
    /// The events that are set.
    pub events: i32,
    /// The task to be activated when it ends; 0 for none.
    pub chained: i32,
}

/// An alarm.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Alarm {
    /// Whom it is for; 0 if the alarm does not exist.
    pub task: i32,
    /// The events that it sets; if none, it activates the task.
    pub events: i32,
    /// Whether it can expire.
    pub set: Set,
}

/// Whether an alarm can expire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Set {
    /// No.
    #[default]
    Off,
    /// Once.
    Once,
    /// Again and again.
    Cyclic,
}

impl System {
    /// Before anything happened.
    pub fn new(threads: usize) -> System {
        System {
            started: false,
            goes_on: 0,
            ready: Vec::new(),
            tasks: vec![Task::default(); threads],
            taken: Vec::new(),
            alarms: Vec::new(),
        }
    }

    /// As numbers.
    pub fn write(&self) -> Vec<i32> {
        let mut out = Writer::default();
        out.flag(self.started);
        out.number(self.goes_on);
        out.list(&self.ready);
        out.list(&self.taken);
        out.number(self.tasks.len() as i32);
        for task in &self.tasks {
            out.number(task.limit);
            out.number(task.priority);
            out.flag(task.autostart);
            out.flag(task.begun);
            [task.awaited, task.events, task.chained].into_iter().for_each(|number| out.number(number));
        }
        out.number(self.alarms.len() as i32);
        for alarm in &self.alarms {
            [alarm.task, alarm.events, alarm.set as i32].into_iter().for_each(|number| out.number(number));
        }
        out.finish()
    }

    /// From numbers.
    pub fn read(words: &[i32]) -> System {
        let mut from = Reader::new(words);
        System {
            started: from.flag(),
            goes_on: from.number(),
            ready: from.list(),
            taken: from.list(),
            tasks: (0..from.number()).map(|_| Task::read(&mut from)).collect(),
            alarms: (0..from.number()).map(|_| Alarm::read(&mut from)).collect(),
        }
    }

    /// A task by its number.
    pub fn task(&mut self, number: i32) -> &mut Task {
        &mut self.tasks[number as usize]
    }

    /// How many activations of a task there are that have not ended.
    pub fn activations(&self, task: i32) -> i32 {
        let waiting = self.ready.iter().filter(|&&entry| entry == task).count() as i32;
        waiting + i32::from(self.tasks[task as usize].begun)
    }

    /// How many resources the running task holds.
    pub fn held(&self) -> i32 {
        self.taken.iter().copied().max().unwrap_or(0).max(0)
    }
}

impl Task {
    fn read(from: &mut Reader) -> Task {
        Task {
            limit: from.number(),
            priority: from.number(),
            autostart: from.flag(),
            begun: from.flag(),
            awaited: from.number(),
            events: from.number(),
            chained: from.number(),
        }
    }
}

impl Alarm {
    fn read(from: &mut Reader) -> Alarm {
        let (task, events) = (from.number(), from.number());
        let set = [Set::Off, Set::Once, Set::Cyclic][from.number() as usize];
        Alarm { task, events, set }
    }
}
