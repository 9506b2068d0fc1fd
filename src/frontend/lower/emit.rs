//! The program that code with resolved addresses is: a location for each node that can be reached,
//! transitions for each instruction.

mod copies;
mod halves;

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Access, Ask, Code, Flag, NodeId, Op, Show};
use super::memory::{Memory, ObjectId};
use super::narrow;
use super::points_to::PointsTo;
use super::resolve::{Case, Kind, cases, invalid};
use super::thread::ThreadData;
use super::{Lower, Result, cooperative};
use crate::frontend::diagnostic::{self, Diagnostic};
use crate::program::{
    Action, Barrier, Call, Copies, Event, Init, LocId, Mark, MemoryModel, Object, ObjectKind, Origin, Part,
    Place, Program, ProgramBuilder, Role, Sources, Span, ThreadId, Transition, Update, Variable,
};
use crate::scheduler;
use crate::term::{Datum, Sort, TermId, VarId, Word};

/// More transitions than this are too many.
const TRANSITION_LIMIT: usize = 2_000_000;

impl<'a> Lower<'a> {
    /// The finished program.
    pub(super) fn emit_program(mut self) -> Result<Program> {
        let mut nodes = reachable(&self.code, &self.threads);
        let mut points = self.points_to(&nodes);
        if self.settle_untyped(&points, &nodes)? {
            points = self.points_to(&nodes);
        }
        if self.reshape(&points, &nodes)? {
            nodes = reachable(&self.code, &self.threads);
            points = self.points_to(&nodes);
        }
        self.mark_freed(&points, &nodes);
        let mortal = self.mortal(&points, &nodes);
        mortal.iter().for_each(|object| self.watch(*object));
        self.forget_ends(&mortal);
        nodes = reachable(&self.code, &self.threads);
        for object in &self.memory.objects {
            let parts = object.parts.iter().map(|(part, var)| Part {
                offset: part.offset,
                suffix: part.suffix.clone(),
                var: *var,
                dims: part.dims.iter().map(|dim| (dim.count, dim.stride)).collect(),
            });
            let (name, kind, base, size) = (object.name.clone(), object.kind, object.base, object.size);
            self.builder.object(Object { name, kind, base, size, parts: parts.collect() });
        }
        let torn = self.torn(&points, &nodes);
        let mut emit = Emit {
            builder: self.builder,
            memory: self.memory,
            code: self.code,
            threads: self.threads,
            points,
            model: self.options.memory_model,
            torn,
            locations: BTreeMap::new(),
            ends: BTreeMap::new(),
        };
        emit.locations(&nodes);
        emit.twins(self.templates.twins());
        for node in nodes {
            emit.node(node);
            if emit.builder.program().transitions.len() > TRANSITION_LIMIT {
                return Err(Diagnostic {
                    kind: diagnostic::Kind::TooLarge,
                    message: "the program is too large once pointers are resolved".to_owned(),
                    span: Span::NONE,
                    help: None,
                    sources: Sources::default(),
                });
            }
        }
        let program = emit.builder.build();
        cooperative::check_main(&program)?;
        Ok(program)
    }

    fn points_to(&self, nodes: &[NodeId]) -> PointsTo {
        PointsTo::new(self.builder.program(), &self.memory, &self.code, nodes, &self.threads)
    }

    /// Heap objects that may be freed need to know whether they are alive.
    fn mark_freed(&mut self, points: &PointsTo, nodes: &[NodeId]) {
        let mut freed = BTreeSet::new();
        for node in nodes {
            if let Op::Free { address, .. } = self.code.get(*node).op {
                freed
                    .extend(points.targets(&self.builder.program().terms, &self.memory, address).into_keys());
            }
        }
        for id in freed {
            if self.memory.get(id).kind == ObjectKind::Heap {
                self.watch(id);
            }
        }
    }

    /// Gives an object a variable that says whether it is alive.
    fn watch(&mut self, id: ObjectId) {
        let object = &mut self.memory.objects[id.index()];
        let name = format!("{}.alive", object.name);
        let (role, origin) = (Role::Shared, Origin::Internal);
        let init = Init::Value(Datum::Bool(true));
        object.alive = Some(self.builder.variable(Variable { name, sort: Sort::Bool, role, init, origin }));
    }
}

