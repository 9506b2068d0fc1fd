//! A decision procedure for integer differences.
//!
//! Nearly all questions of predicate abstraction are about conjunctions of literals such as `x <= y`,
//! `x == 0` or `t2 < t1 + 1`. A general solver takes most of a millisecond for one of them; with a matrix of
//! bounds it takes microseconds. A [`Step`] is the compiled question "which values can these terms have
//! together, where these facts hold", for one transition and group of predicates; it is asked once for each
//! valuation of the facts. Answers are exact over the integers. What is not a combination of differences is
//! not read (`form.rs`), and left to the solver; and so is a question with so many alternatives that trying
//! them one after the other takes too long.

mod form;
mod reader;
mod zone;

use form::{Form, Numbering, Truth};
use reader::Reader;
use zone::{Bound, Empty, Point, Zone};

use rustc_hash::FxHashMap;

use crate::term::{Pool, Sort, TermId, VarId};

/// Terms of one pool as combinations of differences, each read once.
#[derive(Default)]
pub struct Readings {
    truths: FxHashMap<TermId, Option<Truth>>,
}

impl Readings {
    fn truth(&mut self, pool: &Pool, term: TermId) -> Option<&Truth> {
        self.truths.entry(term).or_insert_with(|| Reader::new(pool).truth(term)).as_ref()
    }

    /// The value of a truth term that has but one, over the integers, as far as reading it shows.
    pub fn constant(&mut self, pool: &Pool, term: TermId) -> Option<bool> {
        self.truth(pool, term)?.as_constant()
    }
}

/// So much work is done for one question, counted in bounds that are copied. A solver, which learns from the
/// alternatives that failed, takes about as long.
const MOST_WORK: usize = 1 << 20;

/// What an alternative costs besides its bounds.
const WORK_A_TRIAL: usize = 64;

/// A question had too many alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TooMany;

/// How much more work may be done.
struct Patience(usize);

impl Patience {
    /// Counts one more alternative.
    fn try_one(&mut self, zone: &Zone) -> Result<(), TooMany> {
        self.0 = self.0.checked_sub(zone.bounds() + WORK_A_TRIAL).ok_or(TooMany)?;
        Ok(())
    }
}

/// A question, but for the values of its facts.
pub struct Step {
    /// The ranges of the variables.
    ranges: Zone,
    premises: Vec<Truth>,
    facts: Vec<Truth>,
    asked: Vec<Truth>,
}

impl Step {
    /// Reads a question: the possible values of `asked` where `premises` and some of the `facts` or their
    /// negations hold. Variables for which `in_range` says so have the values of their type; those of words
    /// that do not overflow have anyway. `None` if some term is not a combination of differences.
    pub fn new(
        readings: &mut Readings,
        pool: &Pool,
        premises: &[TermId],
        facts: &[TermId],
        asked: &[TermId],
        in_range: impl Fn(VarId) -> bool,
    ) -> Option<Step> {
        let mut numbering = Numbering::default();
        let mut read = |terms: &[TermId]| -> Option<Vec<Truth>> {
            terms.iter().map(|&term| Some(numbering.truth(readings.truth(pool, term)?))).collect()
        };
        let (premises, facts, asked) = (read(premises)?, read(facts)?, read(asked)?);
        let ranges = ranges(pool, numbering.vars(), in_range);
        Some(Step { ranges, premises, facts, asked })
    }

    /// The possible values of the terms asked for, where the facts have these values (`None` is either), in
    /// ascending order. `None` if that would take too long.
    pub fn outcomes(&self, facts: impl IntoIterator<Item = Option<bool>>) -> Option<Vec<Vec<bool>>> {
        self.outcomes_within(facts, &mut Patience(MOST_WORK)).ok()
    }

    fn outcomes_within(
        &self,
        facts: impl IntoIterator<Item = Option<bool>>,
        patience: &mut Patience,
    ) -> Result<Vec<Vec<bool>>, TooMany> {
        let mut found = Vec::new();
        let mut knowledge = Knowledge { zone: self.ranges.clone(), differs: Vec::new(), open: Vec::new() };
        let premises = self.premises.iter().map(|premise| (premise, Some(true)));
        for (truth, value) in premises.chain(self.facts.iter().zip(facts)) {
            let assumed = match value {
                None => continue,
                Some(true) => knowledge.assume(&truth.holds),
                Some(false) => knowledge.assume(&truth.fails),
            };
            if assumed.is_err() {
                return Ok(found);
            }
        }
        if knowledge.propagate().is_ok()
            && let Some(point) = knowledge.point(patience)?
        {
            self.extend(knowledge, &point, &mut Vec::new(), &mut found, patience)?;
        }
        Ok(found)
    }

    /// Adds all possible outcomes that begin with some values; the point shows that there are some. Where a
    /// question is looked at with both answers, the point has one of them, and the other one needs a point of
    /// its own: no work is done for what turns out impossible.
    fn extend<'a>(
        &'a self,
        knowledge: Knowledge<'a>,
        point: &Point,
        values: &mut Vec<bool>,
        found: &mut Vec<Vec<bool>>,
        patience: &mut Patience,
    ) -> Result<(), TooMany> {
        let Some(next) = self.asked.get(values.len()) else {
            found.push(values.clone());
            return Ok(());
        };
        let here = next.holds.holds_at(point);
        for (value, form) in [(false, &next.fails), (true, &next.holds)] {
            let mut with = knowledge.clone();
            if with.learn(form).is_err() {
                continue;
            }
            let other = if value == here { None } else { with.point(patience)? };
            if value == here || other.is_some() {
                values.push(value);
                self.extend(with, other.as_ref().unwrap_or(point), values, found, patience)?;
                values.pop();
            }
        }
        Ok(())
    }
}

