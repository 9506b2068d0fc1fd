//! All pairs of copies, where data is finite: a fixpoint over values (Abdulla, Haziza and Holík 2013, views of
//! size two).
//!
//! A *scene* is where the single threads stand and what shared variables and theirs hold; a *role* is where a
//! copy stands and what its variables hold. Known is which two roles can be there in a scene at once, two of
//! the same role included. A third copy moves if all three pairs of it and these two are known: then the
//! two are together in the scene after that. What is known in the end is an invariant of two copies, if no
//! step leads to a target. It is the least one, so there is no other if one does.
//!
//! Variables that are not live hold nothing. Of inputs with many values some are tried: what comes out is
//! examined like any invariant, so that others which matter come to light.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::stage::Stage;
use crate::budget::Budget;
use crate::program::pass::Liveness;
use crate::program::{Init, LocId, Place, Role as Use, ThreadId, TransId, movers};
use crate::proof::{Crowd, Standing};
use crate::term::{Datum, Node, Pool, Sort, TermId, VarId};

/// More pairs than this are too many.
const MAX_PAIRS: usize = 40_000;
/// More values than this inputs of a step may not have together.
const MAX_VALUES: usize = 64;
/// A sort has few values if they are fewer than this.
const FEW: i128 = 16;

/// What variables hold, each under its position in a list of them.
type Values = Vec<Datum>;

/// Where the single threads stand, and what all but the copies' variables hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Scene {
    singles: Vec<LocId>,
    values: Values,
}

/// Where a copy stands, and what its variables hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Role {
    location: LocId,
    values: Values,
}

/// Why there is no invariant of pairs.
pub(super) enum Failure {
    /// A target is reached.
    Refuted,
    /// There are too many values, or the time is up.
    TooMany,
}

/// Things by numbers.
struct Numbered<T> {
    list: Vec<T>,
    numbers: FxHashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn new() -> Numbered<T> {
        Numbered { list: Vec::new(), numbers: FxHashMap::default() }
    }

    fn number(&mut self, thing: T) -> usize {
        *self.numbers.entry(thing).or_insert_with_key(|thing| {
            self.list.push(thing.clone());
            self.list.len() - 1
        })
    }
}

/// Two roles in a scene, the smaller number first.
type Pair = (usize, usize, usize);

struct Pairs<'s, 'a> {
    stage: &'s Stage<'a>,
    liveness: &'s Liveness,
    /// The variables of scenes, and those of copies.
    common: Vec<VarId>,
    own: Vec<VarId>,
    scenes: Numbered<Scene>,
    roles: Numbered<Role>,
    known: FxHashSet<Pair>,
    pending: VecDeque<Pair>,
    /// In a scene, the roles that can be there together with one.
    beside: FxHashMap<(usize, usize), BTreeSet<usize>>,
    /// The outcomes of a role's steps in a scene, once they were asked for.
    outcomes: FxHashMap<(usize, usize), Vec<(usize, usize)>>,
    /// The outcomes of single threads' steps in a scene.
    moved: FxHashMap<usize, Vec<usize>>,
}

/// The least invariant of pairs.
pub(super) fn least(stage: &mut Stage<'_>, liveness: &Liveness, budget: &Budget) -> Result<Crowd, Failure> {
    let program = stage.program;
    let mut common = stage.shared.clone();
    common.extend(stage.singles.iter().flat_map(|&thread| private(stage, thread)));
    let own = program.twins.iter().flat_map(|twins| private(stage, twins.threads[0])).collect();
    let mut pairs = Pairs {
        stage,
        liveness,
        common,
        own,
        scenes: Numbered::new(),
        roles: Numbered::new(),
        known: FxHashSet::default(),
        pending: VecDeque::new(),
        beside: FxHashMap::default(),
        outcomes: FxHashMap::default(),
        moved: FxHashMap::default(),
    };
    pairs.begin()?;
    while let Some(pair) = pairs.pending.pop_front() {
        if pairs.known.len() > MAX_PAIRS || (pairs.known.len() % 64 == 0 && budget.check().is_err()) {
            return Err(Failure::TooMany);
        }
        pairs.follow(pair)?;
    }
    let regions = pairs.regions();
    Ok(invariant(stage, regions))
}

/// The private variables of a thread.
fn private(stage: &Stage<'_>, thread: ThreadId) -> Vec<VarId> {
    let role = Use::Private(thread);
    stage.program.variable_ids().filter(|&var| stage.program.variable(var).role == role).collect()
}

