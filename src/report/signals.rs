//! Who waited for which condition variable in a run, and which signal ended the waiting.
//!
//! For the model of the library waiting may end at any time, as POSIX allows, and signals change nothing. What
//! a run looks like to people is settled afterwards: a thread that goes on was woken by the first signal for
//! its condition variable, sent since it began to wait, that is left; a signal wakes one of those that wait
//! then, a broadcast all of them. Where there is none, it woke up by itself.

use std::collections::BTreeMap;

use crate::program::{Action, Audience, Program, ThreadId};
use crate::replay::{Done, Run};

/// Where an event is: the step of the run, and its number in the transition.
type At = (usize, usize);

/// Waiting and waking in a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    /// For each thread that goes on after waiting, the signal that woke it.
    woke: BTreeMap<At, At>,
    /// For each signal, who waited then.
    waiting: BTreeMap<At, Vec<ThreadId>>,
}

/// A signal that was sent.
struct Sent<'a> {
    at: At,
    condition: &'a str,
    /// Who may still be woken by it.
    audience: Vec<ThreadId>,
    /// How many of them.
    left: usize,
}

impl Signals {
    /// Those of a run.
    pub fn new(program: &Program, run: &Run) -> Signals {
        let mut found = Signals::default();
        let mut waiting: BTreeMap<ThreadId, &str> = BTreeMap::new();
        let mut sent: Vec<Sent<'_>> = Vec::new();
        for (index, step) in run.steps.iter().enumerate() {
            let Done::Step(id) = step.done else { continue };
            for (event, name) in &step.objects {
                let (at, thread) = ((index, *event), step.thread);
                match program.transition(id).events[*event].action {
                    Action::Wait(_) => {
                        waiting.insert(thread, name);
                    }
                    Action::Awake(_) => {
                        waiting.remove(&thread);
                        if let Some(signal) = taken(&mut sent, name, thread) {
                            found.woke.insert(at, signal);
                        }
                    }
                    Action::Signal(_, audience) => {
                        let here = waiting.iter().filter(|(_, condition)| *condition == name);
                        let here: Vec<ThreadId> = here.map(|(&thread, _)| thread).collect();
                        found.waiting.insert(at, here.clone());
                        let left = match audience {
                            Audience::One => 1,
                            Audience::All => here.len(),
                        };
                        sent.push(Sent { at, condition: name, audience: here, left });
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The signal that woke the thread that goes on at a place of the run.
    pub fn woke(&self, step: usize, event: usize) -> Option<At> {
        self.woke.get(&(step, event)).copied()
    }

    /// Who waited when a signal was sent.
    pub fn waiting(&self, step: usize, event: usize) -> &[ThreadId] {
        self.waiting.get(&(step, event)).map_or(&[], Vec::as_slice)
    }
}

/// The first signal that can have woken a thread. None of those before that it did not take is for it now.
fn taken(sent: &mut [Sent<'_>], condition: &str, thread: ThreadId) -> Option<At> {
    let mut signal = None;
    for sent in sent.iter_mut().filter(|sent| sent.condition == condition) {
        if let Some(position) = sent.audience.iter().position(|&waiting| waiting == thread) {
            sent.audience.remove(position);
            if signal.is_none() && sent.left > 0 {
                sent.left -= 1;
                signal = Some(sent.at);
            }
        }
    }
    signal
}
