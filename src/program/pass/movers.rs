//! Which steps may as well happen later, or earlier (Lipton, "Reduction: a method of proving properties of
//! parallel programs", 1975).
//!
//! A step moves *right* if it may follow whatever others do next, and *left* if it may precede whatever they
//! did before; nobody can tell the difference. These move:
//!
//! - both ways, what touches shared variables only where nobody else can at that time: [`Order`] has the
//!   reasons (a lock that both hold, the end of the other thread that was waited for, its creation that is
//!   still to come);
//! - right, taking a lock (`program/locks.rs`), and waiting for a flag that stays once it is raised
//!   (`flags.rs`);
//! - left, giving back a lock, and raising a flag that others only wait for: it hinders nobody.
//!
//! Under sequential consistency only, apart from flags: a store buffer may keep what was written under a lock
//! until after the lock was given back.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::super::locks::{LockUse, Locks};
use super::super::{Barrier, LocId, MemoryModel, Program, ThreadId, TransId, Transition};
use super::access::Mentions;
use super::flags::Flags;
use crate::term::VarId;

/// Whether a step may happen later, and whether it may happen earlier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moves {
    pub right: bool,
    pub left: bool,
}

/// What is known of a program's steps.
#[derive(Debug)]
pub(super) struct Movers {
    model: MemoryModel,
    flags: Flags,
    locks: Locks,
    /// Shared variables that no two threads can touch at the same time.
    exclusive: FxHashSet<VarId>,
}

impl Movers {
    pub fn of(program: &Program, model: MemoryModel) -> Movers {
        let flags = Flags::of(program);
        if model != MemoryModel::Sc || program.policy.is_some() {
            let (locks, exclusive) = (Locks::default(), FxHashSet::default());
            return Movers { model, flags, locks, exclusive };
        }
        let locks = Locks::of(program, |_| true);
        // What keeps threads apart is not itself kept apart.
        let is_data = |var: &VarId| !locks.contains(*var) && !flags.contains(*var);
        let mut exclusive = Order::new(program, &flags, &locks).exclusive();
        exclusive.retain(is_data);
        Movers { model, flags, locks, exclusive }
    }

    /// How a step moves that reads these variables.
    pub fn moves(&self, program: &Program, transition: &Transition, reads: &[VarId]) -> Moves {
        let mut moves = Moves { right: true, left: true };
        if transition.call.is_some() {
            return Moves { right: false, left: false };
        }
        let mut vars = reads.to_vec();
        vars.retain(|&var| program.is_shared(var));
        vars.extend(program.shared_writes(transition).map(|place| place.var));
        vars.sort_unstable();
        vars.dedup();
        for var in vars {
            let of_var = self.with(program, transition, var);
            moves.right &= of_var.right;
            moves.left &= of_var.left;
        }
        // A barrier must not come before what an ordinary access reads.
        moves.left &= self.model == MemoryModel::Sc || transition.barrier != Barrier::Full;
        moves
    }

    /// How a step moves as far as it has to do with one variable.
    fn with(&self, program: &Program, transition: &Transition, var: VarId) -> Moves {
        if self.exclusive.contains(&var) {
            return Moves { right: true, left: true };
        }
        match self.locks.used(program, transition, var) {
            Some(LockUse::Take) => Moves { right: true, left: false },
            Some(LockUse::Free) => Moves { right: false, left: true },
            Some(LockUse::Pass) => Moves { right: false, left: false },
            None => Moves {
                right: self.flags.waits_for(program, transition, var),
                left: self.flags.announces(program, transition, var),
            },
        }
    }
}

/// What holds whenever a thread is somewhere, as far as it keeps others away.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Context {
    thread: ThreadId,
    /// Locks that are held.
    held: Vec<VarId>,
    /// Flags that are up.
    raised: Vec<VarId>,
    /// Flags that the thread itself may have raised.
    announced: Vec<VarId>,
}

/// Which accesses cannot happen at the same time.
struct Order<'a> {
    program: &'a Program,
    /// For each thread, flags that it raises at its end and nobody else does.
    ends: Vec<BTreeSet<VarId>>,
    /// For each thread, flags without which it does not begin, each with the only thread that raises it.
    begins: Vec<Vec<(VarId, ThreadId)>>,
    contexts: Vec<Context>,
}

