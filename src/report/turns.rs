//! Runs of cooperative programs, for people: when it is, who waits for what, and who woke whom.
//!
//! The scheduler says how things stand in each state of the run. What differs between two of them is what a
//! step did to the threads, or what the scheduler did between two turns. Threads that it knows by number are
//! called by their names.

use super::counterexample::Deed;
use crate::program::Program;
use crate::replay::{Done, Run};
use crate::scheduler::{self, Clock, Situation};

/// What the scheduler did before a line of a run: a moment began, or threads no longer wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// When it is now: "instant 3".
    pub moment: String,
    /// Whether that is another moment than before.
    pub begins: bool,
    /// Who does not have to wait any more, as indices, and what they did until then: "waited for event 2".
    pub woken: Vec<(usize, String)>,
}

/// How things stand in each state of a run.
pub(super) struct Turns {
    situations: Vec<Situation>,
    /// Who runs in each state.
    running: Vec<Option<usize>>,
}

impl Turns {
    /// Of a run of a cooperative program; `None` for other programs.
    pub fn new(program: &Program, run: &Run) -> Option<Turns> {
        let scheduler = scheduler::of(program.policy?);
        let mut clock = Clock::default();
        let mut turns = Turns { situations: Vec::new(), running: Vec::new() };
        for (index, state) in run.states.iter().enumerate() {
            let now = state.scheduler.as_ref()?;
            if let Some(before) = index.checked_sub(1).filter(|&step| run.steps[step].done == Done::Schedule)
            {
                clock = scheduler.advance(clock, run.states[before].scheduler.as_ref()?, now);
            }
            let mut situation = scheduler.situation(now, clock);
            for standing in situation.threads.iter_mut().flatten() {
                *standing = named(program, standing);
            }
            turns.situations.push(situation);
            turns.running.push(now.running.map(|thread| thread.index()));
        }
        Some(turns)
    }

    /// How things stand in a state.
    pub fn situation(&self, state: usize) -> &Situation {
        &self.situations[state]
    }

    /// What a step of a thread did to the others and to its own turn.
    pub fn deeds(&self, step: usize, thread: usize) -> Vec<Deed> {
        let woken = self.woken(step).into_iter().filter(|(other, _)| *other != thread);
        let mut deeds: Vec<Deed> = woken.map(|(thread, waited)| Deed::Wake { thread, waited }).collect();
        if self.running[step] == Some(thread) && self.running[step + 1].is_none() {
            let what = self.situations[step + 1].threads.get(thread).cloned().flatten();
            deeds.push(Deed::Wait { what: what.unwrap_or_else(|| "gives up its turn".to_owned()) });
        }
        deeds
    }

    /// What the scheduler did in its decisions between two states.
    pub fn round(&self, run: &Run, before: usize, after: usize) -> Option<Round> {
        let decisions = (before..after).filter(|&step| run.steps[step].done == Done::Schedule);
        let woken: Vec<(usize, String)> = decisions.flat_map(|step| self.woken(step)).collect();
        let moment = self.situations[after].moment.clone();
        let begins = moment != self.situations[before].moment;
        (begins || !woken.is_empty()).then_some(Round { moment, begins, woken })
    }

    /// Those who wait before a step and no longer after it, with what they waited for.
    fn woken(&self, step: usize) -> Vec<(usize, String)> {
        let (before, after) = (&self.situations[step].threads, &self.situations[step + 1].threads);
        let both = before.iter().zip(after).enumerate();
        let woken = both.filter(|(_, (_, after))| after.is_none()).filter_map(|(thread, (before, _))| {
            let standing = before.as_deref().filter(|standing| is_held_up(standing))?;
            Some((thread, in_the_past(standing)))
        });
        woken.collect()
    }

    /// Those who wait in a state, with what for.
    pub fn waiting(&self, state: usize) -> Vec<(usize, String)> {
        let standings = self.situations[state].threads.iter().enumerate();
        let waiting = standings.filter_map(|(thread, standing)| Some((thread, standing.clone()?)));
        waiting.filter(|(_, standing)| is_held_up(standing)).collect()
    }
}

/// Whether it takes somebody or something else for a thread to go on. One that has ended or only lets others
/// go first does not wait.
fn is_held_up(standing: &str) -> bool {
    !standing.starts_with("has ") && !standing.starts_with("starts ")
}

/// What is no longer so.
fn in_the_past(standing: &str) -> String {
    let (verb, rest) = standing.split_once(' ').unwrap_or((standing, ""));
    let verb = match verb {
        "waits" => "waited",
        "is" => "was",
        other => other,
    };
    format!("{verb} {rest}").trim_end().to_owned()
}

/// A sentence in which threads have names instead of numbers.
fn named(program: &Program, text: &str) -> String {
    let mut words = text.split(' ').peekable();
    let mut out: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        let number = words.peek().filter(|_| word == "thread").map(|next| next.trim_end_matches(','));
        let thread = number.and_then(|number| program.threads.get(number.parse::<usize>().ok()?));
        match thread {
            Some(thread) => {
                let next = words.next().unwrap_or_default();
                let comma = if next.ends_with(',') { "," } else { "" };
                out.push(format!("{}{comma}", thread.name));
            }
            None => out.push(word.to_owned()),
        }
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ProgramBuilder, Sources, Span};

    #[test]
    fn threads_are_called_by_their_names() {
        let mut builder = ProgramBuilder::new(Sources::default());
        for name in ["main", "consumer"] {
            builder.thread(name, Span::NONE);
        }
        let program = builder.build();
        let told = |text| named(&program, text);
        assert_eq!(
            told("waits for the end of thread 1, for 2 more instants"),
            "waits for the end of consumer, for 2 more instants"
        );
        assert_eq!(told("waits for the end of thread 1"), "waits for the end of consumer");
        assert_eq!(told("waits for event 1 of thread 7"), "waits for event 1 of thread 7");
    }
}
