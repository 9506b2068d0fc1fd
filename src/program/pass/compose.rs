//! Two transitions in a row as one.
//!
//! The second transition's terms are evaluated in the state that the first leaves, so the first's updates are
//! substituted into them. Two writes to elements of one array whose indices may or may not be equal become
//! two cases, with the comparison in the guard. An input of both transitions gets a second name, because it
//! takes a value each time.
//!
//! Steps that ask something of a scheduler are not composed.
//!
//! The caller answers for what other threads could have done in between. What one thread asks of its store
//! buffer is settled here ([`Composer::barrier`]): where no single barrier means the same as two in a row,
//! there is no composition.

use super::super::{
    Action, Barrier, Event, MemoryModel, Origin, Place, Program, Range, Role, Transition, Update, Variable,
};
use super::access::Mentions;
use super::ranges::tidy;
use crate::term::{TermId, VarId, Word};

/// More cases than this are refused.
const MAX_CASES: usize = 8;

pub(super) struct Composer<'a> {
    pub program: &'a mut Program,
    pub mentions: &'a mut Mentions,
    pub model: MemoryModel,
}

/// What the first transition makes of the variables that the second reads.
#[derive(Default)]
struct Image {
    of: Vec<(VarId, TermId)>,
}

/// A composition under construction.
#[derive(Clone)]
struct Case {
    guard: TermId,
    /// Updates of the first transition that are still visible.
    first: Vec<Update>,
    /// Updates of the second transition.
    second: Vec<Update>,
}

