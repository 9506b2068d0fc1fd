//! Threads that nobody can tell apart.
//!
//! Two threads are *alike* if the program stays the same when they change places: the locations of one with
//! those of the other, in the order of their control flow, likewise transitions, private variables, inputs,
//! and the shared variables that only one of the two mentions (that it has ended, its place in an array).
//! Every transition of the one has to become one of the other, term by term, and every transition of a third
//! thread that mentions what changes places has to become itself; initial values are the same, too. So who
//! joins them one by one, asks for one's identity, or hands over another argument tells them apart.
//!
//! Threads that are each alike to a first one, in the same variables, may change places in any way, since
//! exchanges with the first make all permutations. Such a [`Group`] is data for every engine.
//!
//! Ip and Dill, "Better verification through symmetry" (1996); Emerson and Sistla, "Symmetry and model
//! checking" (1996). There the user declares what is symmetric; we look.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{LocId, Program, Role, ThreadId, TransId, Transition, Update};
use crate::term::{Pool, TermId, VarId};

/// Whether an engine tells threads apart that are alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symmetry {
    /// It does.
    Off,
    /// It does not.
    #[default]
    On,
}

/// Threads that may change places in any way; at least two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// In the order of the program.
    pub members: Vec<Member>,
}

/// A thread of a group with all that is its own. What has the same position changes places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The thread.
    pub thread: ThreadId,
    /// Its locations that can be reached, breadth first; its entry is the first.
    pub locations: Vec<LocId>,
    /// The transitions between them.
    pub transitions: Vec<TransId>,
    /// Its variables: private ones, shared ones of its own, inputs.
    pub variables: Vec<VarId>,
}

/// The groups of a program; empty for a cooperative one, whose scheduler knows its threads.
pub fn groups(program: &Program) -> Vec<Group> {
    if program.policy.is_some() {
        return Vec::new();
    }
    let mut search = Search::new(program);
    let mut groups: Vec<Group> = Vec::new();
    for thread in program.thread_ids() {
        let mut found = groups.iter().enumerate();
        match found.find_map(|(at, group)| Some((at, search.joins(group, thread)?))) {
            Some((at, (first, member))) => {
                groups[at].members[0] = first;
                groups[at].members.push(member);
            }
            None => groups.push(Group { members: vec![search.member(thread, Vec::new())] }),
        }
    }
    groups.retain(|group| group.members.len() > 1);
    groups
}

/// Looks for threads that are alike.
struct Search<'a> {
    program: &'a Program,
    /// The program's terms, and those that exchanges make.
    terms: Pool,
    /// For each thread, its locations and transitions in the order of its control flow.
    walks: Vec<(Vec<LocId>, Vec<TransId>)>,
    /// For each thread, the variables that it mentions, its private ones included; sorted.
    mentioned: Vec<Vec<VarId>>,
    /// For each variable, the transitions that mention it.
    users: FxHashMap<VarId, Vec<TransId>>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program) -> Search<'a> {
        let mut mentioned = vec![Vec::new(); program.threads.len()];
        for var in program.variable_ids() {
            if let Role::Private(thread) = program.variable(var).role {
                mentioned[thread.index()].push(var);
            }
        }
        let mut users: FxHashMap<VarId, Vec<TransId>> = FxHashMap::default();
        for id in program.transition_ids() {
            let transition = program.transition(id);
            let mut vars: Vec<VarId> = transition.terms().flat_map(|term| program.terms.vars(term)).collect();
            vars.extend(transition.updates.iter().map(|update| update.place.var));
            vars.sort_unstable();
            vars.dedup();
            mentioned[program.thread_of(id).index()].extend(&vars);
            vars.into_iter().for_each(|var| users.entry(var).or_default().push(id));
        }
        for vars in &mut mentioned {
            vars.sort_unstable();
            vars.dedup();
        }
        let walks = program.thread_ids().map(|thread| walk(program, thread)).collect();
        Search { program, terms: program.terms.clone(), walks, mentioned, users }
    }

    fn member(&self, thread: ThreadId, variables: Vec<VarId>) -> Member {
        let (locations, transitions) = self.walks[thread.index()].clone();
        Member { thread, locations, transitions, variables }
    }

    /// A group's first member and another one, if that is alike.
    fn joins(&mut self, group: &Group, thread: ThreadId) -> Option<(Member, Member)> {
        let first = &group.members[0];
        let size = |thread: ThreadId| {
            let (locations, transitions) = &self.walks[thread.index()];
            (locations.len(), transitions.len(), self.mentioned[thread.index()].len())
        };
        if size(first.thread) != size(thread) {
            return None;
        }
        let own = |one: ThreadId, other: ThreadId| -> Vec<VarId> {
            let others = &self.mentioned[other.index()];
            let mine = self.mentioned[one.index()].iter().copied();
            mine.filter(|var| others.binary_search(var).is_err()).collect()
        };
        let (mine, its) = (own(first.thread, thread), own(thread, first.thread));
        let same_first = group.members.len() == 1 || mine == first.variables;
        if !same_first || mine.len() != its.len() {
            return None;
        }
        let (one, other) = (self.member(first.thread, mine), self.member(thread, its));
        if one.locations.len() != other.locations.len() || one.variables.len() != other.variables.len() {
            return None;
        }
        let exchange = Exchange::new(&one, &other);
        self.alike(&one, &other, &exchange).then_some((one, other))
    }

    /// Whether the program stays the same if two threads change places.
    fn alike(&mut self, one: &Member, other: &Member, exchange: &Exchange) -> bool {
        one.variables.iter().zip(&other.variables).all(|(&a, &b)| self.same_variable((one, a), (other, b)))
            && one.locations.iter().zip(&other.locations).all(|(&a, &b)| self.same_location(a, b))
            && self.same_shape(one, other)
            && one
                .transitions
                .iter()
                .zip(&other.transitions)
                .all(|(&a, &b)| self.becomes(exchange, a, b) && self.becomes(exchange, b, a))
            && self.others_stay(one, other, exchange)
    }

    fn same_variable(&self, (one, a): (&Member, VarId), (other, b): (&Member, VarId)) -> bool {
        let (x, y) = (self.program.variable(a), self.program.variable(b));
        let roles = match (x.role, y.role) {
            (Role::Private(x), Role::Private(y)) => (x, y) == (one.thread, other.thread),
            (x, y) => x == y,
        };
        roles && x.sort == y.sort && x.init == y.init && x.origin == y.origin
    }

    fn same_location(&self, a: LocId, b: LocId) -> bool {
        let (x, y) = (self.program.location(a), self.program.location(b));
        x.atomic == y.atomic && x.mark == y.mark
    }

    /// Whether the transitions connect the same locations.
    fn same_shape(&self, one: &Member, other: &Member) -> bool {
        let place = |member: &Member| -> FxHashMap<LocId, usize> {
            member.locations.iter().enumerate().map(|(at, &location)| (location, at)).collect()
        };
        let (places, others) = (place(one), place(other));
        one.transitions.iter().zip(&other.transitions).all(|(&a, &b)| {
            let (a, b) = (self.program.transition(a), self.program.transition(b));
            places[&a.from] == others[&b.from] && places[&a.to] == others[&b.to]
        })
    }

    /// Whether the exchange makes one transition another, apart from where they are.
    fn becomes(&mut self, exchange: &Exchange, from: TransId, to: TransId) -> bool {
        let (from, to) = (self.program.transition(from), self.program.transition(to));
        let terms = &mut self.terms;
        let mut updates: Vec<Update> =
            from.updates.iter().map(|update| exchange.update(terms, update)).collect();
        let mut expected = to.updates.clone();
        let key = |update: &Update| (update.place, update.value, update.lanes.code());
        updates.sort_by_key(key);
        expected.sort_by_key(key);
        let mut conditions: Vec<TermId> = from.conditions().map(|it| exchange.term(terms, it)).collect();
        let mut demanded: Vec<TermId> = to.conditions().collect();
        conditions[1..].sort_unstable();
        demanded[1..].sort_unstable();
        let plain = |transition: &Transition| transition.call.is_none();
        plain(from)
            && plain(to)
            && from.barrier == to.barrier
            && conditions == demanded
            && updates == expected
    }

    /// Whether every transition of third threads that mentions what changes places becomes itself.
    fn others_stay(&mut self, one: &Member, other: &Member, exchange: &Exchange) -> bool {
        let moved = one.variables.iter().chain(&other.variables);
        let users: Vec<TransId> = moved.filter_map(|var| self.users.get(var)).flatten().copied().collect();
        let third = |id: &TransId| {
            let thread = self.program.thread_of(*id);
            thread != one.thread && thread != other.thread
        };
        let users: Vec<TransId> = users.into_iter().filter(third).collect();
        users.into_iter().all(|id| self.becomes(exchange, id, id))
    }
}