/// The nodes that threads can reach, jumps left out, in order.
fn reachable(code: &Code, threads: &[ThreadData]) -> Vec<NodeId> {
    let mut found = BTreeSet::new();
    let mut stack: Vec<NodeId> = threads.iter().map(|thread| thread.entry).collect();
    while let Some(node) = stack.pop() {
        let entry = threads.iter().any(|thread| thread.entry == node);
        let node = if entry { node } else { code.skip(node) };
        if found.insert(node) {
            stack.extend(code.get(node).op.next());
        }
    }
    found.into_iter().collect()
}

/// Building the program.
struct Emit {
    builder: ProgramBuilder,
    memory: Memory,
    code: Code,
    threads: Vec<ThreadData>,
    points: PointsTo,
    model: MemoryModel,
    /// Variables of which half a store may be seen.
    torn: BTreeSet<VarId>,
    locations: BTreeMap<NodeId, LocId>,
    /// Marked ends that instructions lead to, by thread, place and text.
    ends: BTreeMap<(ThreadId, Span, String), LocId>,
}

impl Emit {
    fn locations(&mut self, nodes: &[NodeId]) {
        for (index, thread) in self.threads.iter().enumerate() {
            self.locations.insert(thread.entry, self.builder.program().threads[index].entry);
        }
        for id in nodes {
            let node = self.code.get(*id);
            if self.locations.contains_key(id) {
                continue;
            }
            let location = match &node.op {
                Op::Mark(mark) => self.builder.marked_location(node.thread, mark.clone(), node.span),
                _ if node.atomic => self.builder.atomic_location(node.thread, node.span),
                _ => self.builder.location(node.thread, node.span),
            };
            if let Some(statement) = node.begins {
                self.builder.begin(location, statement);
            }
            self.locations.insert(*id, location);
        }
    }

    fn to(&self, node: NodeId) -> LocId {
        self.locations[&self.code.skip(node)]
    }

    /// The transitions of a node.
    fn node(&mut self, id: NodeId) {
        let truth = self.builder.terms().bool(true);
        match self.code.get(id).op.clone() {
            Op::Stuck | Op::Mark(_) => {}
            Op::Goto(next) => {
                // Only an entry is a jump here, or a loop of jumps, in which the thread stays for ever.
                if self.code.skip(next) != id
                    && !matches!(self.code.get(self.code.skip(next)).op, Op::Goto(_))
                {
                    self.add(id, next, truth, Vec::new(), Barrier::None, Vec::new());
                }
            }
            Op::Step { updates, barrier, next } => {
                let updates = updates.into_iter().map(|(var, value)| scalar_update(var, value)).collect();
                self.add(id, next, truth, updates, barrier, Vec::new());
            }
            Op::Load { to, from, show, next } => self.load(id, to, from, show, next),
            Op::Store { to, value, barrier, show, next } => self.store(id, to, value, barrier, show, next),
            Op::Fill { part, value, next } => {
                let place = Place { var: part, index: None };
                let actions = if self.shows(place) { vec![Action::Write(place)] } else { Vec::new() };
                self.add(id, next, truth, vec![Update::whole(place, value)], Barrier::None, actions);
            }
            Op::Branch { condition, then, otherwise } => {
                self.add(id, then, condition, Vec::new(), Barrier::None, Vec::new());
                self.add_other_way(id, otherwise, condition);
            }
            Op::Assume { condition, next } => {
                self.add(id, next, condition, Vec::new(), Barrier::None, Vec::new())
            }
            Op::Create { thread, values, again, next } => self.create(id, thread, &values, again, next),
            Op::Start { values, next } => {
                let (guard, mut updates) = self.beginning(self.code.get(id).thread);
                for (private, shared) in values {
                    let value = self.builder.terms().var(shared);
                    updates.push(scalar_update(private, value));
                }
                self.add(id, next, guard, updates, Barrier::Full, Vec::new());
            }
            Op::Join { thread, to, next } => self.join(id, thread, to, next),
            Op::Peek { flag, thread, to, next } => self.peek(id, flag, thread, to, next),
            Op::Cancel { thread, next } => self.cancel(id, thread, next),
            Op::Exit { result } => self.exit(id, result),
            Op::Call { ask, to, result, next } => {
                let value = self.builder.terms().var(result);
                self.add(id, next, truth, vec![scalar_update(to, value)], Barrier::None, Vec::new());
                self.ask(id, ask, Some(result));
            }
            Op::Extent { address, to, next } => self.extent(id, address, to, next),
            Op::Free { address, next } => self.free(id, address, next),
            Op::Live { object, next } => self.set_alive(id, object, truth, next),
            Op::Dead { object, next } => {
                let no = self.builder.terms().bool(false);
                self.set_alive(id, object, no, next);
            }
        }
    }

