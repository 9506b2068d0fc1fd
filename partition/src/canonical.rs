//! One partition out of many that are equally good: the one with the lexicographically least codes.
//!
//! A solver's model depends on its version and on its history. The least codes depend on the question alone:
//! of two partitions, the one is preferred that puts the first location on which they differ into the older
//! class. Locations that no mismatch mentions thereby stay in class 0.

use crate::encode::{Encoding, Model};
use crate::prefer::{Effort, Outcome};
use crate::sat::{Answer, Interrupted, Lit};

/// Conflicts to spend on lowering one code.
const CONFLICTS_PER_CODE: u64 = 1_000;

/// The model of the least codes under `assumptions`, components and locations in order, starting from
/// `model`. Where the effort does not suffice, a code stays as it is.
pub(crate) fn least(
    mut model: Model,
    mut assumptions: Vec<Lit>,
    encoding: &mut Encoding,
    effort: &mut Effort,
) -> Result<(Model, Outcome), Interrupted> {
    let mut outcome = Outcome::Best;
    let components: Vec<(usize, usize)> = model.0.iter().map(|(&c, codes)| (c, codes.len())).collect();
    for (component, locations) in components {
        for location in 0..locations {
            loop {
                let code = model.0[&component][location];
                if code == 0 {
                    break;
                }
                assumptions.push(encoding.below(component, location, code));
                let answer = effort.query(encoding, &assumptions, CONFLICTS_PER_CODE)?;
                assumptions.pop();
                match answer {
                    Answer::Model => model = encoding.model(),
                    Answer::Core(_) => break,
                    Answer::Limit => {
                        outcome = Outcome::Limited;
                        break;
                    }
                }
            }
            assumptions.push(encoding.below(component, location, model.0[&component][location] + 1));
        }
    }
    Ok((model, outcome))
}