impl Pairs<'_, '_> {
    // ---- the fixpoint

    fn begin(&mut self) -> Result<(), Failure> {
        let program = self.stage.program;
        let entry = |thread: &ThreadId| program.thread(*thread).entry;
        let singles: Vec<LocId> = self.stage.singles.iter().map(entry).collect();
        let entries = self.stage.entries.clone();
        if singles.iter().chain(&entries).any(|&at| program.location(at).is_target()) {
            return Err(Failure::Refuted);
        }
        let mut scenes = Vec::new();
        for values in self.initially(&self.common.clone())? {
            scenes.push(self.scene(singles.clone(), values));
        }
        let mut roles = Vec::new();
        for location in entries {
            for values in self.initially(&self.own.clone())? {
                roles.push(self.role(location, values));
            }
        }
        for &scene in &scenes {
            for &one in &roles {
                roles.iter().for_each(|&other| self.learn(scene, one, other));
            }
        }
        Ok(())
    }

    /// All that variables can hold at first. What is not live in the beginning holds nothing in particular.
    fn initially(&self, variables: &[VarId]) -> Result<Vec<Values>, Failure> {
        let program = self.stage.program;
        let entries = program.threads.iter().map(|thread| thread.entry);
        let live: BTreeSet<VarId> = entries.flat_map(|at| self.liveness.at(at).iter().copied()).collect();
        let choices = variables.iter().map(|&var| {
            let variable = program.variable(var);
            match &variable.init {
                Init::Value(datum) => Ok(vec![datum.clone()]),
                Init::Any if !program.is_shared(var) && !live.contains(&var) => {
                    Ok(vec![Datum::zero(variable.sort)])
                }
                Init::Any => some_of(variable.sort, &[]),
            }
        });
        product(&choices.collect::<Result<Vec<_>, _>>()?)
    }

    fn learn(&mut self, scene: usize, one: usize, other: usize) {
        let pair = (scene, one.min(other), one.max(other));
        if self.known.insert(pair) {
            self.pending.push_back(pair);
            self.beside.entry((scene, one)).or_default().insert(other);
            self.beside.entry((scene, other)).or_default().insert(one);
        }
    }

    /// All that follows from a pair, together with what is known.
    fn follow(&mut self, (scene, one, other): Pair) -> Result<(), Failure> {
        if !self.is_atomic(one) && !self.is_atomic(other) {
            for after in self.singles_move(scene)? {
                self.learn(after, one, other);
            }
        }
        for (mover, stays) in [(one, other), (other, one)] {
            if !self.is_atomic(stays) {
                for (after, role) in self.moves(scene, mover)? {
                    self.learn(after, role, stays);
                }
            }
        }
        let empty = BTreeSet::new();
        let (ones, others) = (self.beside.get(&(scene, one)), self.beside.get(&(scene, other)));
        let thirds: Vec<usize> =
            ones.unwrap_or(&empty).intersection(others.unwrap_or(&empty)).copied().collect();
        for third in thirds {
            for [mover, a, b] in [[one, other, third], [other, one, third], [third, one, other]] {
                if !self.is_atomic(a) && !self.is_atomic(b) {
                    for (after, _) in self.moves(scene, mover)? {
                        self.learn(after, a, b);
                    }
                }
            }
        }
        Ok(())
    }

    fn is_atomic(&self, role: usize) -> bool {
        self.stage.program.location(self.roles.list[role].location).atomic
    }

    // ---- steps

    /// What a role's steps come to in a scene.
    fn moves(&mut self, scene: usize, role: usize) -> Result<Vec<(usize, usize)>, Failure> {
        if let Some(known) = self.outcomes.get(&(scene, role)) {
            return Ok(known.clone());
        }
        let (at, who) = (self.scenes.list[scene].clone(), self.roles.list[role].clone());
        let mut found = Vec::new();
        if !at.singles.iter().any(|&location| self.stage.program.location(location).atomic) {
            for &step in self.stage.program.outgoing(who.location) {
                for (common, own) in self.taken(step, &at.values, &who.values)? {
                    let after = self.scene(at.singles.clone(), common);
                    let role = self.role(self.stage.program.transition(step).to, own);
                    found.push((after, role));
                }
            }
        }
        self.outcomes.insert((scene, role), found.clone());
        Ok(found)
    }

