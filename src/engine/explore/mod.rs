//! The engine `explore`: visits every state of a finite program.
//!
//! It answers `false` with a shortest run, `true` when all states were visited and nothing was left out, and
//! otherwise `unknown`, saying what was left out.
//!
//! The successor function (`machine.rs`) runs compiled transitions (`compile.rs`, `step.rs`) on flat rows of
//! cells (`layout.rs`, `state.rs`); the visited states are packed and shared (`table.rs`). Values that the
//! program leaves open are chosen only when they are read, one for all that the program cannot tell apart
//! (`inputs.rs`, `bounds.rs`, `program/regions.rs`). States that differ by who of several threads that are alike does
//! what are one state (`symmetry.rs`), and of the threads that may move only some are let move (`persistent.rs`). A search goes breadth first (`search.rs`), or along a
//! run of another version of the program (`guide.rs`). All of it is compared with `replay::reference`, which
//! knows none of this.

mod bounds;
mod call;
mod compile;
mod guide;
mod inputs;
mod layout;
mod liveness;
mod machine;
mod options;
mod persistent;
mod record;
mod search;
mod state;
mod step;
mod symmetry;
mod table;
mod turns;

pub use guide::Guide;
pub use options::{Gap, Limits, Options, Reduction};
pub use search::{Early, Exploration, Outcome, explore, follow};

use crate::observe::{Observer, Progress};
use crate::program::{Action, Program, Role, Span, TransId};
use crate::proof::Certificate;
use crate::replay;
use crate::term::VarId;

use super::{Answer, Claim, Reason, Violation};

/// Decides a program by visiting its states.
pub(crate) fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Answer {
    let exploration = explore(program, options, observer);
    if !exploration.overflows.is_empty() {
        let places = exploration.overflows.iter().map(|&span| program.sources.display(span).to_string());
        let places: Vec<String> = places.collect();
        observer.notice(Progress::Note("Signed overflow", format!("reachable at {}", places.join(", "))));
    }
    let claim = match exploration.outcome {
        Outcome::Violation(assertion, trace) => {
            let trace = replay::tidy(program, options.model, &trace);
            Claim::Unsafe(Violation { assertion, trace })
        }
        Outcome::Clean { marks, gaps, stop } => {
            let mut obstacles = Vec::new();
            obstacles.extend(stop.map(stop_text));
            obstacles.extend(marks.into_iter().map(|location| program.complaint(location)));
            obstacles.extend(gaps.into_iter().map(|gap| gap_text(program, options, gap)));
            match obstacles.split_first() {
                None => Claim::Safe(Certificate::Exhausted { states: exploration.states }),
                Some((first, rest)) => {
                    let visited =
                        format!("{} states were visited, none violates an assertion", exploration.states);
                    let reason = Reason::new(first).with(visited);
                    let reason = rest.iter().fold(reason, |reason, obstacle| reason.with(obstacle));
                    Claim::Unknown(Reason { run: exploration.undefined, ..reason })
                }
            }
        }
    };
    claim.into()
}

fn stop_text(early: Early) -> String {
    match early {
        Early::Budget(stop) => stop.to_string(),
        Early::States(limit) => format!("limit of {limit} states reached"),
        Early::Cells(cells) => format!("{cells} scalars and array elements are too many to explore"),
    }
}

fn gap_text(program: &Program, options: &Options, gap: Gap) -> String {
    match gap {
        Gap::Buffer(thread) => {
            let name = &program.thread(thread).name;
            format!("the store buffer of {name} holds more than {} writes", options.limits.buffer)
        }
        Gap::Choice(var, transition) => {
            let (input, transition) = origin(program, var).unwrap_or((var, transition));
            let variable = program.variable(input);
            let place = place_text(program, span_of(program, transition));
            format!("inputs too large to enumerate: {} ({}){place}", variable.name, variable.sort)
        }
    }
}

/// The input that a variable gets its value from, and the transition that gives it. A value may be read long
/// after it came in.
fn origin(program: &Program, var: VarId) -> Option<(VarId, TransId)> {
    program.transition_ids().find_map(|id| {
        let copies = program.transition(id).updates.iter().filter(|update| update.place.var == var);
        let mut sources = copies.filter_map(|update| program.terms.as_var(update.value));
        sources.find(|&source| program.variable(source).role == Role::Input).map(|source| (source, id))
    })
}

/// Where an input is chosen, or else where the transition begins.
fn span_of(program: &Program, transition: TransId) -> Span {
    let transition = program.transition(transition);
    let input = transition.events.iter().find(|event| matches!(event.action, Action::Input(_)));
    let event = input.or(transition.events.first());
    event.map_or(program.location(transition.from).span, |event| event.span)
}

fn place_text(program: &Program, span: Span) -> String {
    match span.is_some() {
        true => format!(" at {}", program.sources.display(span)),
        false => String::new(),
    }
}