    /// The way taken where a condition does not hold.
    fn add_other_way(&mut self, id: NodeId, next: NodeId, condition: TermId) {
        let guard = self.builder.terms().not(condition);
        for event in &mut self.code.get_mut(id).events {
            if event.action == Action::Branch(true) {
                event.action = Action::Branch(false);
            }
        }
        self.add(id, next, guard, Vec::new(), Barrier::None, Vec::new());
    }

    fn add(
        &mut self,
        from: NodeId,
        to: NodeId,
        guard: TermId,
        updates: Vec<Update>,
        barrier: Barrier,
        actions: Vec<Action>,
    ) {
        let to = self.to(to);
        self.add_to(from, to, guard, updates, barrier, actions);
    }

    fn add_to(
        &mut self,
        from: NodeId,
        to: LocId,
        guard: TermId,
        updates: Vec<Update>,
        barrier: Barrier,
        actions: Vec<Action>,
    ) {
        if self.builder.terms().as_bool(guard) == Some(false) {
            return;
        }
        let node = self.code.get(from);
        let barrier = if node.section { Barrier::Full } else { barrier };
        let span = node.span;
        let (mut events, ranges) = (node.events.clone(), node.ranges.clone());
        events.extend(actions.into_iter().map(|action| Event { span, action }));
        let from = self.locations[&from];
        self.builder.transition(Transition { from, to, guard, ranges, updates, call: None, barrier, events });
    }

    /// The end of runs that are undefined at a node.
    fn undefined(&mut self, node: NodeId, text: &str) -> LocId {
        let (thread, span) = (self.code.get(node).thread, self.code.get(node).span);
        let key = (thread, span, text.to_owned());
        if let Some(end) = self.ends.get(&key) {
            return *end;
        }
        let end = self.builder.marked_location(thread, Mark::Undefined(text.to_owned()), span);
        self.ends.insert(key, end);
        end
    }

    /// The way taken where none of the guards holds.
    fn otherwise(&mut self, node: NodeId, guards: &[TermId], text: &str) {
        let any = self.builder.terms().or(guards);
        let none = self.builder.terms().not(any);
        if self.builder.terms().as_bool(none) != Some(false) {
            let end = self.undefined(node, text);
            self.add_to(node, end, none, Vec::new(), Barrier::None, Vec::new());
        }
    }

    // ---- memory

    /// The way taken where an address is in no case.
    fn invalid(&mut self, node: NodeId, cases: &[Case], address: TermId) {
        let guards: Vec<TermId> = cases.iter().map(|case| case.guard).collect();
        let text = invalid(&self.builder.program().terms, &self.memory, &self.points, address);
        self.otherwise(node, &guards, &text);
    }

    fn cases(&mut self, access: Access, kind: Kind) -> Vec<Case> {
        cases(self.builder.terms(), &self.memory, &self.points, access, kind)
    }

    /// Whether an access shows in reports.
    fn shows(&self, place: Place) -> bool {
        self.builder.program().variable(place.var).origin == Origin::User
    }

    fn load(&mut self, id: NodeId, to: VarId, from: Access, show: Show, next: NodeId) {
        let cases = self.cases(from, Kind::Read);
        for case in &cases {
            if self.is_halved(id, from, case) {
                self.load_halves(id, (to, from.word), case, next);
                continue;
            }
            let terms = self.builder.terms();
            let mut value = narrow::current(terms, case);
            if let Some(shift) = case.shift {
                let wide = Word::unsigned(case.word.bits());
                value = terms.cast(value, wide);
                value = terms.shr(value, shift);
                value = terms.cast(value, Word::unsigned(8 * from.size as u8));
            }
            let value = terms.cast(value, from.word);
            let shown = show != Show::Hidden && self.shows(case.place);
            let actions = if shown { vec![Action::Read(case.place)] } else { Vec::new() };
            self.add(id, next, case.guard, vec![scalar_update(to, value)], Barrier::None, actions);
        }
        self.invalid(id, &cases, from.address);
    }