    /// What the single threads' steps come to in a scene.
    fn singles_move(&mut self, scene: usize) -> Result<Vec<usize>, Failure> {
        if let Some(known) = self.moved.get(&scene) {
            return Ok(known.clone());
        }
        let at = self.scenes.list[scene].clone();
        let program = self.stage.program;
        let able = movers(at.singles.len(), |place| program.location(at.singles[place]).atomic);
        let mut found = Vec::new();
        for place in able {
            for &step in program.outgoing(at.singles[place]) {
                for (common, _) in self.taken(step, &at.values, &[])? {
                    let mut singles = at.singles.clone();
                    singles[place] = program.transition(step).to;
                    found.push(self.scene(singles, common));
                }
            }
        }
        self.moved.insert(scene, found.clone());
        Ok(found)
    }

    /// The values after a step, for all inputs for which it can be taken.
    fn taken(
        &self,
        step: TransId,
        common: &[Datum],
        own: &[Datum],
    ) -> Result<Vec<(Values, Values)>, Failure> {
        let program = self.stage.program;
        let transition = program.transition(step);
        let inputs = program.inputs_of(transition);
        let constants = constants(&program.terms, transition.terms());
        let choices: Result<Vec<Values>, Failure> =
            inputs.iter().map(|&input| some_of(program.variable(input).sort, &constants)).collect();
        let mut found = Vec::new();
        for chosen in product(&choices?)? {
            let value = |var: VarId| {
                let of = |list: &[VarId], values: &[Datum]| {
                    list.iter().position(|&known| known == var).map(|at| values[at].clone())
                };
                of(&self.common, common)
                    .or_else(|| of(&self.own, own))
                    .or_else(|| of(&inputs, &chosen))
                    .expect("a step of this thread")
            };
            let terms = &program.terms;
            if !transition.conditions().all(|condition| terms.eval(condition, &value).truth()) {
                continue;
            }
            if program.location(transition.to).is_target() {
                return Err(Failure::Refuted);
            }
            let (mut common, mut own) = (common.to_vec(), own.to_vec());
            for update in &transition.updates {
                let result = terms.eval(update.value, &value);
                let index = update.place.index.map(|index| terms.eval(index, &value).word());
                self.assign(&mut common, &mut own, update.place, index, result);
            }
            found.push((common, own));
        }
        Ok(found)
    }

    fn assign(&self, common: &mut Values, own: &mut Values, place: Place, index: Option<i128>, value: Datum) {
        let at = |list: &[VarId]| list.iter().position(|&known| known == place.var);
        let held = match at(&self.common) {
            Some(at) => &mut common[at],
            None => &mut own[at(&self.own).expect("a variable of this thread")],
        };
        match (index, &mut *held) {
            (None, held) => *held = value,
            (Some(index), Datum::Array(elements)) => {
                let mut changed = elements.to_vec();
                if let Some(element) = usize::try_from(index).ok().and_then(|index| changed.get_mut(index)) {
                    *element = value.word();
                }
                *elements = changed.into();
            }
            (Some(_), _) => unreachable!("only arrays have elements"),
        }
    }

    /// The number of a scene, without what is not live.
    fn scene(&mut self, singles: Vec<LocId>, mut values: Values) -> usize {
        for (&var, value) in self.common.iter().zip(&mut values) {
            let live = |&location: &LocId| self.liveness.is_live(location, var);
            if !self.stage.program.is_shared(var) && !singles.iter().any(live) {
                *value = Datum::zero(self.stage.program.variable(var).sort);
            }
        }
        self.scenes.number(Scene { singles, values })
    }

    fn role(&mut self, location: LocId, mut values: Values) -> usize {
        for (&var, value) in self.own.iter().zip(&mut values) {
            if !self.liveness.is_live(location, var) {
                *value = Datum::zero(self.stage.program.variable(var).sort);
            }
        }
        self.roles.number(Role { location, values })
    }

    // ---- what is known, as an invariant

