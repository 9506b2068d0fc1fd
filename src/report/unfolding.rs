//! A proof by unfolding, told: the tree as rows, and what its labels say at the lines of the source.
//!
//! Rows come in the order of a walk through the tree, each node before what is below it. A node that is the
//! only one below another stands under it; where there are several they are indented, so that long stretches
//! without a choice stay narrow. With partial-order reduction a label holds along the interleavings that are
//! followed; others differ from one of these in the order of independent steps alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::facts;
use crate::program::{LocId, Names, Program, ThreadId, TransId, Transition};
use crate::proof::Unfolding;
use crate::term::{Pool, TermId};

/// The tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToldTree {
    /// The names of all threads.
    pub threads: Vec<String>,
    /// One for each node.
    pub rows: Vec<Row>,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its number; the root is 0, and parents have smaller numbers than their children.
    pub node: usize,
    /// How far it is indented.
    pub indent: usize,
    /// The row of its parent.
    pub above: Option<usize>,
    /// Who moved to get here; nobody to get to the root.
    pub thread: Option<ThreadId>,
    /// The line that it executed, if there is one.
    pub line: Option<u32>,
    /// What it did.
    pub step: String,
    /// Where the threads are.
    pub places: String,
    /// What holds here.
    pub label: Vec<String>,
    /// The node that covers it.
    pub covered_by: Option<usize>,
}

/// Tells a tree.
pub fn tree(program: &Program, unfolding: &Unfolding) -> ToldTree {
    let mut terms = unfolding.terms.clone();
    Names::new(program).put_into(&mut terms);
    let mut below = vec![Vec::new(); unfolding.nodes.len()];
    for (node, parent) in unfolding.nodes.iter().enumerate() {
        if let Some((parent, _)) = parent.parent {
            below[parent].push(node);
        }
    }
    let (mut rows, mut open): (Vec<Row>, _) = (Vec::new(), vec![(0, 0, None)]);
    while let Some((node, indent, above)) = open.pop() {
        let deeper = indent + usize::from(below[node].len() > 1);
        open.extend(below[node].iter().rev().map(|&child| (child, deeper, Some(rows.len()))));
        rows.push(row(program, unfolding, &mut terms, node, (indent, above)));
    }
    let threads = program.threads.iter().map(|thread| thread.name.clone()).collect();
    ToldTree { threads, rows }
}

fn row(
    program: &Program,
    unfolding: &Unfolding,
    terms: &mut Pool,
    node: usize,
    (indent, above): (usize, Option<usize>),
) -> Row {
    let told = &unfolding.nodes[node];
    let edge = told.parent.map(|(_, step)| step);
    let label = told.label.iter().map(|&fact| (fact, true)).collect();
    Row {
        node,
        indent,
        above,
        thread: edge.map(|step| program.thread_of(step)),
        line: edge.and_then(|step| line(program, program.transition(step).from)),
        step: edge.map_or_else(|| "the beginning".to_owned(), |step| step_text(program, terms, step)),
        places: places(program, &told.locations),
        label: facts::texts(terms, label),
        covered_by: told.covered_by,
    }
}

fn line(program: &Program, location: LocId) -> Option<u32> {
    let span = program.location(location).span;
    span.is_some().then_some(span.line)
}

fn places(program: &Program, locations: &[LocId]) -> String {
    let at = |(thread, &location): (usize, &LocId)| {
        let name = &program.thread(ThreadId::new(thread)).name;
        match line(program, location) {
            Some(line) => format!("{name} at line {line} (L{})", location.index()),
            None => format!("{name} at L{}", location.index()),
        }
    };
    locations.iter().enumerate().map(at).collect::<Vec<_>>().join(", ")
}

/// What a step asks and does.
fn step_text(program: &Program, terms: &Pool, step: TransId) -> String {
    let Transition { guard, updates, to, .. } = program.transition(step);
    let mut parts = Vec::new();
    if program.terms.as_bool(*guard) != Some(true) {
        parts.push(format!("[{}]", terms.display(*guard)));
    }
    parts.extend(updates.iter().map(|update| {
        let index = update.place.index.map(|index| format!("[{}]", terms.display(index)));
        let name = terms.var_name(update.place.var);
        format!("{name}{} := {}", index.unwrap_or_default(), terms.display(update.value))
    }));
    if parts.is_empty() {
        parts.push(format!("to L{}", to.index()));
    }
    parts.join("  ")
}

