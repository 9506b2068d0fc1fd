//! What users can try where there is no answer, in terms of the options; and what they should know besides.

use regrain::budget::Stop;
use regrain::engine::Claim;
use regrain::program::{Action, MemoryModel, MemoryOrder, Program};
use regrain::verify::{Checked, Engine};

use super::args::VerifyArguments;

/// What may help after a run without an answer.
pub fn what_to_try(arguments: &VerifyArguments, answer: &Checked, stop: Option<Stop>) -> Vec<String> {
    let Claim::Unknown(reason) = answer.claim() else { return Vec::new() };
    let mut advice = Vec::new();
    match stop {
        Some(Stop::Time(limit)) => {
            advice.push(format!("more time: --timeout {}", 4 * limit.as_secs().max(1)))
        }
        Some(Stop::Memory(limit)) => advice.push(format!("more memory: --memory-limit {}", 2 * limit)),
        Some(Stop::Cancelled | Stop::Beaten) | None => {}
    }
    if reason.undefined {
        advice.push(
            "--undefined-behaviour assume considers runs up to there, if you know that it does not happen"
                .to_owned(),
        );
        return advice;
    }
    let sequential = arguments.program.memory_model == MemoryModel::Sc;
    match arguments.engine {
        Engine::Auto if sequential && stop.is_some() => advice.push(
            "--engine impact proves some programs that the engines of `auto` do not, and the other way round"
                .to_owned(),
        ),
        Engine::Auto => {}
        _ => advice.push("--engine auto lets several engines work side by side".to_owned()),
    }
    if reason.summary.contains("loops cut") && arguments.program.unwind.is_some() {
        advice.push("a larger bound, or none: --unwind".to_owned());
    }
    advice
}

/// That a program has memory orders which make no difference under SC, where it has.
pub fn on_orders(program: &Program, model: MemoryModel) -> Option<String> {
    if model != MemoryModel::Sc {
        return None;
    }
    let events = program.transitions.iter().flat_map(|transition| &transition.events);
    let weak = |action: &Action| matches!(action, Action::Order(order) if *order != MemoryOrder::SeqCst);
    let first = events.into_iter().find(|event| weak(&event.action))?;
    Some(format!(
        "the program has memory orders weaker than seq_cst (at {}); under --mm sc every access is seq_cst, \
         --mm tso and --mm pso let writes be delayed",
        program.sources.display(first.span)
    ))
}