    fn store(&mut self, id: NodeId, to: Access, value: TermId, barrier: Barrier, show: Show, next: NodeId) {
        let cases = self.cases(to, Kind::Write);
        for case in &cases {
            if barrier == Barrier::None && self.is_halved(id, to, case) {
                self.store_halves(id, to, value, case, next);
                continue;
            }
            let how = (self.model, barrier);
            let stores = narrow::store(self.builder.terms(), case, to, value, how);
            let action = match show {
                Show::Update => Action::Update(case.place),
                Show::Plain | Show::Hidden => Action::Write(case.place),
            };
            let actions = if self.shows(case.place) { vec![action] } else { Vec::new() };
            for (guard, update) in stores {
                self.add(id, next, guard, vec![update], barrier, actions.clone());
            }
        }
        self.invalid(id, &cases, to.address);
    }

    fn extent(&mut self, id: NodeId, address: TermId, to: VarId, next: NodeId) {
        let mut guards = Vec::new();
        let targets = self.points.targets(&self.builder.program().terms, &self.memory, address);
        for object in targets.into_keys().collect::<Vec<ObjectId>>() {
            let object = self.memory.get(object);
            if object.kind != ObjectKind::Heap {
                continue;
            }
            let (base, size) = (i128::from(object.base), i128::from(object.size));
            let (alive, extent) = (object.alive, object.extent);
            let pool = self.builder.terms();
            let word = pool.word(address);
            let base = pool.constant(base, word);
            let here = pool.eq(address, base);
            let living = match alive {
                Some(alive) => pool.var(alive),
                None => pool.bool(true),
            };
            let guard = pool.and(&[here, living]);
            let size = match extent {
                Some(extent) => pool.var(extent),
                None => pool.constant(size, word),
            };
            self.add(id, next, guard, vec![scalar_update(to, size)], Barrier::None, Vec::new());
            guards.push(guard);
        }
        self.otherwise(id, &guards, "`realloc` of something that is not a live heap object");
    }

    fn set_alive(&mut self, id: NodeId, object: ObjectId, value: TermId, next: NodeId) {
        let truth = self.builder.terms().bool(true);
        let var = self.memory.get(object).alive.expect("other ends are forgotten");
        self.add(id, next, truth, vec![scalar_update(var, value)], Barrier::None, Vec::new());
    }

    fn free(&mut self, id: NodeId, address: TermId, next: NodeId) {
        let pool = self.builder.terms();
        let word = pool.word(address);
        let null = pool.constant(0, word);
        let is_null = pool.eq(address, null);
        self.add(id, next, is_null, Vec::new(), Barrier::None, Vec::new());
        let mut guards = vec![is_null];
        let targets = self.points.targets(&self.builder.program().terms, &self.memory, address);
        for object in targets.into_keys().collect::<Vec<ObjectId>>() {
            let Some(alive) = self.memory.get(object).alive else { continue };
            if self.memory.get(object).kind != ObjectKind::Heap {
                continue;
            }
            let base = i128::from(self.memory.get(object).base);
            let pool = self.builder.terms();
            let base = pool.constant(base, word);
            let (here, living, dead) = (pool.eq(address, base), pool.var(alive), pool.bool(false));
            let guard = pool.and(&[here, living]);
            self.add(id, next, guard, vec![scalar_update(alive, dead)], Barrier::None, Vec::new());
            guards.push(guard);
        }
        self.otherwise(id, &guards, "`free` of something that is not a live heap object");
    }

    // ---- threads

