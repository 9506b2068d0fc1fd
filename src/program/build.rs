//! Building programs, and the well-formedness that every program has.

use crate::term::{Datum, Node, Pool, Sort, TermId, VarId};

use super::{
    Assertion, AssertionId, Barrier, Call, Init, LocId, Location, Mark, Object, Origin, Policy, Program,
    Role, Sources, Span, Thread, ThreadId, TransId, Transition, Twins, Variable,
};

/// Makes a [`Program`] piece by piece. Parts of the program under construction can be read through `program`.
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    /// A program without threads.
    pub fn new(sources: Sources) -> ProgramBuilder {
        ProgramBuilder {
            program: Program {
                terms: Pool::new(),
                variables: Vec::new(),
                threads: Vec::new(),
                locations: Vec::new(),
                transitions: Vec::new(),
                assertions: Vec::new(),
                objects: Vec::new(),
                policy: None,
                sources,
                unchecked: Vec::new(),
                exact: None,
                unbounded: None,
                twins: Vec::new(),
                outgoing: Vec::new(),
            },
        }
    }

    /// What has been built so far.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The terms, to build guards and values with. Variables are declared by [`Self::variable`] only.
    pub fn terms(&mut self) -> &mut Pool {
        &mut self.program.terms
    }

    /// Adds a variable.
    pub fn variable(&mut self, variable: Variable) -> VarId {
        let id = self.program.terms.declare(variable.name.clone(), variable.sort);
        assert_eq!(id.index(), self.program.variables.len(), "variables are declared through the builder");
        self.program.variables.push(variable);
        id
    }

    /// Changes what a variable holds in the initial state.
    pub fn set_init(&mut self, var: VarId, init: Init) {
        self.program.variables[var.index()].init = init;
    }

    /// Adds an input: a variable that takes any value whenever a transition that mentions it fires.
    pub fn input(&mut self, name: impl Into<String>, sort: Sort) -> VarId {
        let init = Init::Value(Datum::zero(sort));
        self.variable(Variable { name: name.into(), sort, role: Role::Input, init, origin: Origin::User })
    }

    /// Adds a thread with its entry location. The first is `main`.
    pub fn thread(&mut self, name: impl Into<String>, span: Span) -> ThreadId {
        let id = ThreadId::new(self.program.threads.len());
        let entry = self.location(id, span);
        self.program.threads.push(Thread { name: name.into(), entry, span });
        id
    }

    /// Adds an ordinary location.
    pub fn location(&mut self, thread: ThreadId, span: Span) -> LocId {
        self.push_location(Location { thread, atomic: false, mark: None, span, begins: None })
    }

    /// Adds a location at which no other thread moves.
    pub fn atomic_location(&mut self, thread: ThreadId, span: Span) -> LocId {
        self.push_location(Location { thread, atomic: true, mark: None, span, begins: None })
    }

    /// Adds a marked location.
    pub fn marked_location(&mut self, thread: ThreadId, mark: Mark, span: Span) -> LocId {
        self.push_location(Location { thread, atomic: false, mark: Some(mark), span, begins: None })
    }

    /// Says which statement begins at a location.
    pub fn begin(&mut self, location: LocId, statement: Span) {
        self.program.locations[location.index()].begins = Some(statement);
    }

    fn push_location(&mut self, location: Location) -> LocId {
        let id = LocId::new(self.program.locations.len());
        self.program.locations.push(location);
        id
    }

    /// Adds a transition.
    pub fn transition(&mut self, transition: Transition) -> TransId {
        let id = TransId::new(self.program.transitions.len());
        self.program.transitions.push(transition);
        id
    }

    /// Has the scheduler take part in the transition that was added last.
    pub fn call(&mut self, call: Call) {
        let last = self.program.transitions.last_mut().expect("a transition asks the scheduler");
        last.call = Some(call);
    }

    /// Adds a transition that changes nothing: `from --guard--> to`.
    pub fn branch(&mut self, from: LocId, guard: TermId, to: LocId) -> TransId {
        self.transition(Transition {
            from,
            to,
            guard,
            ranges: Vec::new(),
            updates: Vec::new(),
            call: None,
            barrier: Barrier::None,
            events: Vec::new(),
        })
    }

    /// Adds an assertion.
    pub fn assertion(&mut self, assertion: Assertion) -> AssertionId {
        let id = AssertionId::new(self.program.assertions.len());
        self.program.assertions.push(assertion);
        id
    }

    /// Makes the program cooperative.
    pub fn set_policy(&mut self, policy: Policy) {
        self.program.policy = Some(policy);
    }

    /// Says that there are any number of copies of a thread; the other one does the same.
    pub fn twins(&mut self, twins: Twins) {
        self.program.twins.push(twins);
    }

    /// Adds an object of memory.
    pub fn object(&mut self, object: Object) {
        self.program.objects.push(object);
    }

    /// The finished program.
    ///
    /// # Panics
    /// If it is not well-formed: an error of the caller, never of the user.
    pub fn build(self) -> Program {
        let mut program = self.program;
        program.reindex();
        program
    }
}

