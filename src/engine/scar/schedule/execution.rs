//! A model of the abstraction as an event order graph, and a total order of that graph as a run of the
//! program.

use crate::order::{Atom, CellId, Graph, Model, Move as OrderMove, NodeId, Step, run};
use crate::program::{AssertionId, Barrier, Init, Lanes, Mark, Move, Role, ThreadId, Trace};
use crate::sat::{Blaster, Lit};
use crate::term::{Datum, Sort, VarId, Word};

use super::super::encode::{EncodedEvent, Encoding};
use super::super::infer::Source;
use super::super::unroll::{Event, Unroller, Unrolling};

/// The events that happen in a model, with the writes that they read from.
#[derive(Debug)]
pub struct Execution {
    /// The graph of the events.
    pub graph: Graph,
    /// For each node the position of its event; the initial state stands for none.
    events: Vec<Option<usize>>,
}

/// A literal as the graph knows it; constants need none.
pub fn atom(lit: Lit) -> Option<Atom> {
    lit.as_constant().is_none().then(|| Atom::new(lit.code()))
}

impl Execution {
    /// The execution of the solver's model.
    pub fn of(blaster: &Blaster, unrolling: &Unrolling, encoding: &Encoding) -> Execution {
        let holds = |lit: Lit| blaster.solver().value(lit);
        let mut execution = Execution { graph: Graph::new(), events: vec![None] };
        let mut nodes = vec![None; unrolling.events.len()];
        for (i, (event, literals)) in unrolling.events.iter().zip(&encoding.events).enumerate() {
            if holds(literals.guard) {
                nodes[i] = Some(execution.graph.add(step(&holds, event, literals)));
                execution.events.push(Some(i));
            }
        }
        for (i, literals) in encoding.events.iter().enumerate() {
            let Some(node) = nodes[i] else { continue };
            for (read, (happens, sources)) in unrolling.events[i].reads.iter().zip(&literals.reads) {
                // A settled read has no sources.
                if !holds(*happens) || sources.is_empty() {
                    continue;
                }
                let selected = sources.iter().find(|(selector, _)| holds(*selector));
                let &(selector, source) = selected.expect("a read that happens selects a write");
                let write = match source {
                    Source::Initial => NodeId::INIT,
                    Source::Write { event, .. } => {
                        nodes[event].expect("a selector says that its write happens")
                    }
                };
                execution.graph.read_from(node, write, read.cell, atom(selector));
            }
        }
        execution
    }

    /// The run that a total order of the nodes stands for, up to its first violation.
    pub fn trace(
        &self,
        unroller: &Unroller<'_>,
        unrolling: &Unrolling,
        lives: &Lives,
        order: &[NodeId],
        model: Model,
    ) -> Option<(AssertionId, Trace)> {
        let program = unroller.program;
        let mut narrator = Narrator {
            lives,
            next: vec![0; program.threads.len()],
            trace: Trace { initial: lives.initial.clone(), moves: Vec::new() },
        };
        for happening in run(&self.graph, model, order) {
            let (OrderMove::Take(node) | OrderMove::Flush(node)) = happening;
            let event = &unrolling.events[self.events[node.index()].expect("not the initial state")];
            let violated = match happening {
                OrderMove::Take(_) => narrator.until(event.thread, Some(event.block)),
                OrderMove::Flush(_) => {
                    let cells: Vec<CellId> = self.graph.step(node).writes().collect();
                    narrator.trace.moves.push(flush(unroller, event.thread, &cells));
                    None
                }
            };
            if let Some(assertion) = violated {
                return Some((assertion, narrator.trace));
            }
        }
        // Steps that concern nobody else are not in the graph.
        let rest = program.thread_ids().find_map(|thread| {
            let is_violating = lives.threads[thread.index()].iter().any(|life| life.violated.is_some());
            if is_violating { narrator.until(thread, None) } else { None }
        });
        rest.map(|assertion| (assertion, narrator.trace))
    }
}

/// An event that happens, as a step of the graph, with those of its accesses that happen.
pub fn step(holds: &dyn Fn(Lit) -> bool, event: &Event, literals: &EncodedEvent) -> Step {
    let reads = event.reads.iter().zip(&literals.reads).filter(|(_, (happens, _))| holds(*happens));
    let reads: Vec<_> = reads.map(|(read, _)| read.cell).collect();
    let writes = || event.writes.iter().zip(&literals.writes).filter(|&(_, &lit)| holds(lit));
    // A write that happens whenever the step is taken needs no literal of its own.
    let own = |lit: Lit| if lit == literals.guard { None } else { atom(lit) };
    let certain = writes().filter(|&(_, &lit)| own(lit).is_none()).map(|(write, _)| write.cell);
    let mut step = match (event.barrier, event.reads.is_empty() && event.writes.is_empty()) {
        (barrier, true) => Step::fence(event.thread, barrier),
        _ => Step::indivisible(event.thread, reads, certain),
    };
    for (write, &lit) in writes() {
        if let Some(atom) = own(lit) {
            step = step.write_under(write.cell, atom);
        }
    }
    if event.barrier == Barrier::Full {
        step = step.with_full_barrier();
    } else if event.is_store() {
        step = step.buffered();
    }
    match atom(literals.guard) {
        Some(guard) => step.under(guard),
        None => step,
    }
}

