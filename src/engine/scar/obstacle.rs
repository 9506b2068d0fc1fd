//! What stands in the way of an answer, and the reason that is made of it: the only place of the engine that
//! writes sentences.

use crate::budget::Stop;
use crate::engine::Reason;
use crate::program::{Action, LocId, Mark, Program, Span};

use super::unroll::{Loops, Target};

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// The budget ended.
    Stopped(Stop),
    /// Something that is not supported, in words.
    Unsupported(String),
}

impl Obstacle {
    /// The reason.
    pub(super) fn reason(&self) -> Reason {
        match self {
            Obstacle::Stopped(stop) => Reason::new(stop.to_string()),
            Obstacle::Unsupported(what) => Reason::new(format!("not supported by engine scar: {what}")),
        }
    }

    /// The reason, with what was established.
    pub(super) fn reason_at(&self, cut: Option<&Cut>) -> Reason {
        let reason = self.reason();
        match cut {
            Some(cut) => Reason::new(format!("{}; {}", reason.summary, cut.text())).with(BOUND_COUNTS),
            None => reason,
        }
    }
}

impl From<Stop> for Obstacle {
    fn from(stop: Stop) -> Obstacle {
        Obstacle::Stopped(stop)
    }
}

/// What a bound is a bound of.
const BOUND_COUNTS: &str =
    "the bound counts rounds in which a loop might have ended; others are followed all the same";

/// Loops that a bound cuts, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    bound: u32,
    /// Where, and the threads that are cut there, as users know them.
    loops: Vec<(Option<String>, Vec<String>)>,
    state: State,
}

/// How much is known of a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Nothing; the loops may be cut.
    Begun,
    /// There is no violation up to it; the loops are cut.
    Done,
}

impl Cut {
    /// The loops among what may be reached at a bound that is not finished.
    pub(super) fn begun(program: &Program, loops: &Loops, bound: u32, targets: &[Target]) -> Option<Cut> {
        Cut::of(program, loops, bound, targets, State::Begun)
    }

    /// The loops among what is reached at a bound without violation.
    pub(super) fn done(program: &Program, loops: &Loops, bound: u32, targets: &[Target]) -> Option<Cut> {
        Cut::of(program, loops, bound, targets, State::Done)
    }

    /// Threads that run the same loop stand together.
    fn of(program: &Program, loops: &Loops, bound: u32, targets: &[Target], state: State) -> Option<Cut> {
        let mut cut = Cut { bound, loops: Vec::new(), state };
        for target in targets {
            let Target::Loop(id) = target else { continue };
            let head = loops.entry_of(*id);
            let place = span_of(program, head).map(|span| program.sources.display(span).to_string());
            let thread = program.thread(program.location(head).thread).name.clone();
            match cut.loops.iter_mut().find(|(other, _)| *other == place) {
                Some((_, threads)) if threads.contains(&thread) => {}
                Some((_, threads)) => threads.push(thread),
                None => cut.loops.push((place, vec![thread])),
            }
        }
        (!cut.loops.is_empty()).then_some(cut)
    }

    fn text(&self) -> String {
        let one = |(place, threads): &(Option<String>, Vec<String>)| match (place, &threads[..]) {
            (Some(place), [thread]) => format!("{thread} at {place}"),
            (Some(place), _) => format!("{place} ({})", threads.join(", ")),
            (None, _) => threads.join(", "),
        };
        let loops = self.loops.iter().map(one).collect::<Vec<_>>().join(", ");
        match self.state {
            State::Begun => format!("bound {} not finished; it may cut loops: {loops}", self.bound),
            State::Done => format!("no violation up to bound {}; loops cut: {loops}", self.bound),
        }
    }
}

/// Why a bound without violation proves nothing: loops that are cut, and marks that are reached.
///
/// # Panics
/// If there are neither.
pub(super) fn open_reason(program: &Program, cut: Option<&Cut>, open: &[Target]) -> Reason {
    let marks = open.iter().filter_map(|target| match target {
        Target::Mark(location) => Some(program.complaint(*location)),
        _ => None,
    });
    let mut obstacles = cut.map(Cut::text).into_iter().chain(marks);
    let first = Reason::new(obstacles.next().expect("something is open"));
    let undefined = open.iter().any(|target| match target {
        Target::Mark(location) => matches!(program.location(*location).mark, Some(Mark::Undefined(_))),
        _ => false,
    });
    let reason = Reason { undefined, ..obstacles.fold(first, Reason::with) };
    match cut {
        Some(_) => reason.with(BOUND_COUNTS),
        None => reason,
    }
}

/// What is reached, in words.
pub(super) fn goal_text(program: &Program, loops: &Loops, target: Target) -> String {
    match target {
        Target::Violation(assertion) => format!("violated: {}", program.assertions[assertion.index()].text),
        Target::Mark(location) => program.complaint(location),
        Target::Loop(id) => {
            let place =
                span_of(program, loops.entry_of(id)).map(|span| program.sources.display(span).to_string());
            format!(
                "one round more of the loop{}",
                place.map_or_else(String::new, |place| format!(" at {place}"))
            )
        }
    }
}

/// Where a location is in the source: its own place, or that of what leaves it.
fn span_of(program: &Program, location: LocId) -> Option<Span> {
    let own = program.location(location).span;
    let leaving = program.outgoing(location).iter().flat_map(|&id| &program.transition(id).events);
    let branch = leaving.clone().find(|event| matches!(event.action, Action::Branch(_)));
    let all = branch.into_iter().chain(leaving).map(|event| event.span);
    std::iter::once(own).chain(all).find(|span| span.is_some())
}