impl Program {
    /// Restores what follows from the public fields after a pass changed them, and checks well-formedness.
    pub(super) fn reindex(&mut self) {
        self.outgoing = vec![Vec::new(); self.locations.len()];
        for (i, transition) in self.transitions.iter().enumerate() {
            self.outgoing[transition.from.index()].push(TransId::new(i));
        }
        self.check();
    }

    fn check(&self) {
        for (i, variable) in self.variables.iter().enumerate() {
            assert_eq!(self.terms.var_sort(VarId::new(i)), variable.sort, "sort of {}", variable.name);
        }
        for (i, thread) in self.threads.iter().enumerate() {
            assert_eq!(self.location(thread.entry).thread.index(), i, "entry of {}", thread.name);
        }
        for transition in &self.transitions {
            let (from, to) = (self.location(transition.from), self.location(transition.to));
            assert_eq!(from.thread, to.thread, "a transition stays in its thread");
            assert!(from.mark.is_none(), "a marked location has no way out");
            for condition in transition.conditions() {
                assert_eq!(self.terms.sort(condition), Sort::Bool, "guards and ranges are truth values");
            }
            self.check_call(transition);
            for update in &transition.updates {
                let sort = match (self.terms.var_sort(update.place.var), update.place.index) {
                    (Sort::Array(array), Some(_)) => Sort::Word(array.elem),
                    (sort, None) => sort,
                    (sort, Some(_)) => panic!("an element of {sort}"),
                };
                assert_eq!(
                    sort,
                    self.terms.sort(update.value),
                    "value for {}",
                    self.variable(update.place.var).name
                );
                assert_ne!(self.variable(update.place.var).role, Role::Input, "inputs are not written");
            }
        }
        self.check_mentions();
    }

    fn check_call(&self, transition: &Transition) {
        let Some(call) = &transition.call else { return };
        assert!(self.policy.is_some(), "a call needs a scheduler");
        for &argument in &call.arguments {
            assert!(matches!(self.terms.sort(argument), Sort::Word(_)), "arguments are words");
        }
        let (from, misuse) = (self.location(transition.from), self.location(call.misuse));
        assert_eq!(from.thread, misuse.thread, "a misused call stays in its thread");
        assert!(self.outgoing(call.misuse).is_empty(), "nothing happens after a misused call");
        if let Some(result) = call.result {
            let indices = transition.updates.iter().filter_map(|update| update.place.index);
            for term in transition.conditions().chain(transition.arguments()).chain(indices) {
                assert!(!self.terms.vars(term).contains(&result), "the result comes after the call");
            }
            assert_eq!(self.variable(result).role, Role::Input, "the scheduler chooses the result");
            assert!(matches!(self.variable(result).sort, Sort::Word(_)), "results are words");
        }
    }

    /// Terms mention only the program's variables, and private ones only in their thread.
    fn check_mentions(&self) {
        let mut roots = vec![Vec::new(); self.threads.len()];
        for transition in &self.transitions {
            let thread = self.location(transition.from).thread;
            roots[thread.index()].extend(transition.terms());
            transition.updates.iter().for_each(|update| self.check_owner(update.place.var, thread));
        }
        for (thread, roots) in self.thread_ids().zip(roots) {
            self.terms.visit(&roots, |_, node| {
                if let Node::Var(var) = node {
                    self.check_owner(*var, thread);
                }
            });
        }
    }

    fn check_owner(&self, var: VarId, user: ThreadId) {
        assert!(var.index() < self.variables.len(), "terms mention only the program's variables");
        if let Role::Private(owner) = self.variable(var).role {
            assert_eq!(owner, user, "{} is private", self.variable(var).name);
        }
    }
}
