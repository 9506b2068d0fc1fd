//! The engine `explore`: visits every state of a finite program.
//!
//! It answers `false` with a shortest run, `true` when all states were visited and nothing was left out, and otherwise
//! `unknown`, saying what was left out. The exploration itself is in `replay/`; the run found is
//! followed once more by the interpreter, which shares no evaluation code with it.

use crate::observe::Observer;
use crate::program::{Action, LocId, Mark, Program, Role, Span, TransId};
use crate::replay::{self, Early, Gap, Outcome};
use crate::term::VarId;

use super::{Evidence, Reason, Verdict, Violation};

pub use crate::replay::{Limits, Options, Reduction};

/// Decides a program by visiting its states.
pub fn check(program: &Program, options: &Options, observer: &mut dyn Observer) -> Verdict {
    let exploration = replay::explore(program, options, observer);
    match exploration.outcome {
        Outcome::Violation(assertion, trace) => {
            let trace = replay::tidy(program, options.model, &trace);
            let run =
                replay::run(program, options.model, &trace).expect("the explorer makes only possible moves");
            assert_eq!(run.violation(program), Some(assertion), "the run ends in the violation found");
            Verdict::Unsafe(Violation { assertion, trace })
        }
        Outcome::Clean { marks, gaps, stop } => {
            let mut obstacles = Vec::new();
            obstacles.extend(stop.map(stop_text));
            obstacles.extend(marks.into_iter().map(|location| mark_text(program, location)));
            obstacles.extend(gaps.into_iter().map(|gap| gap_text(program, options, gap)));
            match obstacles.split_first() {
                None => Verdict::Safe(Evidence::Exhausted { states: exploration.states }),
                Some((first, rest)) => {
                    let visited =
                        format!("{} states were visited, none violates an assertion", exploration.states);
                    let reason = Reason::new(first).with(visited);
                    Verdict::Unknown(rest.iter().fold(reason, |reason, obstacle| reason.with(obstacle)))
                }
            }
        }
    }
}

fn stop_text(early: Early) -> String {
    match early {
        Early::Budget(stop) => stop.to_string(),
        Early::States(limit) => format!("limit of {limit} states reached"),
        Early::Cells(cells) => format!("{cells} scalars and array elements are too many to explore"),
    }
}

fn mark_text(program: &Program, location: LocId) -> String {
    let what = match &program.location(location).mark {
        Some(Mark::Undefined(what)) => format!("undefined behaviour is reachable: {what}"),
        Some(Mark::Cut(what)) => format!("bound reached: {what}"),
        Some(Mark::Error(_) | Mark::End) | None => unreachable!("an exploration lists what ends it"),
    };
    what + &place_text(program, program.location(location).span)
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

/// The input that a variable gets its value from, and the transition that gives it. A value may be read long after it came in.
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