    fn create(
        &mut self,
        id: NodeId,
        thread: ThreadId,
        values: &[(VarId, TermId)],
        again: Option<NodeId>,
        next: NodeId,
    ) {
        let started = self.threads[thread.index()].started;
        let pool = self.builder.terms();
        let (yes, mut guard) = (pool.bool(true), pool.bool(true));
        if let Some(again) = again {
            let already = pool.var(started);
            guard = pool.not(already);
            self.add(id, again, already, Vec::new(), Barrier::None, Vec::new());
        }
        let created = self.one_more(thread).unwrap_or((started, yes));
        let updates = values.iter().copied().chain([created]);
        let updates = updates.map(|(var, value)| scalar_update(var, value)).collect();
        self.add(id, next, guard, updates, Barrier::Full, Vec::new());
    }

    fn join(&mut self, id: NodeId, thread: TermId, to: VarId, next: NodeId) {
        self.of_a_copy(id, thread, to, next);
        self.for_each_thread(id, thread, "join of something that is not a thread", |emit, data, here| {
            let pool = emit.builder.terms();
            let (done, value) = (pool.var(data.done), pool.var(data.result));
            let guard = pool.and(&[here, done]);
            let actions = vec![Action::Join(data.id)];
            emit.add(id, next, guard, vec![scalar_update(to, value)], Barrier::Full, actions);
        });
    }

    fn peek(&mut self, id: NodeId, flag: Flag, thread: TermId, to: VarId, next: NodeId) {
        self.of_a_copy(id, thread, to, next);
        self.for_each_thread(id, thread, "not a thread", |emit, data, here| {
            let var = match flag {
                Flag::Done => Some(data.done),
                Flag::Cancelled => data.cancelled,
            };
            let pool = emit.builder.terms();
            let value = match var {
                Some(var) => pool.var(var),
                None => pool.bool(false),
            };
            emit.add(id, next, here, vec![scalar_update(to, value)], Barrier::None, Vec::new());
        });
    }

    fn cancel(&mut self, id: NodeId, thread: TermId, next: NodeId) {
        self.for_each_thread(id, thread, "cancelling something that is not a thread", |emit, data, here| {
            let truth = emit.builder.terms().bool(true);
            let updates = data.cancelled.map(|var| scalar_update(var, truth)).into_iter().collect();
            emit.add(id, next, here, updates, Barrier::Full, Vec::new());
        });
    }

    /// What happens in a step on some thread, by its number, for each thread that it may be.
    fn for_each_thread(
        &mut self,
        id: NodeId,
        thread: TermId,
        otherwise: &str,
        mut step: impl FnMut(&mut Self, ThreadData, TermId),
    ) {
        let mut guards: Vec<TermId> = self.is_a_copy(thread).into_iter().collect();
        for index in 0..self.threads.len() {
            if self.threads[index].copies == Copies::Any {
                continue;
            }
            let pool = self.builder.terms();
            let word = pool.word(thread);
            let number = pool.constant(index as i128, word);
            let here = pool.eq(thread, number);
            let data = self.threads[index];
            step(self, data, here);
            guards.push(here);
        }
        self.otherwise(id, &guards, otherwise);
    }

    fn exit(&mut self, id: NodeId, value: TermId) {
        let node = self.code.get(id);
        let (thread, span) = (node.thread, node.span);
        let (done, result) = (self.threads[thread.index()].done, self.threads[thread.index()].result);
        let end = self.builder.marked_location(thread, Mark::End, span);
        let truth = self.builder.terms().bool(true);
        // Nobody waits for one of many.
        let updates = match self.threads[thread.index()].copies {
            Copies::Counted => vec![scalar_update(result, value), scalar_update(done, truth)],
            Copies::Any => Vec::new(),
        };
        self.add_to(id, end, truth, updates, Barrier::Full, vec![Action::Exit]);
        let policy = self.builder.program().policy;
        if let Some(primitive) = policy.and_then(|policy| scheduler::of(policy).primitive("end")) {
            let text = "the end of the thread".to_owned();
            self.ask(id, Ask { primitive, arguments: Vec::new(), text }, None);
        }
    }

    /// The last transition has the scheduler do something.
    fn ask(&mut self, id: NodeId, ask: Ask, result: Option<VarId>) {
        let misuse = self.undefined(id, &format!("`{}` where it has no meaning", ask.text));
        self.builder.call(Call { primitive: ask.primitive, arguments: ask.arguments, result, misuse });
    }
}

fn scalar_update(var: VarId, value: TermId) -> Update {
    Update::whole(Place { var, index: None }, value)
}
