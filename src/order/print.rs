//! A graph and its orders as text and in the dot language.
//!
//! Nodes are `n1`, `n2`, ... with a name that the caller gives; the initial state is `init`. Selectors and
//! guards show as the caller's codes.

use std::fmt;

use super::derive::{Edge, Orders, Origin};
use super::eog::{Graph, NodeId};
use super::kernel::Kernel;
use super::reason::Reason;
use crate::program::Barrier;

/// Gives nodes their names.
pub type Names<'a> = &'a dyn Fn(NodeId) -> String;

/// A name made of what a node does: `W0` writes cell 0, `R1` reads cell 1, `R0W0` updates cell 0, `F` and `S`
/// are fences.
pub fn plain_name(graph: &Graph, node: NodeId) -> String {
    let step = graph.step(node);
    let accesses: String = (step.reads().iter().map(|cell| format!("R{}", cell.index())))
        .chain(step.writes().map(|cell| format!("W{}", cell.index())))
        .collect();
    match step.barrier() {
        _ if !accesses.is_empty() => accesses,
        Barrier::StoreStore => "S".to_owned(),
        _ => "F".to_owned(),
    }
}

/// Orders as text.
pub struct Text<'a> {
    /// What to print.
    pub orders: &'a Orders<'a>,
    /// Names of nodes.
    pub names: Names<'a>,
    /// Cycles to print at the end.
    pub kernels: &'a [Kernel],
}

/// Orders as a graph in the dot language.
pub struct Dot<'a> {
    /// What to print.
    pub orders: &'a Orders<'a>,
    /// Names of nodes.
    pub names: Names<'a>,
    /// A cycle to highlight.
    pub kernel: Option<&'a Kernel>,
}

struct Id(NodeId);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            NodeId::INIT => write!(f, "init"),
            node => write!(f, "n{}", node.index()),
        }
    }
}

impl fmt::Display for Reason {
    /// `{3, 7}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let atoms: Vec<String> = self.atoms().iter().map(ToString::to_string).collect();
        write!(f, "{{{}}}", atoms.join(", "))
    }
}

/// What kind of order an edge is, and the link that it comes from.
fn kind(graph: &Graph, edge: &Edge) -> String {
    let link = |i: u32| {
        let link = &graph.links()[i as usize];
        format!("{} reads {}", Id(link.read), Id(link.write))
    };
    match &edge.origin {
        Origin::Program => "program".to_owned(),
        Origin::Required(_) => "required".to_owned(),
        Origin::ReadFrom(_) => "read-from".to_owned(),
        Origin::OwnStore(i) => format!("own store, {}", link(*i)),
        Origin::Rule2(i) => format!("rule 2, {}", link(*i)),
        Origin::Rule3(i) => format!("rule 3, {}", link(*i)),
        Origin::Split(_) => "split".to_owned(),
        Origin::Refuted(reason) => format!("refuted otherwise, {reason}"),
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.orders.graph();
        for (i, thread) in graph.threads().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            writeln!(f, "thread {i}")?;
            for &node in thread {
                write!(f, "  {} {}", Id(node), (self.names)(node))?;
                graph.step(node).guard().map_or(Ok(()), |guard| write!(f, " if {guard}"))?;
                for link in graph.links().iter().filter(|link| link.read == node) {
                    write!(f, ", reads {}", Id(link.write))?;
                    link.selector.map_or(Ok(()), |selector| write!(f, " if {selector}"))?;
                }
                writeln!(f)?;
            }
        }
        for (title, edges) in [("orders", self.orders.edges()), ("conflicts", self.orders.conflicts())] {
            if !edges.is_empty() {
                writeln!(f, "{title}")?;
            }
            for edge in edges {
                writeln!(f, "  {} < {}: {}", Id(edge.from), Id(edge.to), kind(graph, edge))?;
            }
        }
        for kernel in self.kernels {
            let nodes: Vec<String> = kernel.cycle.iter().map(|&node| Id(node).to_string()).collect();
            writeln!(f, "cycle {} < {}: {}", nodes.join(" < "), nodes[0], kernel.reason)?;
        }
        Ok(())
    }
}

impl Dot<'_> {
    /// Whether `from < to` is a step of the highlighted cycle.
    fn highlights(&self, from: NodeId, to: NodeId) -> bool {
        self.kernel.is_some_and(|kernel| {
            let next = kernel.cycle.iter().cycle().skip(1);
            kernel.cycle.iter().zip(next).any(|(&a, &b)| (a, b) == (from, to))
        })
    }

    fn edge(&self, f: &mut fmt::Formatter<'_>, edge: &Edge) -> fmt::Result {
        let style = match &edge.origin {
            Origin::Program | Origin::Required(_) => "solid",
            Origin::ReadFrom(_) => "dashed",
            _ => "dotted",
        };
        let colour = if self.highlights(edge.from, edge.to) { "red" } else { "black" };
        let tooltip = kind(self.orders.graph(), edge);
        let (from, to) = (Id(edge.from), Id(edge.to));
        writeln!(f, "  {from} -> {to} [style={style}, color={colour}, tooltip=\"{tooltip}\"];")
    }
}

impl fmt::Display for Dot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graph = self.orders.graph();
        writeln!(f, "digraph orders {{\n  node [shape=box];\n  init;")?;
        for (i, thread) in graph.threads().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            writeln!(f, "  subgraph cluster_{i} {{\n    label=\"thread {i}\";")?;
            for &node in thread {
                let name = (self.names)(node).replace('\\', "\\\\").replace('"', "\\\"");
                let fill = if graph.step(node).reads().is_empty() { "white" } else { "lightgrey" };
                writeln!(f, "    {} [label=\"{name}\", style=filled, fillcolor={fill}];", Id(node))?;
            }
            writeln!(f, "  }}")?;
        }
        for edge in self.orders.edges() {
            self.edge(f, edge)?;
        }
        // The edge that closes the cycle was set aside.
        let closing = |edge: &&Edge| self.highlights(edge.from, edge.to);
        if let Some(edge) = self.orders.conflicts().iter().find(closing) {
            self.edge(f, edge)?;
        }
        writeln!(f, "}}")
    }
}
