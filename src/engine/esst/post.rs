//! Abstract strongest postconditions of stretches: the regions after an edge (Section 4.3).
//!
//! The running thread's region and the global one get those of their predicates that follow from both regions
//! before; what the regions of other threads say of variables that are written is lost (havoc).

use rustc_hash::FxHashMap;

use super::forest::{RegionId, Regions};
use super::search::Search;
use super::stretch::StretchId;
use crate::program::{LocId, Role};
use crate::reach::tree::NodeId;
use crate::smt::GaveUp;
use crate::term::{Pool, TermId, VarId};

/// Abstract strongest postconditions that are known.
#[derive(Default)]
pub(super) struct Posts {
    /// Of the running thread's region and the global one; none where the stretch cannot be taken. They hold
    /// for a version of the precision.
    running: FxHashMap<(RegionId, RegionId, StretchId), Option<(RegionId, RegionId)>>,
    version: u32,
    /// Whether two regions exclude that a stretch is taken.
    excluded: FxHashMap<(RegionId, RegionId, StretchId), bool>,
    /// Of the region of a thread that does not run.
    havocked: FxHashMap<(RegionId, StretchId), RegionId>,
}

impl Search<'_> {
    /// The regions after a stretch; none if it cannot be taken.
    pub(super) fn post(&mut self, node: NodeId, stretch: StretchId) -> Result<Option<Regions>, GaveUp> {
        let (before, control) = (self.forest.node(node).regions.clone(), self.forest.node(node).control);
        let to = self.stretches.get(stretch).end(&self.operations);
        let (running, global) = (self.program.location(to).thread.index(), before.len() - 1);
        let Some((own, common)) = self.post_running((before[running], before[global]), stretch)? else {
            return Ok(None);
        };
        let mut after: Vec<RegionId> = before.to_vec();
        for (thread, region) in after.iter_mut().enumerate().take(global) {
            if thread != running {
                *region = self.havoc(*region, stretch);
            }
        }
        after[running] = own;
        let mut locations = self.forest.control(control).locations.clone();
        locations[running] = to;
        after[global] = self.alive(common, &locations);
        Ok(Some(after.into()))
    }

    /// What a stretch makes of the running thread's region and of the global one, which may use both.
    fn post_running(
        &mut self,
        before: (RegionId, RegionId),
        stretch: StretchId,
    ) -> Result<Option<(RegionId, RegionId)>, GaveUp> {
        if self.posts.version != self.precision.version() {
            self.posts.running.clear();
            self.posts.version = self.precision.version();
        }
        let key = (before.0, before.1, stretch);
        if let Some(&known) = self.posts.running.get(&key) {
            self.counts.known += 1;
            return Ok(known);
        }
        self.counts.computed += 1;
        let answer = match self.is_excluded(before, stretch)? {
            true => None,
            false => {
                let facts = self.forest.union([before.0, before.1]);
                let to = self.stretches.get(stretch).end(&self.operations);
                let here: Vec<TermId> = self.precision.at(self.program, to).collect();
                let here = self.abstracted(&facts, stretch, here, to)?;
                let common = self.abstracted(&facts, stretch, self.precision.global().to_vec(), to)?;
                Some((self.forest.region(here), self.forest.region(common)))
            }
        };
        self.posts.running.insert(key, answer);
        Ok(answer)
    }

    /// Whether regions exclude that a stretch is taken.
    pub(super) fn is_excluded(
        &mut self,
        (own, global): (RegionId, RegionId),
        id: StretchId,
    ) -> Result<bool, GaveUp> {
        if let Some(&known) = self.posts.excluded.get(&(own, global, id)) {
            return Ok(known);
        }
        let conditions = self.terms.and(&self.stretches.get(id).conditions);
        let facts = self.forest.union([own, global]);
        let excluded = self.entailment.contradict(&mut self.terms, &facts, conditions)?;
        self.posts.excluded.insert((own, global, id), excluded);
        Ok(excluded)
    }

    /// Those of some predicates that hold after a stretch wherever the facts hold before, and that speak of
    /// no dead variable of the running thread.
    fn abstracted(
        &mut self,
        facts: &[TermId],
        stretch: StretchId,
        predicates: Vec<TermId>,
        to: LocId,
    ) -> Result<Vec<TermId>, GaveUp> {
        let mut premises = facts.to_vec();
        premises.extend(&self.stretches.get(stretch).conditions);
        premises.sort_unstable();
        premises.dedup();
        let mut after = Vec::new();
        for predicate in predicates {
            if !self.is_alive(predicate, to) {
                continue;
            }
            let before = self.stretches.get(stretch).before(&mut self.terms, predicate);
            if self.entailment.implies(&mut self.terms, &premises, before)? {
                after.push(predicate);
            }
        }
        after.sort_unstable();
        after.dedup();
        Ok(after)
    }

    /// The region of a thread that does not run after a stretch of another: what speaks of variables that it
    /// writes is lost.
    fn havoc(&mut self, region: RegionId, stretch: StretchId) -> RegionId {
        if let Some(&known) = self.posts.havocked.get(&(region, stretch)) {
            return known;
        }
        let mut kept = self.forest.facts(region).to_vec();
        let written = self.stretches.get(stretch);
        kept.retain(|&fact| {
            !vars_of(&mut self.vars, &self.terms, fact).iter().any(|&var| written.writes(var))
        });
        let after = self.forest.region(kept);
        self.posts.havocked.insert((region, stretch), after);
        after
    }

    /// What a region says of variables that are alive where the threads stand.
    fn alive(&mut self, region: RegionId, locations: &[LocId]) -> RegionId {
        let facts = self.forest.facts(region).to_vec();
        let alive: Vec<TermId> = facts
            .iter()
            .copied()
            .filter(|&fact| locations.iter().all(|&at| self.is_alive(fact, at)))
            .collect();
        if alive.len() == facts.len() { region } else { self.forest.region(alive) }
    }

    /// Whether a predicate speaks of no variable of a thread that is dead at a location of that thread.
    fn is_alive(&mut self, predicate: TermId, at: LocId) -> bool {
        let (program, thread) = (self.program, self.program.location(at).thread);
        let own = |var: VarId| program.variable(var).role == Role::Private(thread);
        self.vars_of(predicate);
        self.vars[&predicate].iter().all(|&var| !own(var) || self.live.is_live(at, var))
    }

    /// The variables of a predicate.
    pub(super) fn vars_of(&mut self, predicate: TermId) -> &[VarId] {
        vars_of(&mut self.vars, &self.terms, predicate)
    }
}

/// The variables of a predicate, which are looked for once.
fn vars_of<'v>(
    known: &'v mut FxHashMap<TermId, Box<[VarId]>>,
    terms: &Pool,
    predicate: TermId,
) -> &'v [VarId] {
    known.entry(predicate).or_insert_with(|| terms.vars(predicate).into_boxed_slice())
}
