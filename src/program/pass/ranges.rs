//! Ranges that say nothing go.

use super::super::Range;
use crate::term::{Pool, TermId};

/// Drops ranges that always hold, or that are there twice.
pub(super) fn tidy(terms: &Pool, ranges: &mut Vec<Range>) {
    let mut seen: Vec<TermId> = Vec::new();
    ranges.retain(|range| {
        let new = terms.as_bool(range.holds) != Some(true) && !seen.contains(&range.holds);
        seen.push(range.holds);
        new
    });
}
