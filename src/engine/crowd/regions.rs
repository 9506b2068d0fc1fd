//! What is worth counting: how many copies are at certain locations.
//!
//! Of a template, without the steps that write a shared variable, parts of the automaton remain that hang
//! together. A copy in such a part has written the variable in some way and will write it again: it holds the
//! lock, it has announced itself, it is in flight. Each variable gives a family of parts; those that copies
//! begin in are not counted, and those that copies do not leave again come last. Each family is a plan, and
//! so are all together and all locations, as far as they are disjoint.

use std::collections::{BTreeMap, BTreeSet};

use super::stage::Stage;
use crate::program::{LocId, TransId};
use crate::term::VarId;

/// So many locations are counted one by one.
const MAX_LOCATIONS: usize = 8;
/// More families than this are not tried one by one.
const MAX_FAMILIES: usize = 6;

/// Disjoint sets of locations.
pub(super) type Family = Vec<BTreeSet<LocId>>;

/// What to count, the most promising first.
pub(super) fn families(stage: &Stage<'_>) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    let (mut leaving, mut staying) = (Vec::new(), Vec::new());
    for &var in stage.shared.iter().filter(|&&var| is_written(stage, var)) {
        let parts = parts(stage, &|step| writes(stage, step, var));
        let (left, kept): (Family, Family) = parts.into_iter().partition(|part| leaves(stage, part, var));
        leaving.push(left);
        staying.push(kept);
    }
    families.extend(leaving.iter().cloned());
    families.push(disjoint(leaving.iter().flatten()));
    families.push(disjoint(leaving.iter().flatten().chain(staying.iter().flatten())));
    families.retain(|family| !family.is_empty());
    let mut seen = BTreeSet::new();
    families.retain(|family| seen.insert(family.clone()));
    families.truncate(MAX_FAMILIES);
    let single: Family = stage
        .locations
        .iter()
        .filter(|location| !stage.entries.contains(location))
        .map(|&location| BTreeSet::from([location]))
        .collect();
    if single.len() <= MAX_LOCATIONS && seen.insert(single.clone()) && !single.is_empty() {
        families.push(single);
    }
    families
}

fn is_written(stage: &Stage<'_>, var: VarId) -> bool {
    stage.steps.iter().any(|&step| writes(stage, step, var))
}

fn writes(stage: &Stage<'_>, step: TransId, var: VarId) -> bool {
    stage.program.transition(step).updates.iter().any(|update| update.place.var == var)
}

/// Whether copies go on from here to write the variable.
fn leaves(stage: &Stage<'_>, part: &BTreeSet<LocId>, var: VarId) -> bool {
    let mut steps = stage.steps.iter().filter(|&&step| part.contains(&stage.program.transition(step).from));
    steps.any(|&step| writes(stage, step, var))
}

/// The parts of the automata that hang together without certain steps, apart from those that copies begin in.
fn parts(stage: &Stage<'_>, without: &dyn Fn(TransId) -> bool) -> Family {
    let mut part: BTreeMap<LocId, LocId> = stage.locations.iter().map(|&at| (at, at)).collect();
    for &step in stage.steps.iter().filter(|&&step| !without(step)) {
        let transition = stage.program.transition(step);
        if let (Some(&one), Some(&other)) = (part.get(&transition.from), part.get(&transition.to)) {
            part.values_mut().filter(|at| **at == other).for_each(|at| *at = one);
        }
    }
    let mut members: BTreeMap<LocId, BTreeSet<LocId>> = BTreeMap::new();
    for (location, at) in part {
        members.entry(at).or_default().insert(location);
    }
    members.into_values().filter(|part| !stage.entries.iter().any(|entry| part.contains(entry))).collect()
}

/// Those sets that are disjoint from all before them.
fn disjoint<'s>(sets: impl Iterator<Item = &'s BTreeSet<LocId>>) -> Family {
    let mut family: Family = Vec::new();
    for set in sets {
        if family.iter().all(|known| known.is_disjoint(set)) {
            family.push(set.clone());
        }
    }
    family
}
