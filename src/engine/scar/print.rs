//! The events of an unrolled program as text and in the dot language: what `regrain show --what unrolled` prints.
//!
//! Events are `e1`, `e2`, ...; a value that is read is called by its cell and a number, as in `x#17`. For each read
//! the writes are listed that it may take its value from, or its value if the thread's own past settles it.

use std::fmt::Write;

use crate::budget::Budget;
use crate::order::{CellId, Density, Graph, Model, NodeId, program_order};
use crate::program::{Barrier, MemoryModel, Program};
use crate::term::TermId;

use super::CELLS;
use super::clock::full_step;
use super::event::{Access, Event, Unrolling};
use super::pairs::{Pairs, Source};
use super::settled::Settled;
use super::unroll::{Obstacle, Unroller};

/// The events of a program, unrolled to a bound.
#[derive(Debug)]
pub struct Events<'p> {
    unroller: Unroller<'p>,
    unrolling: Unrolling,
    pairs: Pairs,
    settled: Settled,
}

impl<'p> Events<'p> {
    /// Unrolls a program.
    ///
    /// # Errors
    /// In words, if the program cannot be unrolled.
    pub fn of(program: &'p Program, model: MemoryModel, bound: u32) -> Result<Events<'p>, String> {
        let told = |obstacle: Obstacle| super::reason_of(&obstacle).summary;
        let mut unroller = Unroller::new(program, model, CELLS).map_err(told)?;
        let budget = Budget::unlimited();
        let unrolling = unroller.unroll(bound, &budget).map_err(told)?;
        let pairs = Pairs::of(&mut unroller, &unrolling, &budget);
        let (mut pairs, known) = pairs.expect("an unlimited budget does not end");
        let names = (&mut unroller.pool, &unroller.names);
        let settled = Settled::of(names, &unrolling, &mut pairs, &known, &budget);
        let settled = settled.expect("an unlimited budget does not end");
        Ok(Events { unroller, unrolling, pairs, settled })
    }

    /// One line an event, in the order of each thread's program.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut thread = None;
        for (i, event) in self.unrolling.events.iter().enumerate() {
            if thread.replace(event.thread) != Some(event.thread) {
                let _ = writeln!(text, "thread {} {}", event.thread.index(), self.name_of_thread(event));
            }
            let _ = write!(text, "  e{}", i + 1);
            for line in self.accesses(i, event) {
                let _ = write!(text, " {line};");
            }
            let condition = self.term(event.guard);
            let _ = writeln!(
                text,
                "{}",
                if condition == "true" { String::new() } else { format!(" if {condition}") }
            );
        }
        for (name, term) in self.unroller.names().definitions() {
            let _ = writeln!(text, "{} is {}", self.term(*name), self.term(*term));
        }
        for goal in &self.unrolling.goals {
            let _ = writeln!(text, "goal {:?} if {}", goal.target, self.term(goal.condition));
        }
        let accesses: usize =
            self.unrolling.events.iter().map(|event| event.reads.len() + event.writes.len()).sum();
        let _ = writeln!(text, "{accesses} reads and writes, {} read-from pairs", self.pairs.len());
        text
    }

    /// A graph: solid edges for program order under a memory model, dashed ones for read-from pairs.
    pub fn dot(&self, model: Model) -> String {
        let mut text = "digraph events {\n  node [shape=box];\n  init;\n".to_owned();
        let mut graph = Graph::new();
        for event in &self.unrolling.events {
            graph.add(full_step(event));
        }
        for (t, nodes) in graph.threads().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            let first = &self.unrolling.events[nodes[0].index() - 1];
            let _ = writeln!(
                text,
                "  subgraph cluster_{t} {{\n    label=\"{}\";",
                escaped(&self.name_of_thread(first))
            );
            for node in nodes {
                let i = node.index() - 1;
                let lines: Vec<String> = self.accesses(i, &self.unrolling.events[i]).collect();
                let _ = writeln!(
                    text,
                    "    e{} [label=\"{}\"];",
                    i + 1,
                    escaped(&lines.join("\n")).replace('\n', "\\n")
                );
            }
            text += "  }\n";
        }
        for (from, to) in program_order(&graph, model, Density::Minimal) {
            let _ = writeln!(text, "  {} -> {};", node_name(from), node_name(to));
        }
        for e in 0..self.unrolling.events.len() {
            for source in self.pairs.sources(e).flatten() {
                let _ = writeln!(text, "  {} -> e{} [style=dashed];", source_name(*source), e + 1);
            }
        }
        text + "}\n"
    }

    fn name_of_thread(&self, event: &Event) -> String {
        self.unroller.program.thread(event.thread).name.clone()
    }

    fn accesses<'a>(&'a self, index: usize, event: &'a Event) -> impl Iterator<Item = String> + 'a {
        let barrier = match event.barrier {
            Barrier::Full => Some("full barrier".to_owned()),
            Barrier::StoreStore => Some("store-store barrier".to_owned()),
            Barrier::None => None,
        };
        let reads = event.reads.iter().zip(self.pairs.sources(index)).map(|(read, sources)| {
            let access = self.access("read", read, event);
            match self.unroller.pool.as_var(read.value).and_then(|var| self.settled.get(var)) {
                Some(value) => format!("{access}, settled as {}", self.term(value)),
                None => {
                    let sources: Vec<String> = sources.iter().map(|&source| source_name(source)).collect();
                    format!("{access} from {}", sources.join(" "))
                }
            }
        });
        let writes = event.writes.iter().map(|write| self.access("write", write, event));
        barrier.into_iter().chain(reads).chain(writes)
    }

    fn access(&self, verb: &str, access: &Access, event: &Event) -> String {
        let condition = match access.guard == event.guard {
            true => String::new(),
            false => format!(" (if {})", self.term(access.guard)),
        };
        format!("{verb} {} = {}{condition}", self.cell(access.cell), self.term(access.value))
    }

    fn cell(&self, cell: CellId) -> String {
        self.unroller.memory().name(self.unroller.program, cell)
    }

    fn term(&self, term: TermId) -> String {
        self.unroller.pool.display(term).to_string()
    }
}

fn node_name(node: NodeId) -> String {
    match node {
        NodeId::INIT => "init".to_owned(),
        node => format!("e{}", node.index()),
    }
}

fn source_name(source: Source) -> String {
    match source {
        Source::Initial => "init".to_owned(),
        Source::Write { event, .. } => format!("e{}", event + 1),
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