/// A zone, and what it does not say.
#[derive(Clone)]
struct Knowledge<'a> {
    zone: Zone,
    /// `left - right != difference`.
    differs: Vec<(usize, usize, i128)>,
    /// One of each of these holds.
    open: Vec<Vec<&'a Form>>,
}

/// Variables have the values of their type, those of words that overflow where `in_range` says so.
fn ranges(pool: &Pool, vars: &[VarId], in_range: impl Fn(VarId) -> bool) -> Zone {
    let mut zone = Zone::new(vars.len());
    for (position, &var) in vars.iter().enumerate() {
        let (low, high) = match pool.var_sort(var) {
            Sort::Bool => (0, 1),
            Sort::Word(word) if !word.overflows() || in_range(var) => (word.min(), word.max()),
            _ => continue,
        };
        let variable = position + 1;
        for bound in
            [Bound { left: variable, right: 0, limit: high }, Bound { left: 0, right: variable, limit: -low }]
        {
            zone.add(bound).expect("no range is empty");
        }
    }
    zone
}

impl<'a> Knowledge<'a> {
    /// Assumes a form and draws conclusions.
    fn learn(&mut self, form: &'a Form) -> Result<(), Empty> {
        self.assume(form)?;
        self.propagate()
    }

    fn assume(&mut self, form: &'a Form) -> Result<(), Empty> {
        match form {
            Form::Bound(bound) => self.zone.add(*bound),
            Form::Differs(left, right, difference) => self.assume_differs(*left, *right, *difference),
            Form::All(forms) => forms.iter().try_for_each(|form| self.assume(form)),
            Form::Any(forms) => {
                let left: Vec<&Form> = forms.iter().filter(|form| !self.refutes(form)).collect();
                match left[..] {
                    [] => return Err(Empty),
                    [only] => return self.assume(only),
                    _ => self.open.push(left),
                }
                Ok(())
            }
        }
    }

    fn assume_differs(&mut self, left: usize, right: usize, difference: i128) -> Result<(), Empty> {
        let (below, above) = apart(left, right, difference);
        match (self.zone.excludes(below), self.zone.excludes(above)) {
            (true, true) => Err(Empty),
            (true, false) => self.zone.add(above),
            (false, true) => self.zone.add(below),
            (false, false) => {
                if !self.zone.implies(below) && !self.zone.implies(above) {
                    self.differs.push((left, right, difference));
                }
                Ok(())
            }
        }
    }

    /// Whether a form cannot hold, as far as that shows in the bounds.
    fn refutes(&self, form: &Form) -> bool {
        match form {
            Form::Bound(bound) => self.zone.excludes(*bound),
            Form::Differs(left, right, difference) => {
                let (below, above) = apart(*left, *right, *difference);
                self.zone.excludes(below) && self.zone.excludes(above)
            }
            Form::All(forms) => forms.iter().any(|form| self.refutes(form)),
            Form::Any(forms) => forms.iter().all(|form| self.refutes(form)),
        }
    }

    /// Whether a form holds, as far as that shows in the bounds.
    fn implies(&self, form: &Form) -> bool {
        match form {
            Form::Bound(bound) => self.zone.implies(*bound),
            Form::Differs(left, right, difference) => {
                let (below, above) = apart(*left, *right, *difference);
                self.zone.implies(below) || self.zone.implies(above)
            }
            Form::All(forms) => forms.iter().all(|form| self.implies(form)),
            Form::Any(forms) => forms.iter().any(|form| self.implies(form)),
        }
    }

    /// Draws conclusions from what is open: alternatives that cannot hold go, and what must hold is assumed.
    fn propagate(&mut self) -> Result<(), Empty> {
        let mut before = usize::MAX;
        while self.open.len() < before {
            before = self.open.len();
            for mut open in std::mem::take(&mut self.open) {
                open.retain(|form| !self.refutes(form));
                match open[..] {
                    [] => return Err(Empty),
                    [only] => self.assume(only)?,
                    _ if open.iter().any(|form| self.implies(form)) => {}
                    _ => self.open.push(open),
                }
            }
        }
        Ok(())
    }

    /// A point with all this, if there is one. What is open has been looked at.
    fn point(&self, patience: &mut Patience) -> Result<Option<Point>, TooMany> {
        patience.try_one(&self.zone)?;
        let fewest = (0..self.open.len()).min_by_key(|&position| self.open[position].len());
        if let Some(fewest) = fewest {
            let mut rest = self.clone();
            for form in rest.open.swap_remove(fewest) {
                let mut with = rest.clone();
                if with.learn(form).is_ok()
                    && let Some(point) = with.point(patience)?
                {
                    return Ok(Some(point));
                }
            }
            return Ok(None);
        }
        if let Some(point) = self.zone.point_without(&self.differs) {
            return Ok(Some(point));
        }
        let Some((&(left, right, difference), rest)) = self.differs.split_last() else { return Ok(None) };
        let (below, above) = apart(left, right, difference);
        for side in [below, above] {
            let mut with = Knowledge { zone: self.zone.clone(), differs: rest.to_vec(), open: Vec::new() };
            if with.zone.add(side).is_ok()
                && let Some(point) = with.point(patience)?
            {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }
}

/// The two ways for a difference not to be a number.
fn apart(left: usize, right: usize, difference: i128) -> (Bound, Bound) {
    let below = Bound { left, right, limit: difference - 1 };
    let above = Bound { left: right, right: left, limit: -difference - 1 };
    (below, above)
}

#[cfg(test)]
mod tests;