impl ToldTree {
    /// One line a node.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let _ = write!(out, "{:indent$}n{} {}", "", row.node, self.head(row), indent = 2 * row.indent);
            if !row.label.is_empty() {
                let _ = write!(out, "  {{ {} }}", row.label.join(", "));
            }
            if let Some(by) = row.covered_by {
                let _ = write!(out, "  covered by n{by}");
            }
            out.push('\n');
        }
        let covered = self.rows.iter().filter(|row| row.covered_by.is_some()).count();
        let _ = writeln!(out, "{} nodes, {covered} of them covered", self.rows.len());
        out
    }

    /// A graph: solid edges are steps, dashed ones lead to what covers a node.
    pub fn dot(&self) -> String {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut out = "digraph unfolding {\n  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n  \
                       edge [fontname=\"monospace\", fontsize=9];\n"
            .to_owned();
        for row in &self.rows {
            let label = if row.label.is_empty() { "true".to_owned() } else { row.label.join("\n") };
            let text = quoted(&format!("n{}: {}\n{label}", row.node, row.places)).replace('\n', "\\n");
            let style = if row.covered_by.is_some() { ", style=\"rounded,dashed\"" } else { "" };
            let _ = writeln!(out, "  n{} [label=\"{text}\"{style}];", row.node);
            if let Some(above) = row.above {
                let (from, step) = (self.rows[above].node, quoted(&self.head(row)));
                let _ = writeln!(out, "  n{from} -> n{} [label=\"{step}\"];", row.node);
            }
            if let Some(by) = row.covered_by {
                let _ = writeln!(out, "  n{} -> n{by} [style=dashed, constraint=false];", row.node);
            }
        }
        out + "}\n"
    }

    /// Who did what.
    fn head(&self, row: &Row) -> String {
        let who = row.thread.map(|thread| format!("{} ", self.threads[thread.index()])).unwrap_or_default();
        let line = row.line.map(|line| format!("{line}: ")).unwrap_or_default();
        format!("{who}{line}{}", row.step)
    }
}

/// What the labels say where a thread is at a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelsAt {
    /// The location.
    pub location: LocId,
    /// At all nodes.
    pub always: Vec<String>,
    /// In addition, at some.
    pub cases: Vec<LabelCase>,
}

/// Nodes with one label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelCase {
    /// What holds in addition.
    pub facts: Vec<String>,
    /// The nodes.
    pub nodes: Vec<usize>,
}

/// What the labels say at each location where they say something, in the order of the source. Nodes that are
/// covered say nothing that what covers them does not.
pub fn labels(program: &Program, unfolding: &Unfolding) -> Vec<LabelsAt> {
    let mut at: BTreeMap<LocId, BTreeMap<BTreeSet<TermId>, Vec<usize>>> = BTreeMap::new();
    for (position, node) in unfolding.nodes.iter().enumerate().filter(|(_, node)| node.covered_by.is_none()) {
        let label: BTreeSet<TermId> = node.label.iter().copied().collect();
        for &location in &node.locations {
            at.entry(location).or_default().entry(label.clone()).or_default().push(position);
        }
    }
    let mut terms = unfolding.terms.clone();
    let mut shown: Vec<LabelsAt> =
        at.into_iter().filter_map(|(location, labels)| labels_at(&mut terms, location, &labels)).collect();
    shown.sort_by_key(|place| {
        let span = program.location(place.location).span;
        (span.file, span.line, span.column, place.location)
    });
    shown
}

fn labels_at(
    terms: &mut Pool,
    location: LocId,
    labels: &BTreeMap<BTreeSet<TermId>, Vec<usize>>,
) -> Option<LabelsAt> {
    let mut texts =
        |facts: BTreeSet<TermId>| facts::texts(terms, facts.into_iter().map(|fact| (fact, true)).collect());
    let mut all = labels.keys();
    let first = all.next()?.clone();
    let common = all.fold(first, |common, label| &common & label);
    let mut cases: Vec<LabelCase> = labels
        .iter()
        .map(|(label, nodes)| LabelCase { facts: texts(label - &common), nodes: nodes.clone() })
        .collect();
    cases.retain(|case| !case.facts.is_empty());
    cases.sort_by(|a, b| a.nodes.cmp(&b.nodes));
    let always = texts(common);
    (!always.is_empty() || !cases.is_empty()).then_some(LabelsAt { location, always, cases })
}