/// Two threads of a group that change places.
#[derive(Clone, Debug)]
pub struct Exchange {
    threads: [ThreadId; 2],
    locations: FxHashMap<LocId, LocId>,
    variables: FxHashMap<VarId, VarId>,
}

impl Exchange {
    /// The exchange of two threads of a group.
    pub fn new(one: &Member, other: &Member) -> Exchange {
        Exchange {
            threads: [one.thread, other.thread],
            locations: both_ways(&one.locations, &other.locations),
            variables: both_ways(&one.variables, &other.variables),
        }
    }

    /// The thread in a thread's place.
    pub fn thread(&self, thread: ThreadId) -> ThreadId {
        match self.threads {
            [one, other] if thread == one => other,
            [one, other] if thread == other => one,
            _ => thread,
        }
    }

    /// The location in a location's place.
    pub fn location(&self, location: LocId) -> LocId {
        self.locations.get(&location).copied().unwrap_or(location)
    }

    /// The term with each variable replaced by the one in its place.
    pub fn term(&self, terms: &mut Pool, term: TermId) -> TermId {
        terms.substitute(term, |terms, var| self.variables.get(&var).map(|&var| terms.var(var)))
    }

    fn update(&self, terms: &mut Pool, update: &Update) -> Update {
        let mut update = *update;
        update.value = self.term(terms, update.value);
        update.place.index = update.place.index.map(|index| self.term(terms, index));
        update.place.var = self.variables.get(&update.place.var).copied().unwrap_or(update.place.var);
        update
    }
}

fn both_ways<T: Copy + Eq + std::hash::Hash>(one: &[T], other: &[T]) -> FxHashMap<T, T> {
    let pairs = || one.iter().copied().zip(other.iter().copied());
    pairs().chain(pairs().map(|(one, other)| (other, one))).collect()
}

/// The locations and transitions of a thread, breadth first from its entry.
fn walk(program: &Program, thread: ThreadId) -> (Vec<LocId>, Vec<TransId>) {
    let entry = program.thread(thread).entry;
    let (mut locations, mut transitions) = (vec![entry], Vec::new());
    let mut seen = FxHashSet::from_iter([entry]);
    let mut next = 0;
    while next < locations.len() {
        for &id in program.outgoing(locations[next]) {
            transitions.push(id);
            let to = program.transition(id).to;
            if seen.insert(to) {
                locations.push(to);
            }
        }
        next += 1;
    }
    (locations, transitions)
}
