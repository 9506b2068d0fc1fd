//! The events of an unrolled program as text and in the dot language: what `regrain show --what unrolled`
//! prints.
//!
//! Events are `e1`, `e2`, ...; a value that is read is called by its cell and a number, as in `x#17`. For
//! each read the writes are listed that it may take its value from, or its value if the thread's own past
//! settles it.

use std::fmt::Write;

use crate::engine::scar::{AccessOverview, EventOverview, Overview, ReadsFrom};
use crate::order::{Density, Graph, Model, NodeId, program_order};
use crate::program::{Barrier, Program, ThreadId};
use crate::term::TermId;

/// The events of a program, to be written down.
#[derive(Clone, Copy, Debug)]
pub struct Unrolled<'a> {
    program: &'a Program,
    overview: &'a Overview,
}

impl<'a> Unrolled<'a> {
    /// These events of a program.
    pub fn new(program: &'a Program, overview: &'a Overview) -> Unrolled<'a> {
        Unrolled { program, overview }
    }

    /// One line an event, in the order of each thread's program.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut thread = None;
        for (i, event) in self.overview.events.iter().enumerate() {
            if thread.replace(event.thread) != Some(event.thread) {
                let _ = writeln!(text, "thread {} {}", event.thread.index(), self.thread(event.thread));
            }
            let _ = write!(text, "  e{}", i + 1);
            for line in self.accesses(event) {
                let _ = write!(text, " {line};");
            }
            let condition = self.term(event.guard);
            let condition = if condition == "true" { String::new() } else { format!(" if {condition}") };
            let _ = writeln!(text, "{condition}");
        }
        for named in &self.overview.names {
            let _ = writeln!(text, "{} is {}", self.term(named.name), self.term(named.condition));
        }
        for goal in &self.overview.goals {
            let _ = writeln!(text, "{} if {}", goal.what, self.term(goal.condition));
        }
        let accesses: usize =
            self.overview.events.iter().map(|event| event.reads.len() + event.writes.len()).sum();
        let _ = writeln!(text, "{accesses} reads and writes, {} read-from pairs", self.overview.pairs);
        text
    }

    /// A graph: solid edges for program order under a memory model, dashed ones for read-from pairs.
    pub fn dot(&self, model: Model) -> String {
        let mut text = "digraph events {\n  node [shape=box];\n  init;\n".to_owned();
        let mut graph = Graph::new();
        for event in &self.overview.events {
            graph.add(event.step.clone());
        }
        for (t, nodes) in graph.threads().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            let name = escaped(self.thread(ThreadId::new(t)));
            let _ = writeln!(text, "  subgraph cluster_{t} {{\n    label=\"{name}\";");
            for node in nodes {
                let lines: Vec<String> = self.accesses(&self.overview.events[node.index() - 1]).collect();
                let label = escaped(&lines.join("\n")).replace('\n', "\\n");
                let _ = writeln!(text, "    e{} [label=\"{label}\"];", node.index());
            }
            text += "  }\n";
        }
        for (from, to) in program_order(&graph, model, Density::Minimal) {
            let _ = writeln!(text, "  {} -> {};", node_name(from), node_name(to));
        }
        for (i, event) in self.overview.events.iter().enumerate() {
            for read in &event.reads {
                let ReadsFrom::Any(sources) = &read.from else { continue };
                for &source in sources {
                    let _ = writeln!(text, "  {} -> e{} [style=dashed];", source_name(source), i + 1);
                }
            }
        }
        text + "}\n"
    }

    fn thread(&self, thread: ThreadId) -> &'a str {
        &self.program.thread(thread).name
    }

    fn accesses(&self, event: &'a EventOverview) -> impl Iterator<Item = String> + 'a {
        let this = *self;
        let barrier = match event.barrier {
            Barrier::Full => Some("full barrier".to_owned()),
            Barrier::StoreStore => Some("store-store barrier".to_owned()),
            Barrier::None => None,
        };
        let reads = event.reads.iter().map(move |read| {
            let access = this.access("read", &read.access, event);
            match &read.from {
                ReadsFrom::Settled(value) => format!("{access}, settled as {}", this.term(*value)),
                ReadsFrom::Any(sources) => {
                    let sources: Vec<String> = sources.iter().map(|&source| source_name(source)).collect();
                    format!("{access} from {}", sources.join(" "))
                }
            }
        });
        let writes = event.writes.iter().map(move |write| this.access("write", write, event));
        barrier.into_iter().chain(reads).chain(writes)
    }

    fn access(&self, verb: &str, access: &AccessOverview, event: &EventOverview) -> String {
        let condition = match access.guard == event.guard {
            true => String::new(),
            false => format!(" (if {})", self.term(access.guard)),
        };
        format!("{verb} {} = {}{condition}", access.cell, self.term(access.value))
    }

    fn term(&self, term: TermId) -> String {
        self.overview.terms.display(term).to_string()
    }
}

fn node_name(node: NodeId) -> String {
    match node {
        NodeId::INIT => "init".to_owned(),
        node => format!("e{}", node.index()),
    }
}

fn source_name(source: Option<usize>) -> String {
    source.map_or_else(|| "init".to_owned(), |event| format!("e{}", event + 1))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
