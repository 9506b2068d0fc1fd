//! Numbers a program anew, without what is unused.
//!
//! Locations that control flow does not reach, threads without a step, variables that no transition mentions
//! and terms of none of these go; what stays keeps its order. Assertions keep their numbers. An event about a
//! variable that is gone becomes a computation at the same place; an event about a thread that is gone
//! becomes the C operation by name. The threads of a cooperative program all stay: its scheduler knows them
//! by number.

use rustc_hash::FxHashMap;

use super::super::{
    Action, Call, Event, LocId, Location, Mark, Object, Part, Place, Program, Range, Role, Thread, ThreadId,
    Transition, Twins, Update, Variable,
};
use crate::term::{Pool, TermId, VarId};

pub(super) fn run(program: Program) -> Program {
    let reached = reached(&program);
    let starting = starting(&program);
    let needed = |i: usize| program.policy.is_some() || starting[i] || stands_in_the_way(&program, i);
    // Of twins both stay or none: one alone would not stand for many.
    let twin = |i: usize| {
        let mut pairs = program.twins.iter().map(|twins| twins.threads.map(ThreadId::index));
        pairs.any(|pair| pair.contains(&i) && pair.into_iter().any(needed))
    };
    let threads = Renumbering::of(program.threads.len(), |i| needed(i) || twin(i));
    let threads =
        if threads.kept.is_empty() { Renumbering::of(program.threads.len(), |i| i == 0) } else { threads };
    let locations = Renumbering::of(program.locations.len(), |i| {
        reached[i] && threads.number(program.locations[i].thread.index()).is_some()
    });
    let kept: Vec<&Transition> =
        program.transitions.iter().filter(|t| locations.number(t.from.index()).is_some()).collect();
    let mentioned = mentioned(&program, &kept);
    let variables = Renumbering::of(program.variables.len(), |i| mentioned[i]);

    let mut new = Compaction {
        old: &program,
        threads,
        locations,
        variables,
        terms: Pool::new(),
        images: FxHashMap::default(),
    };
    let new_variables = new.variables();
    let new_transitions = kept.into_iter().map(|transition| new.transition(transition)).collect();
    let new_threads = new.threads();
    let new_locations = new.locations();
    let new_twins = new.twins();
    let new_objects = program.objects.iter().map(|object| new.object(object)).collect();
    let mut compact = Program {
        terms: new.terms,
        variables: new_variables,
        threads: new_threads,
        locations: new_locations,
        transitions: new_transitions,
        assertions: program.assertions.clone(),
        objects: new_objects,
        policy: program.policy,
        sources: program.sources.clone(),
        unchecked: program.unchecked.clone(),
        exact: program.exact.clone(),
        unbounded: program.unbounded.clone(),
        twins: new_twins,
        outgoing: Vec::new(),
    };
    compact.reindex();
    compact
}

/// Which locations control flow reaches, whatever the guards.
fn reached(program: &Program) -> Vec<bool> {
    let mut outgoing: Vec<Vec<LocId>> = vec![Vec::new(); program.locations.len()];
    for transition in &program.transitions {
        outgoing[transition.from.index()].extend(transition.destinations());
    }
    let mut reached = vec![false; program.locations.len()];
    let mut pending: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut reached[location.index()], true) {
            pending.append(&mut outgoing[location.index()]);
        }
    }
    reached
}

/// Which threads have a first step.
fn starting(program: &Program) -> Vec<bool> {
    let mut starting = vec![false; program.threads.len()];
    for transition in &program.transitions {
        let thread = program.location(transition.from).thread;
        starting[thread.index()] |= program.thread(thread).entry == transition.from;
    }
    starting
}

/// Whether a thread matters though it never moves.
fn stands_in_the_way(program: &Program, thread: usize) -> bool {
    let entry = program.location(program.threads[thread].entry);
    entry.atomic || !matches!(entry.mark, None | Some(Mark::End))
}

/// Which variables occur in these transitions.
fn mentioned(program: &Program, transitions: &[&Transition]) -> Vec<bool> {
    let mut mentioned = vec![false; program.variables.len()];
    let mut roots = Vec::new();
    for transition in transitions {
        roots.extend(transition.terms());
        transition.updates.iter().for_each(|update| mentioned[update.place.var.index()] = true);
    }
    program.terms.visit(&roots, |term, _| {
        if let Some(var) = program.terms.as_var(term) {
            mentioned[var.index()] = true;
        }
    });
    mentioned
}

/// New numbers for those of `0..n` that are kept.
struct Renumbering {
    kept: Vec<usize>,
    numbers: Vec<Option<usize>>,
}

impl Renumbering {
    fn of(n: usize, keep: impl Fn(usize) -> bool) -> Renumbering {
        let kept: Vec<usize> = (0..n).filter(|&i| keep(i)).collect();
        let mut numbers = vec![None; n];
        kept.iter().enumerate().for_each(|(new, &old)| numbers[old] = Some(new));
        Renumbering { kept, numbers }
    }