    /// For each place the values that are known, in both orders: of the variables listed first.
    fn regions(&self) -> Vec<(Standing, Vec<VarId>, BTreeSet<Vec<Datum>>)> {
        let mut found: BTreeMap<Standing, (Vec<VarId>, BTreeSet<Vec<Datum>>)> = BTreeMap::new();
        for &(scene, one, other) in &self.known {
            for (first, second) in [(one, other), (other, one)] {
                let at = &self.scenes.list[scene];
                let (first, second) = (&self.roles.list[first], &self.roles.list[second]);
                let copies = vec![first.location, self.stage.second[&second.location]];
                let (mut variables, mut values) = (Vec::new(), Vec::new());
                for (&var, value) in self.common.iter().zip(&at.values) {
                    let live = at.singles.iter().any(|&location| self.liveness.is_live(location, var));
                    if self.stage.program.is_shared(var) || live {
                        variables.push(var);
                        values.push(value.clone());
                    }
                }
                for (copy, role) in [first, second].into_iter().enumerate() {
                    for (&var, value) in self.own.iter().zip(&role.values) {
                        if self.liveness.is_live(role.location, var) {
                            variables.push(self.stage.name(copy, var));
                            values.push(value.clone());
                        }
                    }
                }
                let standing = Standing { singles: at.singles.clone(), copies };
                found.entry(standing).or_insert((variables, BTreeSet::new())).1.insert(values);
            }
        }
        found.into_iter().map(|(standing, (variables, values))| (standing, variables, values)).collect()
    }
}

type Known = Vec<(Standing, Vec<VarId>, BTreeSet<Vec<Datum>>)>;

fn invariant(stage: &mut Stage<'_>, known: Known) -> Crowd {
    let mut regions = BTreeMap::new();
    for (standing, variables, values) in known {
        let values: Vec<&[Datum]> = values.iter().map(Vec::as_slice).collect();
        let region = tree(&mut stage.terms, &variables, &values);
        regions.insert(standing, region);
    }
    Crowd { regions, copies: 2, counters: Vec::new(), terms: stage.terms.clone() }
}

/// That the variables hold one of these sorted lists of values: a choice for the first variable, and what that
/// leaves for the others.
fn tree(terms: &mut Pool, variables: &[VarId], values: &[&[Datum]]) -> TermId {
    let Some((&var, rest)) = variables.split_first() else { return terms.bool(true) };
    let mut branches: Vec<(TermId, Vec<TermId>)> = Vec::new();
    for group in values.chunk_by(|a, b| a[0] == b[0]) {
        let left: Vec<&[Datum]> = group.iter().map(|values| &values[1..]).collect();
        let below = tree(terms, rest, &left);
        let (held, sort) = (terms.var(var), terms.var_sort(var));
        let value = terms.datum(&group[0][0], sort);
        let here = terms.eq(held, value);
        match branches.iter_mut().find(|(known, _)| *known == below) {
            Some((_, heres)) => heres.push(here),
            None => branches.push((below, vec![here])),
        }
    }
    let mut cases = Vec::new();
    for (below, heres) in branches {
        let here = terms.or(&heres);
        cases.push(terms.and(&[here, below]));
    }
    terms.or(&cases)
}

/// All values of a sort, if they are few; else some: small ones, and those around constants that it meets.
fn some_of(sort: Sort, constants: &[i128]) -> Result<Values, Failure> {
    match sort {
        Sort::Bool => Ok(vec![Datum::Bool(false), Datum::Bool(true)]),
        Sort::Word(word) if word.max() - word.min() < FEW => {
            Ok((word.min()..=word.max()).map(Datum::Word).collect())
        }
        Sort::Word(word) => {
            let around = constants.iter().flat_map(|&value| [value - 1, value, value + 1]);
            let some: BTreeSet<i128> =
                around.chain([0, 1]).filter(|&value| word.contains(value)).take(MAX_VALUES).collect();
            Ok(some.into_iter().map(Datum::Word).collect())
        }
        Sort::Array(_) => Err(Failure::TooMany),
    }
}

/// The constants in terms.
fn constants(terms: &Pool, roots: impl Iterator<Item = TermId>) -> Vec<i128> {
    let (roots, mut found): (Vec<TermId>, BTreeSet<i128>) = (roots.collect(), BTreeSet::new());
    terms.visit(&roots, |_, node| {
        if let Node::Const(value, _) = node {
            found.insert(*value);
        }
    });
    found.into_iter().collect()
}

/// All choices of one value each.
fn product(choices: &[Values]) -> Result<Vec<Values>, Failure> {
    let mut all = vec![Vec::new()];
    for choice in choices {
        if all.len() * choice.len() > MAX_VALUES {
            return Err(Failure::TooMany);
        }
        let longer = all.iter().flat_map(|begun: &Values| {
            choice.iter().map(|value| begun.iter().chain([value]).cloned().collect())
        });
        all = longer.collect();
    }
    Ok(all)
}
