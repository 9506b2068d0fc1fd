//! Pictures of unfoldings: a row for each node, indented where there is a choice, and arcs to what covers a
//! node.

use std::fmt::Write;

use super::layered::Point;
use super::{CHARACTER, Picture, arrowhead, escaped, shortened, text_width};
use crate::report::unfolding::{Row, ToldTree};

/// Height of a row, width of an indentation, room round the picture.
const ROW: f64 = 20.0;
const INDENT: f64 = 18.0;
const MARGIN: f64 = 16.0;

/// Radius of a node.
const DOT: f64 = 5.0;

/// Room for the arcs on the left.
const ARCS: f64 = 96.0;

/// Larger trees are shown from their beginning.
const ROWS: usize = 1500;

/// Characters of a step and of a label that are shown.
const STEP: usize = 70;
const LABEL: usize = 110;

/// Number of colours for threads.
const THREADS: usize = 6;

/// Draws a tree.
pub fn unfolding(tree: &ToldTree) -> Picture {
    let shown = &tree.rows[..tree.rows.len().min(ROWS)];
    let mut row_of = vec![None; tree.rows.len()];
    shown.iter().enumerate().for_each(|(row, told)| row_of[told.node] = Some(row));
    let (mut body, mut width) = (String::new(), 0.0_f64);
    for (row, told) in shown.iter().enumerate() {
        if let Some(above) = told.above {
            branch(&mut body, place(above, &tree.rows[above]), place(row, told));
        }
    }
    for (row, told) in shown.iter().enumerate() {
        if let Some(by) = told.covered_by.and_then(|by| row_of[by]) {
            arc(&mut body, told, place(row, told), place(by, &tree.rows[by]));
        }
    }
    for (row, told) in shown.iter().enumerate() {
        width = width.max(node(&mut body, tree, told, place(row, told)));
    }
    let mut rows = shown.len();
    if rows < tree.rows.len() {
        let y = MARGIN + rows as f64 * ROW + 14.0;
        let more = tree.rows.len() - rows;
        let _ = writeln!(body, "<text class=\"where\" x=\"{ARCS}\" y=\"{y:.1}\">… {more} more nodes</text>");
        rows += 1;
    }
    let covered = tree.rows.iter().filter(|row| row.covered_by.is_some()).count();
    let title = format!("An unfolding of {} nodes, {covered} of them covered", tree.rows.len());
    Picture { width: width + MARGIN, height: 2.0 * MARGIN + rows as f64 * ROW, body, title }
}

fn place(row: usize, told: &Row) -> Point {
    let x = ARCS + told.indent as f64 * INDENT;
    Point { x, y: MARGIN + row as f64 * ROW + ROW / 2.0 }
}

/// The line from a node to one below it.
fn branch(out: &mut String, from: Point, to: Point) {
    let bend = if from.x == to.x { String::new() } else { format!("H{:.1}", to.x) };
    let _ = writeln!(out, "<path class=\"edge\" d=\"M{:.1} {:.1}V{:.1}{bend}\"/>", from.x, from.y, to.y);
}

/// From a node to what covers it, round the left.
fn arc(out: &mut String, told: &Row, from: Point, to: Point) {
    let (start, end) = (Point { x: from.x - DOT, ..from }, Point { x: to.x - DOT - 1.0, ..to });
    let rows = ((from.y - to.y) / ROW).abs();
    let left = start.x.min(end.x) - (14.0 + 12.0 * rows.sqrt()).min(ARCS - 14.0);
    let by = told.covered_by.map(|by| format!("n{} is covered by n{by}", told.node)).unwrap_or_default();
    let _ = writeln!(
        out,
        "<g class=\"cover\"><title>{by}</title><path class=\"edge\" d=\"M{:.1} {:.1}C{left:.1} {:.1} {left:.1} {:.1} {:.1} {:.1}\"/>",
        start.x, start.y, start.y, end.y, end.x, end.y
    );
    *out += &arrowhead(end, Point { x: end.x - 10.0, y: end.y }, "head");
    *out += "</g>\n";
}

/// A node with its texts; gives where they end.
fn node(out: &mut String, tree: &ToldTree, told: &Row, at: Point) -> f64 {
    let thread = told.thread.map_or(0, |thread| thread.index() % THREADS);
    let covered = if told.covered_by.is_some() { " covered" } else { "" };
    let label = told.label.join(", ");
    let _ = writeln!(
        out,
        "<g class=\"unfolded{covered}\" data-node=\"{}\"><title>n{}: {}\n{}</title>\n\
         <circle class=\"dot t{thread}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{DOT}\"/>",
        told.node,
        told.node,
        escaped(&told.places),
        escaped(if label.is_empty() { "true" } else { &label }),
        at.x,
        at.y
    );
    let mut x = at.x + 2.0 * DOT + 2.0;
    let mut write = |class: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(
                out,
                "<text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                at.y + 4.0,
                escaped(text)
            );
            x += text_width(text) + 1.5 * CHARACTER;
        }
    };
    write("where", &format!("n{}", told.node));
    if let Some(thread) = told.thread {
        write(&format!("name t{}", thread.index() % THREADS), &tree.threads[thread.index()]);
    }
    write("where", &told.line.map(|line| line.to_string()).unwrap_or_default());
    write("what", &shortened(&told.step, STEP));
    write("fact", &shortened(&label, LABEL));
    write("where", &told.covered_by.map(|by| format!("covered by n{by}")).unwrap_or_default());
    *out += "</g>\n";
    x
}
