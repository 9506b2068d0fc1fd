//! One reason made of those of several engines.

use crate::budget::Stop;
use crate::engine::{Claim, Reason};

use super::{Checked, Engine};

/// What engines that all gave up come to, and the limit that ended them, if one did. The summary always says
/// the limit; otherwise it is that of `scar`, which tells how far it came, or of who gave up first.
pub(super) fn merged(mut given_up: Vec<Checked>, stop: Option<Stop>) -> Checked {
    given_up.sort_by_key(|checked| checked.engine() != Engine::Scar);
    let stop = stop.map(|stop| stop.to_string());
    let mut reasons: Vec<(Engine, Reason)> = Vec::new();
    let mut shown = None;
    for checked in given_up {
        let engine = checked.engine();
        let (claim, run) = checked.into_parts();
        if let Claim::Unknown(reason) = claim {
            shown = shown.or(reason.run.clone().zip(run));
            reasons.push((engine, reason));
        }
    }
    let says_so = |(_, reason): &(Engine, Reason)| match &stop {
        Some(stop) => reason.summary.starts_with(stop.as_str()),
        None => true,
    };
    let mut merged = match reasons.iter().position(says_so) {
        Some(first) => reasons.remove(first).1,
        None => Reason::new(stop.as_deref().unwrap_or("no engine took part")),
    };
    for (engine, reason) in reasons {
        if Some(&reason.summary) != stop.as_ref() {
            merged = merged.with(format!("engine {}: {}", engine.name(), reason.summary));
        }
        merged.details.extend(reason.details);
        merged.advice.extend(reason.advice);
    }
    let (trace, run) = shown.unzip();
    Checked::unknown(Engine::Auto, Reason { run: trace, ..merged }, run)
}