impl Composer<'_> {
    /// The transitions that do what `first` and then `second` do; none if that cannot happen. `None` if there
    /// is no such transition.
    pub fn compose(&mut self, first: &Transition, second: &Transition) -> Option<Vec<Transition>> {
        if first.call.is_some() || second.call.is_some() {
            return None;
        }
        let barrier = self.barrier(first, second)?;
        let image = self.image(first, second);
        let mut ranges = first.ranges.clone();
        for range in &second.ranges {
            ranges.push(Range { holds: self.apply(range.holds, &image), span: range.span });
        }
        tidy(&self.program.terms, &mut ranges);
        let second_guard = self.apply(second.guard, &image);
        let guard = self.program.terms.and(&[first.guard, second_guard]);
        let mut cases = vec![Case { guard, first: first.updates.clone(), second: Vec::new() }];
        for update in &second.updates {
            let index = update.place.index.map(|index| self.apply(index, &image));
            let place = Place { var: update.place.var, index };
            let update = Update { place, value: self.apply(update.value, &image), lanes: update.lanes };
            let mut next = Vec::new();
            for case in cases {
                next.extend(self.overwrite(case, update, barrier)?);
            }
            cases = next;
            if cases.len() > MAX_CASES {
                return None;
            }
        }
        cases.retain(|case| self.program.terms.as_bool(case.guard) != Some(false));
        let mut events = first.events.clone();
        events.extend(second.events.iter().map(|event| self.event(event, &image)));
        let transition = |case: Case| Transition {
            from: first.from,
            to: second.to,
            guard: case.guard,
            ranges: ranges.clone(),
            updates: [case.first, case.second].concat(),
            call: None,
            barrier,
            events: events.clone(),
        };
        Some(cases.into_iter().map(transition).collect())
    }

    /// The barrier of both in one indivisible step.
    ///
    /// A full barrier may move to the front, over buffered writes of the same step: nobody sees them before.
    /// It may not move back over such writes, as they could stay in the buffer. A store-store barrier may
    /// move to the front only if there is no write that it would then come before.
    fn barrier(&self, first: &Transition, second: &Transition) -> Option<Barrier> {
        let writes = |transition| self.program.shared_writes(transition).next().is_some();
        match (first.barrier, second.barrier) {
            _ if self.model == MemoryModel::Sc => Some(Barrier::None),
            (Barrier::Full, Barrier::None | Barrier::StoreStore) => {
                (!writes(second)).then_some(Barrier::Full)
            }
            (_, Barrier::Full) => Some(Barrier::Full),
            (_, Barrier::StoreStore) => (!writes(first)).then_some(Barrier::StoreStore),
            (first, Barrier::None) => Some(first),
        }
    }

    /// What the first transition makes of each variable that it updates and the second mentions.
    fn image(&mut self, first: &Transition, second: &Transition) -> Image {
        let reads = self.mentions.reads(&self.program.terms, second);
        let mut image = Image::default();
        for update in first.updates.iter().filter(|update| reads.binary_search(&update.place.var).is_ok()) {
            let var = update.place.var;
            let value = match update.place.index {
                None => update.value,
                Some(index) => {
                    let array = image.get(var).unwrap_or_else(|| self.program.terms.var(var));
                    self.program.terms.store(array, index, update.value)
                }
            };
            image.set(var, value);
        }
        let first_reads = self.mentions.reads(&self.program.terms, first);
        for var in reads {
            if self.program.variable(var).role == Role::Input && first_reads.binary_search(&var).is_ok() {
                let other = self.second_input(var);
                image.set(var, other);
            }
        }
        image
    }

    fn second_input(&mut self, var: VarId) -> TermId {
        let Variable { name, sort, init, .. } = self.program.variable(var).clone();
        let other = self.program.terms.declare(name.clone(), sort);
        assert_eq!(other.index(), self.program.variables.len(), "the program's variables are all there are");
        self.program.variables.push(Variable {
            name,
            sort,
            role: Role::Input,
            init,
            origin: Origin::Internal,
        });
        self.program.terms.var(other)
    }

    fn apply(&mut self, term: TermId, image: &Image) -> TermId {
        let vars = self.mentions.of(&self.program.terms, term);
        match vars.iter().any(|&var| image.get(var).is_some()) {
            true => self.program.terms.substitute(term, |_, var| image.get(var)),
            false => term,
        }
    }

    fn event(&mut self, event: &Event, image: &Image) -> Event {
        let mut place = |place: &Place| Place {
            var: place.var,
            index: place.index.map(|index| self.apply(index, image)),
        };
        let action = match &event.action {
            Action::Input(var) => {
                let renamed = image.get(*var).and_then(|term| self.program.terms.as_var(term));
                Action::Input(renamed.unwrap_or(*var))
            }
            Action::Read(at) => Action::Read(place(at)),
            Action::Write(at) => Action::Write(place(at)),
            Action::Update(at) => Action::Update(place(at)),
            other => other.clone(),
        };
        let mut action = action;
        if let Some(address) = action.handle_mut().and_then(|handle| handle.address.as_mut()) {
            *address = self.apply(*address, image);
        }
        Event { span: event.span, action }
    }

    /// Adds an update of the second transition, which hides updates of the first. `None` where the store
    /// buffer would show what is hidden.
    fn overwrite(&mut self, mut case: Case, update: Update, barrier: Barrier) -> Option<Vec<Case>> {
        let var = update.place.var;
        let buffered =
            self.model != MemoryModel::Sc && barrier != Barrier::Full && self.program.is_shared(var);
        if buffered && case.first.iter().any(|old| self.may_overlap(old.place, update.place)) {
            return None;
        }
        let Some(index) = update.place.index else {
            case.first.retain(|old| old.place.var != var);
            case.second.push(update);
            return Some(vec![case]);
        };
        if let Some(whole) =
            case.first.iter_mut().find(|old| old.place.var == var && old.place.index.is_none())
        {
            whole.value = self.program.terms.store(whole.value, index, update.value);
            return Some(vec![case]);
        }
        let mut cases = vec![case.clone()];
        for old in case.first.iter().filter(|old| old.place.var == var) {
            let equal = self.same_index(old.place.index.expect("not the whole array"), index);
            let different = self.program.terms.not(equal);
            cases = cases
                .into_iter()
                .flat_map(|case| {
                    [self.assuming(&case, equal, Some(old)), self.assuming(&case, different, None)]
                })
                .flatten()
                .collect();
        }
        cases.iter_mut().for_each(|case| case.second.push(update));
        Some(cases)
    }

    /// The case under a condition and without a hidden update; `None` if that is impossible.
    fn assuming(&mut self, case: &Case, condition: TermId, hidden: Option<&Update>) -> Option<Case> {
        let guard = self.program.terms.and(&[case.guard, condition]);
        let possible = self.program.terms.as_bool(guard) != Some(false);
        possible.then(|| {
            let mut case = Case { guard, ..case.clone() };
            case.first.retain(|old| Some(old) != hidden);
            case
        })
    }

    fn may_overlap(&mut self, a: Place, b: Place) -> bool {
        a.var == b.var
            && match (a.index, b.index) {
                (Some(i), Some(j)) => {
                    let equal = self.same_index(i, j);
                    self.program.terms.as_bool(equal) != Some(false)
                }
                _ => true,
            }
    }

    /// `i == j` for indices of possibly different sorts; in range, so that 64 bits hold both.
    fn same_index(&mut self, i: TermId, j: TermId) -> TermId {
        let terms = &mut self.program.terms;
        match terms.sort(i) == terms.sort(j) {
            true => terms.eq(i, j),
            false => {
                let (i, j) = (terms.cast(i, Word::signed(64)), terms.cast(j, Word::signed(64)));
                terms.eq(i, j)
            }
        }
    }
}

impl Image {
    fn get(&self, var: VarId) -> Option<TermId> {
        self.of.iter().find(|entry| entry.0 == var).map(|entry| entry.1)
    }

    fn set(&mut self, var: VarId, value: TermId) {
        match self.of.iter_mut().find(|entry| entry.0 == var) {
            Some(entry) => entry.1 = value,
            None => self.of.push((var, value)),
        }
    }
}