/// What each thread does in a model, block by block, and the initial values that the model chose.
#[derive(Debug)]
pub struct Lives {
    threads: Vec<Vec<Life>>,
    initial: Vec<(VarId, Datum)>,
}

/// A block as it is executed.
#[derive(Debug)]
struct Life {
    block: usize,
    moves: Vec<Move>,
    violated: Option<AssertionId>,
}

impl Lives {
    /// What the threads do in the solver's model.
    pub fn of(
        blaster: &Blaster,
        unroller: &Unroller<'_>,
        unrolling: &Unrolling,
        encoding: &Encoding,
    ) -> Lives {
        let program = unroller.program;
        let holds = |lit: Lit| blaster.solver().value(lit);
        let mut threads: Vec<Vec<Life>> = program.threads.iter().map(|_| Vec::new()).collect();
        for (i, (block, literals)) in unrolling.blocks.iter().zip(&encoding.blocks).enumerate() {
            let taken = block.steps.iter().zip(&literals.steps).filter(|(_, (lit, _))| holds(*lit));
            let mut life = Life { block: i, moves: Vec::new(), violated: None };
            for (step, (_, flushed)) in taken {
                let inputs =
                    step.inputs.iter().map(|&(input, var)| (input, blaster.value(&unroller.pool, var)));
                life.moves.push(Move::Step { transition: step.transition, inputs: inputs.collect() });
                let flushed = step.buffered.iter().zip(flushed).filter(|&(_, &lit)| holds(lit));
                life.moves.extend(flushed.map(|((cells, _), _)| flush(unroller, block.thread, cells)));
                let to = program.location(program.transition(step.transition).to);
                if let Some(Mark::Error(assertion)) = to.mark {
                    life.violated = Some(assertion);
                }
            }
            if !life.moves.is_empty() && (holds(literals.complete) || life.violated.is_some()) {
                threads[block.thread.index()].push(life);
            }
        }
        Lives { threads, initial: initial_values(blaster, unroller) }
    }
}

/// The move by which a store of these cells reaches memory.
fn flush(unroller: &Unroller<'_>, thread: ThreadId, cells: &[CellId]) -> Move {
    let memory = unroller.memory();
    let (var, element) = memory.place(cells[0]);
    Move::Flush { thread, var, element, lanes: memory.lanes(cells.iter().copied()) }
}

/// The values that a model gives to variables without an initial value.
fn initial_values(blaster: &Blaster, unroller: &Unroller<'_>) -> Vec<(VarId, Datum)> {
    let program = unroller.program;
    let open = program
        .variable_ids()
        .filter(|&var| program.variable(var).init == Init::Any && program.variable(var).role != Role::Input);
    open.filter_map(|var| {
        let chosen = |number: usize| {
            let known = unroller.initial_variable(number)?;
            Some(blaster.value(&unroller.pool, known))
        };
        let sort = program.variable(var).sort;
        let memory = unroller.memory();
        let cell = |i: u32| -> Option<Datum> {
            let number = |cell: CellId| program.variables.len() + cell.index();
            let cells = memory.bytes(var, i, Lanes::ALL);
            if !memory.is_apart(var) {
                return chosen(number(cells[0].1));
            }
            let byte = |&(byte, cell): &(u32, CellId)| {
                chosen(number(cell)).map_or(0, |value| value.word()) << (8 * byte)
            };
            let word = match sort {
                Sort::Array(array) => array.elem,
                Sort::Word(word) => word,
                Sort::Bool => Word::BOOL,
            };
            Some(Datum::Word(word.wrap(cells.iter().map(byte).sum())))
        };
        let value = match (program.variable(var).role, sort) {
            (Role::Shared, Sort::Array(array)) => {
                let word = |i: u32| cell(i).map_or(0, |value| value.word());
                Datum::Array((0..array.len).map(word).collect())
            }
            (Role::Shared, _) => cell(0)?,
            _ => chosen(var.index())?,
        };
        Some((var, value))
    })
    .collect()
}

/// Writes down a run.
struct Narrator<'a> {
    lives: &'a Lives,
    /// For each thread, the next of its blocks.
    next: Vec<usize>,
    trace: Trace,
}

impl Narrator<'_> {
    /// Lets a thread execute its blocks up to and including one, or all; stops at a violation.
    fn until(&mut self, thread: ThreadId, block: Option<usize>) -> Option<AssertionId> {
        let lives = &self.lives.threads[thread.index()];
        while let Some(life) = lives.get(self.next[thread.index()])
            && block.is_none_or(|block| life.block <= block)
        {
            self.next[thread.index()] += 1;
            self.trace.moves.extend(life.moves.iter().cloned());
            if life.violated.is_some() {
                return life.violated;
            }
        }
        None
    }
}
