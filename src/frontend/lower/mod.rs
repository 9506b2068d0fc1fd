//! The typed tree to a [`Program`]: inlining, threads, memory, atomics.
//!
//! ```text
//! typed tree ──walk (one thread after another)──▶ code with unresolved addresses ──points-to──▶ Program
//! ```
//!
//! - `facts.rs`, `usage.rs`, `visit.rs`, `layout.rs`, `overlap.rs`: what the text and the types tell
//!   beforehand.
//! - `flow.rs`: the point that the walk has reached, joins, known constants, atomic sections.
//! - `statement.rs`, `expression.rs`, `arithmetic.rs`, `condition.rs`, `place.rs`, `bits.rs`, `record.rs`,
//!   `declare.rs`: the C language.
//! - `inline.rs`: calls; each call instance has variables of its own.
//! - `hooks.rs`: constructors and destructors.
//! - `thread.rs`, `ending.rs`: each instance of a creation makes a thread with its own copy of the start
//!   function's code; how threads end.
//! - `template.rs`: threads without number.
//! - `cooperative.rs`: schedulers of cooperative programs.
//! - `builtin.rs`, `atomic.rs`, `heap.rs`, `untyped.rs`, `reshape.rs`, `block.rs`, `counted.rs`: intrinsics
//!   and library functions known by name.
//! - `scope.rs`, `lifetime.rs`: where the lives of locals end, and which of those ends matter.
//! - `memory.rs`: objects and their addresses.
//! - `points_to.rs`, `resolve.rs`, `emit.rs`: what addresses can mean, and the program that results.
//!
//! The result is fine-grained: one transition an instruction. Passes compose and prune it.
//!
//! Choices where C leaves one: operands and arguments are evaluated left to right, an assignment's target
//! before its value, a compound assignment reads its target after evaluating the value. Everything that
//! leaves what we define ends in [`Mark::Undefined`](crate::program::Mark) or
//! [`Mark::Cut`](crate::program::Mark), never in silence.

mod arithmetic;
mod atomic;
mod bits;
mod block;
mod builtin;
mod code;
mod condition;
mod cooperative;
mod counted;
mod declare;
mod emit;
mod ending;
mod expression;
mod facts;
mod float;
mod flow;
mod heap;
mod hooks;
mod inline;
mod layout;
mod lifetime;
mod memory;
mod narrow;
mod overlap;
mod place;
mod points_to;
mod record;
mod reshape;
mod resolve;
mod scope;
mod statement;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod thread;
mod untyped;
mod usage;
mod visit;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Options;
use super::diagnostic::Diagnostic;
use super::tree::{LabelId, TypeId, Unit};
pub(super) use builtin::known_functions;

use crate::program::{
    AssertionId, MemoryModel, Policy, Program, ProgramBuilder, Range, Sources, Span, ThreadId,
};
use code::{Code, NodeId};
use ending::Ending;
use facts::{Facts, UnitFacts};
use flow::{JoinData, State};
use inline::{Frame, UserCall};
use layout::Layout;
use memory::Memory;
use template::Templates;
use thread::{Job, ThreadData};

type Result<T> = std::result::Result<T, Diagnostic>;

/// Lowers a unit. Fails on what is not supported, as far as `main` and the threads it creates reach it.
pub fn lower(unit: &Unit, sources: Sources, options: &Options) -> Result<Program> {
    let mut lower = Lower::new(unit, sources.clone(), options, Templates::default());
    let lowered = lower.run();
    lowered.map_err(|diagnostic| Diagnostic { sources: sources.clone(), ..diagnostic })?;
    let templates = std::mem::take(&mut lower.templates).wanted();
    let mut program = lower.emit_program()?;
    if let Some(templates) = templates
        && options.memory_model == MemoryModel::Sc
        && program.policy.is_none()
    {
        program.unbounded = lower_unbounded(unit, sources, options, templates).map(Arc::new);
    }
    Ok(program)
}

/// The program with threads without number, if it can be said.
fn lower_unbounded(
    unit: &Unit,
    sources: Sources,
    options: &Options,
    templates: Templates,
) -> Option<Program> {
    let mut lower = Lower::new(unit, sources, options, templates);
    lower.run().ok()?;
    lower.emit_program().ok()
}

/// The state of lowering.
struct Lower<'a> {
    unit: &'a Unit,
    options: &'a Options,
    layout: Layout<'a>,
    facts: UnitFacts,
    /// Facts of loops, by the statement's place in memory.
    loop_facts: FxHashMap<usize, Rc<Facts>>,
    /// Labels of blocks, by the place in memory of their first statement and the number of statements.
    block_labels: FxHashMap<(usize, usize), Rc<BTreeSet<LabelId>>>,
    builder: ProgramBuilder,
    memory: Memory,
    code: Code,
    assertions: BTreeMap<(Span, String), AssertionId>,

    /// Who decides which thread goes next, if the program is cooperative.
    policy: Option<Policy>,
    /// How many things of each kind have numbers.
    numbers: BTreeMap<String, i128>,
    /// Threads made so far, and those whose code is still to be lowered.
    threads: Vec<ThreadData>,
    jobs: VecDeque<Job<'a>>,
    templates: Templates,

    // The thread being lowered and the point reached in it.
    thread: ThreadId,
    at: NodeId,
    alive: bool,
    state: State,
    joins: Vec<JoinData>,
    frames: Vec<Frame<'a>>,
    ending: Ending,
    /// Loops around that are not unrolled, in all frames.
    loops: u32,
    /// Whether the current node is inside a full expression that is one step.
    stretch: bool,
    /// The user's place, and the user's call that library code around works for.
    span: Span,
    user: Option<UserCall<'a>>,
    /// The text of a library call that its first step is to show.
    announce: Option<String>,
    /// The type that memory allocated now will be used as.
    hint: Option<TypeId>,
    temporaries: u32,
    /// What the next step needs for arithmetic before it to stay in range.
    ranges: Vec<Range>,
    /// How many conditions decide whether the part of a term that is being lowered is computed.
    choices: u32,
    /// Whether the functions that run at the end of the program are running.
    destroying: bool,
}

impl<'a> Lower<'a> {
    fn new(unit: &'a Unit, sources: Sources, options: &'a Options, templates: Templates) -> Lower<'a> {
        let mut code = Code::default();
        let at = code.add(code::Node::nowhere());
        Lower {
            unit,
            options,
            layout: Layout::new(unit, options.data_model),
            facts: UnitFacts::new(unit),
            loop_facts: FxHashMap::default(),
            block_labels: FxHashMap::default(),
            builder: ProgramBuilder::new(sources),
            memory: Memory::new(options.data_model),
            code,
            assertions: BTreeMap::new(),
            policy: None,
            numbers: BTreeMap::new(),
            threads: Vec::new(),
            jobs: VecDeque::new(),
            templates,
            thread: ThreadId::new(0),
            at,
            alive: false,
            state: State::default(),
            joins: Vec::new(),
            frames: Vec::new(),
            ending: Ending::default(),
            loops: 0,
            stretch: false,
            span: Span::NONE,
            user: None,
            announce: None,
            hint: None,
            temporaries: 0,
            ranges: Vec::new(),
            choices: 0,
            destroying: false,
        }
    }

    /// Whether library code is being lowered.
    fn in_model(&self) -> bool {
        self.user.is_some()
    }
}