    fn number(&self, old: usize) -> Option<usize> {
        self.numbers[old]
    }
}

struct Compaction<'a> {
    old: &'a Program,
    threads: Renumbering,
    locations: Renumbering,
    variables: Renumbering,
    terms: Pool,
    images: FxHashMap<TermId, TermId>,
}

impl Compaction<'_> {
    fn variables(&mut self) -> Vec<Variable> {
        let variables = self.variables.kept.iter().map(|&i| {
            let mut variable = self.old.variables[i].clone();
            if let Role::Private(thread) = variable.role {
                variable.role = Role::Private(self.thread(thread).expect("who uses a variable is there"));
            }
            variable
        });
        let variables: Vec<Variable> = variables.collect();
        for variable in &variables {
            self.terms.declare(variable.name.clone(), variable.sort);
        }
        variables
    }

    fn thread(&self, old: ThreadId) -> Option<ThreadId> {
        self.threads.number(old.index()).map(ThreadId::new)
    }

    fn location(&self, old: LocId) -> LocId {
        LocId::new(self.locations.number(old.index()).expect("a reached location"))
    }

    fn var(&self, old: VarId) -> Option<VarId> {
        self.variables.number(old.index()).map(VarId::new)
    }

    fn term(&mut self, old: TermId) -> TermId {
        let variables = &self.variables;
        let var = |old: VarId| VarId::new(variables.number(old.index()).expect("a variable in use"));
        self.terms.import(&self.old.terms, old, &mut self.images, var)
    }

    fn transition(&mut self, old: &Transition) -> Transition {
        let updates = old.updates.iter().map(|update| Update {
            place: Place {
                var: self.var(update.place.var).expect("a variable in use"),
                index: update.place.index.map(|index| self.term(index)),
            },
            value: self.term(update.value),
            lanes: update.lanes,
        });
        let updates = updates.collect();
        Transition {
            from: self.location(old.from),
            to: self.location(old.to),
            guard: self.term(old.guard),
            ranges: old
                .ranges
                .iter()
                .map(|range| Range { holds: self.term(range.holds), ..*range })
                .collect(),
            updates,
            call: old.call.as_ref().map(|call| Call {
                primitive: call.primitive,
                arguments: call.arguments.iter().map(|&argument| self.term(argument)).collect(),
                result: call.result.and_then(|result| self.var(result)),
                misuse: self.location(call.misuse),
            }),
            barrier: old.barrier,
            events: old.events.iter().map(|event| self.event(event)).collect(),
        }
    }

    fn event(&mut self, old: &Event) -> Event {
        let action = match &old.action {
            Action::Read(place) => self.place(*place).map_or(Action::Compute, Action::Read),
            Action::Write(place) => self.place(*place).map_or(Action::Compute, Action::Write),
            Action::Update(place) => self.place(*place).map_or(Action::Compute, Action::Update),
            Action::Input(var) => self.var(*var).map_or(Action::Compute, Action::Input),
            Action::Create(thread) => self.of_thread(*thread, "pthread_create", Action::Create),
            Action::Join(thread) => self.of_thread(*thread, "pthread_join", Action::Join),
            other => other.clone(),
        };
        Event { span: old.span, action }
    }

    /// A place, if the variable and everything in the index are still there.
    fn place(&mut self, old: Place) -> Option<Place> {
        let var = self.var(old.var)?;
        let index = match old.index {
            Some(index) if self.old.terms.vars(index).into_iter().all(|var| self.var(var).is_some()) => {
                Some(self.term(index))
            }
            Some(_) => return None,
            None => None,
        };
        Some(Place { var, index })
    }

    fn of_thread(&self, thread: ThreadId, call: &str, action: impl Fn(ThreadId) -> Action) -> Action {
        match self.thread(thread) {
            Some(thread) => action(thread),
            None => Action::Sync(format!("{call}({})", self.old.thread(thread).name)),
        }
    }

    fn threads(&self) -> Vec<Thread> {
        let thread = |&i: &usize| {
            let old = &self.old.threads[i];
            Thread { entry: self.location(old.entry), ..old.clone() }
        };
        self.threads.kept.iter().map(thread).collect()
    }

    /// Twins that do nothing any more are gone.
    fn twins(&self) -> Vec<Twins> {
        let both = |twins: &Twins| {
            Some(Twins { threads: [self.thread(twins.threads[0])?, self.thread(twins.threads[1])?] })
        };
        self.old.twins.iter().filter_map(both).collect()
    }

    fn locations(&self) -> Vec<Location> {
        let location = |&i: &usize| {
            let old = &self.old.locations[i];
            Location { thread: self.thread(old.thread).expect("its thread is there"), ..old.clone() }
        };
        self.locations.kept.iter().map(location).collect()
    }

    fn object(&self, old: &Object) -> Object {
        let parts =
            old.parts.iter().filter_map(|part| Some(Part { var: self.var(part.var)?, ..part.clone() }));
        Object { parts: parts.collect(), ..old.clone() }
    }
}