impl<'a> Order<'a> {
    fn new(program: &'a Program, flags: &Flags, locks: &Locks) -> Order<'a> {
        let raisers = raisers(program, flags);
        let only = |var: &VarId| match raisers.get(var).map(|steps| steps.as_slice()) {
            Some(steps) if steps.iter().all(|&id| program.thread_of(id) == program.thread_of(steps[0])) => {
                Some(program.thread_of(steps[0]))
            }
            _ => None,
        };
        let mut ends = vec![BTreeSet::new(); program.threads.len()];
        for (&var, steps) in &raisers {
            let last = |&id: &TransId| program.outgoing(program.transition(id).to).is_empty();
            if let Some(thread) = only(&var)
                && steps.iter().all(last)
            {
                ends[thread.index()].insert(var);
            }
        }
        let begins = program.threads.iter().map(|thread| {
            let steps = program.outgoing(thread.entry).iter().map(|&id| program.transition(id));
            let demanded = steps.map(|step| flags.demanded(program, step));
            let common = demanded.reduce(|a, b| a.into_iter().filter(|var| b.contains(var)).collect());
            let common = common.unwrap_or_default().into_iter();
            common.filter_map(|var| Some((var, only(&var)?))).collect()
        });
        let begins = begins.collect();
        let (raised, announced) = (raised(program, flags), announced(program, flags));
        let context = |id: TransId| {
            let step = program.transition(id);
            let mut held = locks.held_at(step.from);
            held.extend(locks.taken_by(program, step));
            let mut up = raised[step.from.index()].clone().unwrap_or_default();
            up.extend(flags.demanded(program, step));
            let thread = program.thread_of(id);
            Context { thread, held, raised: up, announced: announced[step.from.index()].clone() }
        };
        Order { program, ends, begins, contexts: program.transition_ids().map(context).collect() }
    }

    /// The variables of which no two accesses conflict at the same time.
    fn exclusive(&self) -> FxHashSet<VarId> {
        let mut accesses: BTreeMap<VarId, BTreeSet<(bool, &Context)>> = BTreeMap::new();
        let mut mentions = Mentions::default();
        for (id, context) in self.program.transition_ids().zip(&self.contexts) {
            let step = self.program.transition(id);
            for var in mentions.reads(&self.program.terms, step) {
                accesses.entry(var).or_default().insert((false, context));
            }
            for place in self.program.shared_writes(step) {
                accesses.entry(place.var).or_default().insert((true, context));
            }
        }
        let shared = accesses.into_iter().filter(|(var, _)| self.program.is_shared(*var));
        let apart = |accesses: &BTreeSet<(bool, &Context)>| {
            let accesses: Vec<_> = accesses.iter().collect();
            accesses.len() <= MANY
                && accesses.iter().enumerate().all(|(at, (writes, one))| {
                    accesses[..at].iter().all(|(also, other)| {
                        !(*writes || *also) || one.thread == other.thread || self.apart(one, other)
                    })
                })
        };
        shared.filter(|(_, accesses)| apart(accesses)).map(|(var, _)| var).collect()
    }

    /// Whether two threads cannot be in these contexts at the same time.
    fn apart(&self, one: &Context, other: &Context) -> bool {
        let ended = |one: &Context, other: &Context| {
            one.raised.iter().any(|flag| self.ends[other.thread.index()].contains(flag))
        };
        let to_come = |one: &Context, other: &Context| {
            let mut begins = self.begins[other.thread.index()].iter();
            begins.any(|(flag, raiser)| *raiser == one.thread && !one.announced.contains(flag))
        };
        one.held.iter().any(|lock| other.held.contains(lock))
            || ended(one, other)
            || ended(other, one)
            || to_come(one, other)
            || to_come(other, one)
    }
}

/// Variables that are touched in more contexts than this are not looked at.
const MANY: usize = 200;

/// The steps that raise each flag.
fn raisers(program: &Program, flags: &Flags) -> BTreeMap<VarId, Vec<TransId>> {
    let mut raisers: BTreeMap<VarId, Vec<TransId>> = BTreeMap::new();
    for id in program.transition_ids() {
        for place in program.shared_writes(program.transition(id)) {
            if flags.contains(place.var) {
                raisers.entry(place.var).or_default().push(id);
            }
        }
    }
    raisers
}

/// For each location that is reached, the flags that are certainly up there.
fn raised(program: &Program, flags: &Flags) -> Vec<Option<Vec<VarId>>> {
    let mut raised: Vec<Option<Vec<VarId>>> = vec![None; program.locations.len()];
    let mut open: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
    open.iter().for_each(|entry| raised[entry.index()] = Some(Vec::new()));
    while let Some(location) = open.pop() {
        for &id in program.outgoing(location) {
            let step = program.transition(id);
            let mut after = raised[location.index()].clone().unwrap_or_default();
            after.extend(flags.demanded(program, step));
            after.extend(
                program.shared_writes(step).map(|place| place.var).filter(|&var| flags.contains(var)),
            );
            after.sort_unstable();
            after.dedup();
            let there = &mut raised[step.to.index()];
            if let Some(known) = there {
                after.retain(|var| known.contains(var));
            }
            if there.as_ref() != Some(&after) {
                *there = Some(after);
                open.push(step.to);
            }
        }
    }
    raised
}

/// For each location the flags that its thread may have raised before.
fn announced(program: &Program, flags: &Flags) -> Vec<Vec<VarId>> {
    let mut announced: Vec<Vec<VarId>> = vec![Vec::new(); program.locations.len()];
    let mut open: Vec<LocId> = program.location_ids().collect();
    while let Some(location) = open.pop() {
        for &id in program.outgoing(location) {
            let step = program.transition(id);
            let mut after = announced[location.index()].clone();
            after.extend(
                program.shared_writes(step).map(|place| place.var).filter(|&var| flags.contains(var)),
            );
            let there = &mut announced[step.to.index()];
            let before = there.len();
            there.extend(after);
            there.sort_unstable();
            there.dedup();
            if there.len() > before {
                open.push(step.to);
            }
        }
    }
    announced
}
