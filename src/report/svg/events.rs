//! Event order graphs, in the way of papers on memory models: one column a thread, an event below those that
//! come before it, relations by colour and name, a cycle drawn thick.

use std::fmt::Write;

use super::layered::Point;
use super::{LINE, Picture, arrowhead, escaped, shortened, text_width};
use crate::report::events::{Arrow, EventGraph, EventKind, GraphEvent, Relation};

/// Space between columns, between rows, and at the edges.
const BETWEEN: f64 = 92.0;
const ROW: f64 = 44.0;
const MARGIN: f64 = 22.0;

/// Height of a node, and of the thread names above.
const NODE: f64 = 26.0;
const HEADING: f64 = 34.0;

/// Width and height of a label, with some room.
const LABEL: (f64, f64) = (24.0, 16.0);

/// The names on the arrows, which no arrow crosses.
#[derive(Default)]
struct Labels {
    taken: Vec<Point>,
    out: String,
}

/// Characters of an event.
const TEXT: usize = 36;

/// Draws the graph.
pub fn event_graph(graph: &EventGraph) -> Picture {
    let layout = Layout::new(graph);
    let mut body = String::new();
    layout.columns(&mut body);
    // Program order below, the rest above it, the cycle on top.
    let mut arrows: Vec<&Arrow> = graph.arrows.iter().collect();
    arrows.sort_by_key(|arrow| (arrow.relation != Relation::Program, arrow.in_cycle));
    let mut labels = Labels::default();
    arrows.iter().for_each(|arrow| layout.arrow(arrow, &mut labels, &mut body));
    body += &labels.out;
    (0..graph.events.len()).for_each(|event| layout.event(event, &mut body));
    layout.legend(&mut body);
    let title =
        format!("Event order graph with {} events of {} threads", graph.events.len(), layout.columns.len());
    Picture { width: layout.size.0, height: layout.size.1, body, title }
}

/// A thread with its column.
struct Column {
    thread: usize,
    /// Its middle.
    x: f64,
    /// Width of its nodes.
    width: f64,
}

struct Layout<'a> {
    graph: &'a EventGraph,
    columns: Vec<Column>,
    /// Row of each event.
    rows: Vec<usize>,
    size: (f64, f64),
}

/// What a node says.
fn text(event: &GraphEvent) -> String {
    shortened(&event.text, TEXT)
}

fn number(event: &GraphEvent) -> String {
    if event.line == 0 { String::new() } else { format!(" {}", event.line) }
}

