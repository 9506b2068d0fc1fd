//! Runs of cooperative programs, for people: when it is, who waits for what, and who woke whom.
//!
//! The scheduler says how things stand in each state of the run. What differs between two of them is what a
//! step did to the threads, or what the scheduler did between two turns. `standing.rs` puts it into words.

use super::counterexample::Deed;
use super::standing::Names;
use crate::program::Program;
use crate::replay::{Done, Run};
use crate::scheduler::{self, Clock, Situation};

/// How things stand in a state of a run, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    /// When it is: "instant 3", "delta cycle 2 at time 10".
    pub moment: String,
    /// What each thread does if it neither runs nor could go next: "waits for full", "has ended".
    pub threads: Vec<Option<String>>,
}

/// What the scheduler did before a line of a run: a moment began, or threads no longer wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// When it is now: "instant 3".
    pub moment: String,
    /// Whether that is another moment than before.
    pub begins: bool,
    /// Who does not have to wait any more, as indices, and what they did until then: "waited for full".
    pub woken: Vec<(usize, String)>,
}

/// How things stand in each state of a run.
pub(super) struct Turns<'a> {
    names: Names<'a>,
    situations: Vec<Situation>,
    /// Who runs in each state.
    running: Vec<Option<usize>>,
}

impl<'a> Turns<'a> {
    /// Of a run of a cooperative program; `None` for other programs.
    pub fn new(program: &'a Program, run: &Run) -> Option<Turns<'a>> {
        let scheduler = scheduler::of(program.policy?);
        let mut clock = Clock::default();
        let (names, mut situations, mut running) = (Names::new(program, run), Vec::new(), Vec::new());
        for (index, state) in run.states.iter().enumerate() {
            let now = state.scheduler.as_ref()?;
            if let Some(before) = index.checked_sub(1).filter(|&step| run.steps[step].done == Done::Schedule)
            {
                clock = scheduler.advance(clock, run.states[before].scheduler.as_ref()?, now);
            }
            situations.push(scheduler.situation(now, clock));
            running.push(now.running.map(|thread| thread.index()));
        }
        Some(Turns { names, situations, running })
    }

    /// How things stand in a state.
    pub fn standings(&self, state: usize) -> Standings {
        let Situation { moment, threads } = &self.situations[state];
        let told = threads.iter().map(|standing| Some(self.names.now(standing.as_ref()?)));
        Standings { moment: moment.clone(), threads: told.collect() }
    }

    /// What a step of a thread did to the others and to its own turn.
    pub fn deeds(&self, step: usize, thread: usize) -> Vec<Deed> {
        let woken = self.woken(step).into_iter().filter(|(other, _)| *other != thread);
        let mut deeds: Vec<Deed> = woken.map(|(thread, waited)| Deed::Wake { thread, waited }).collect();
        if self.running[step] == Some(thread) && self.running[step + 1].is_none() {
            let standing = self.situations[step + 1].threads.get(thread).and_then(Option::as_ref);
            let what = standing.map_or_else(|| "gives up its turn".to_owned(), |it| self.names.now(it));
            deeds.push(Deed::Wait { what });
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
            let standing = before.as_ref().filter(|standing| standing.is_held_up())?;
            Some((thread, self.names.before(standing)))
        });
        woken.collect()
    }

    /// Those who wait in a state, with what for.
    pub fn waiting(&self, state: usize) -> Vec<(usize, String)> {
        let standings = self.situations[state].threads.iter().enumerate();
        let waiting = standings.filter_map(|(thread, standing)| {
            let standing = standing.as_ref().filter(|standing| standing.is_held_up())?;
            Some((thread, self.names.now(standing)))
        });
        waiting.collect()
    }
}
