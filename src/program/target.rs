//! Where runs end that a verifier looks for: errors, and places where the program's meaning ends.

use super::{LocId, Location, Mark, Program};

impl Mark {
    /// Whether it is something that a verifier looks for: everything but the normal end of a thread. A run
    /// that reaches it is over.
    pub fn is_target(&self) -> bool {
        matches!(self, Mark::Error(_)) || self.ends_meaning()
    }

    /// Whether nothing is said of what follows, so that there is no proof if it is reached.
    pub fn ends_meaning(&self) -> bool {
        match self {
            Mark::Undefined(_) | Mark::Cut(_) => true,
            Mark::Error(_) | Mark::End => false,
        }
    }
}

impl Location {
    /// Whether a verifier looks for this location, see [`Mark::is_target`].
    pub fn is_target(&self) -> bool {
        self.mark.as_ref().is_some_and(Mark::is_target)
    }

    /// Whether the program's meaning ends here, see [`Mark::ends_meaning`].
    pub fn ends_meaning(&self) -> bool {
        self.mark.as_ref().is_some_and(Mark::ends_meaning)
    }
}

impl Program {
    /// What it means that a target is reached, and where it is.
    ///
    /// # Panics
    /// If the location is no target.
    pub fn complaint(&self, location: LocId) -> String {
        let location = self.location(location);
        let what = match &location.mark {
            Some(Mark::Error(assertion)) => {
                format!("{} can be violated", self.assertions[assertion.index()].text)
            }
            Some(Mark::Undefined(what)) => format!("undefined behaviour is reachable: {what}"),
            Some(Mark::Cut(what)) => format!("bound reached: {what}"),
            Some(Mark::End) | None => panic!("this is no target"),
        };
        match location.span.is_some() {
            true => format!("{what} at {}", self.sources.display(location.span)),
            false => what,
        }
    }
}