impl<'a> Layout<'a> {
    fn new(graph: &'a EventGraph) -> Layout<'a> {
        let mut columns: Vec<Column> = Vec::new();
        let mut x = MARGIN;
        for (thread, name) in graph.threads.iter().enumerate() {
            let own = graph.events.iter().filter(|event| event.thread == thread);
            let widths = own.map(|event| text_width(&text(event)) + text_width(&number(event)) + 20.0);
            let Some(width) = widths.reduce(f64::max) else { continue };
            let width = width.max(text_width(name) + 20.0);
            columns.push(Column { thread, x: x + width / 2.0, width });
            x += width + BETWEEN;
        }
        let rows = rows(graph);
        let depth = rows.iter().max().map_or(0, |row| row + 1) as f64;
        let legend = 2.0 * LINE + 20.0;
        let width = (x - BETWEEN + MARGIN).max(LEGEND);
        let height = 2.0 * MARGIN + HEADING + depth * ROW + legend;
        // Few columns stand in the middle of a wide legend.
        let shift = (width - (x - BETWEEN + MARGIN)) / 2.0;
        columns.iter_mut().for_each(|column| column.x += shift);
        Layout { graph, columns, rows, size: (width, height) }
    }

    fn column(&self, thread: usize) -> &Column {
        self.columns.iter().find(|column| column.thread == thread).expect("it has an event")
    }

    fn place(&self, event: usize) -> Point {
        let x = self.column(self.graph.events[event].thread).x;
        Point { x, y: MARGIN + HEADING + self.rows[event] as f64 * ROW + NODE / 2.0 }
    }

    fn columns(&self, out: &mut String) {
        let bottom = self.size.1 - MARGIN - 2.0 * LINE - 24.0;
        for column in &self.columns {
            let _ = writeln!(
                out,
                "<rect class=\"lane t{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"10\"/>\n\
                 <text class=\"name middle t{}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                column.thread % THREADS,
                column.x - column.width / 2.0 - 12.0,
                MARGIN - 12.0,
                column.width + 24.0,
                bottom - MARGIN + 12.0,
                column.thread % THREADS,
                column.x,
                MARGIN + 12.0,
                escaped(&self.graph.threads[column.thread])
            );
        }
    }

    fn event(&self, index: usize, out: &mut String) {
        let event = &self.graph.events[index];
        let (Point { x, y }, width) = (self.place(index), self.column(event.thread).width);
        let kind = match event.kind {
            EventKind::Read => "read",
            EventKind::Write => "write",
            EventKind::Update => "update",
            EventKind::Sync => "sync",
            EventKind::Violation => "error",
        };
        let cycle = self
            .graph
            .arrows
            .iter()
            .any(|arrow| arrow.in_cycle && (arrow.from == index || arrow.to == index));
        let cycle = if cycle { " cycle" } else { "" };
        let _ = writeln!(
            out,
            "<g class=\"event {kind}{cycle}\" data-told=\"{}\">\n\
             <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{NODE}\" rx=\"7\"/>\n\
             <text class=\"what\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n\
             <text class=\"where end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n</g>",
            event.told,
            x - width / 2.0,
            y - NODE / 2.0,
            x - width / 2.0 + 9.0,
            y + 4.5,
            escaped(&text(event)),
            x + width / 2.0 - 8.0,
            y + 4.5,
            number(event).trim()
        );
    }

    fn arrow(&self, arrow: &Arrow, labels: &mut Labels, out: &mut String) {
        let (from, to) = (self.place(arrow.from), self.place(arrow.to));
        let widths =
            [arrow.from, arrow.to].map(|event| self.column(self.graph.events[event].thread).width / 2.0);
        let short = arrow.relation.short();
        let cycle = if arrow.in_cycle { " cycle" } else { "" };
        let _ = writeln!(out, "<g class=\"arrow {short}{cycle}\">");
        if arrow.relation == Relation::Program {
            let (top, bottom) =
                (Point { y: from.y + NODE / 2.0, ..from }, Point { y: to.y - NODE / 2.0, ..to });
            let _ = writeln!(
                out,
                "<path class=\"edge\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                top.x, top.y, bottom.x, bottom.y
            );
            *out += &arrowhead(bottom, top, "head");
        } else {
            self.curve(arrow, (from, to), (widths, labels), out);
        }
        *out += "</g>\n";
    }

    /// A curve from the side of one node to the side of another, with the relation's name on it where no node
    /// and no other label is.
    fn curve(
        &self,
        arrow: &Arrow,
        (from, to): (Point, Point),
        (widths, labels): ([f64; 2], &mut Labels),
        out: &mut String,
    ) {
        // Arrows that leave or enter the same node on the same side keep apart.
        let lane = |relation: Relation| match relation {
            Relation::ReadFrom => -6.0,
            Relation::FromRead => 6.0,
            Relation::Program | Relation::Coherence | Relation::Synchronisation => 0.0,
        };
        let dy = lane(arrow.relation);
        let (start, end, [c, d]) = if (from.x - to.x).abs() < 1.0 {
            let (start, end) = (
                Point { x: from.x + widths[0], y: from.y + dy },
                Point { x: to.x + widths[1], y: to.y + dy },
            );
            (start, end, [Point { x: start.x + 40.0, y: start.y }, Point { x: end.x + 40.0, y: end.y }])
        } else {
            let side = (to.x - from.x).signum();
            let start = Point { x: from.x + side * widths[0], y: from.y + dy };
            let end = Point { x: to.x - side * widths[1], y: to.y + dy };
            let reach = ((end.x - start.x).abs() / 2.0).max(30.0);
            (
                start,
                end,
                [
                    Point { x: start.x + side * reach, y: start.y },
                    Point { x: end.x - side * reach, y: end.y },
                ],
            )
        };
        let _ = writeln!(
            out,
            "<path class=\"edge\" d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
            start.x, start.y, c.x, c.y, d.x, d.y, end.x, end.y
        );
        *out += &arrowhead(end, d, "head");
        // At different places, so that arrows side by side do not write over each other.
        let preferred: f64 = match arrow.relation {
            Relation::ReadFrom => 0.62,
            Relation::Coherence => 0.3,
            Relation::FromRead => 0.4,
            Relation::Program | Relation::Synchronisation => return,
        };
        let on_curve = |t: f64| Point {
            x: bezier([start.x, c.x, d.x, end.x], t),
            y: bezier([start.y, c.y, d.y, end.y], t) + 3.5,
        };
        let others = (1..20).map(|twentieth| f64::from(twentieth) / 20.0);
        let places: Vec<Point> = std::iter::once(preferred).chain(others).map(on_curve).collect();
        let free = places.iter().find(|place| self.is_free(**place, &labels.taken));
        let place = *free.unwrap_or(&places[0]);
        labels.taken.push(place);
        let cycle = if arrow.in_cycle { " cycle" } else { "" };
        let short = arrow.relation.short();
        let _ = writeln!(
            labels.out,
            "<g class=\"arrow {short}{cycle}\"><text class=\"label middle\" x=\"{:.1}\" y=\"{:.1}\">{short}</text></g>",
            place.x, place.y
        );
    }

    /// Whether a label in the middle of a place covers no other label and no node.
    fn is_free(&self, label: Point, labels: &[Point]) -> bool {
        let near = |other: &Point| (other.x - label.x).abs() < LABEL.0 && (other.y - label.y).abs() < LABEL.1;
        let covers = |event: usize| {
            let (node, width) = (self.place(event), self.column(self.graph.events[event].thread).width);
            (node.x - label.x).abs() < (width + LABEL.0) / 2.0
                && (node.y + 3.5 - label.y).abs() < (NODE + LABEL.1) / 2.0
        };
        !labels.iter().any(near) && !(0..self.graph.events.len()).any(covers)
    }

    fn legend(&self, out: &mut String) {
        let used =
            Relation::ALL.into_iter().filter(|&r| self.graph.arrows.iter().any(|arrow| arrow.relation == r));
        let top = self.size.1 - MARGIN - LINE;
        let mut x = MARGIN;
        let mut entry = |class: &str, text: &str, out: &mut String| {
            let y = top;
            let _ = writeln!(
                out,
                "<g class=\"arrow {class}\"><path class=\"edge\" d=\"M{x:.1} {y:.1}L{:.1} {y:.1}\"/>",
                x + 22.0
            );
            *out += &arrowhead(Point { x: x + 26.0, y }, Point { x, y }, "head");
            let _ = writeln!(
                out,
                "<text class=\"key\" x=\"{:.1}\" y=\"{:.1}\">{text}</text></g>",
                x + 32.0,
                y + 4.0
            );
            x += 32.0 + text.chars().count() as f64 * 6.4 + 18.0;
        };
        for relation in used {
            entry(relation.short(), legend(relation), out);
        }
        if self.graph.has_cycle() {
            let y = top + LINE + 4.0;
            let _ = writeln!(
                out,
                "<g class=\"arrow cycle\"><path class=\"edge\" d=\"M{MARGIN} {y:.1}L{:.1} {y:.1}\"/>\n\
                 <text class=\"key\" x=\"{:.1}\" y=\"{:.1}\">cycle: no sequentially consistent run can do this</text></g>",
                MARGIN + 26.0,
                MARGIN + 32.0,
                y + 4.0
            );
        }
    }
}

/// A point of a cubic curve.
fn bezier([a, b, c, d]: [f64; 4], t: f64) -> f64 {
    let s = 1.0 - t;
    a * s.powi(3) + 3.0 * b * s * s * t + 3.0 * c * s * t * t + d * t.powi(3)
}

fn legend(relation: Relation) -> &'static str {
    match relation {
        Relation::Program => "po program order",
        Relation::ReadFrom => "rf read from",
        Relation::Coherence => "co coherence",
        Relation::FromRead => "fr from-read",
        Relation::Synchronisation => "sync create, join, lock",
    }
}

/// Width that the legend needs.
const LEGEND: f64 = 760.0;

/// Number of colours for threads.
const THREADS: usize = 6;

/// An event stands below all that come before it, as far as these were executed earlier.
fn rows(graph: &EventGraph) -> Vec<usize> {
    let mut rows = vec![0; graph.events.len()];
    let mut arrows: Vec<&Arrow> = graph.arrows.iter().filter(|arrow| arrow.from < arrow.to).collect();
    arrows.sort_by_key(|arrow| arrow.from);
    for arrow in arrows {
        // From-read arrows may be level, as in papers.
        let below = usize::from(arrow.relation != Relation::FromRead);
        rows[arrow.to] = rows[arrow.to].max(rows[arrow.from] + below);
    }
    rows
}
