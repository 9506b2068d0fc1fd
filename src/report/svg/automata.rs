//! Control-flow automata: one frame a thread, locations in layers, classes of a partition by colour and
//! number.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::layered::{self, Drawing, Plan, PlanEdge, Point, Route};
use super::{CHARACTER, LINE, Picture, arrowhead, escaped, shortened, smooth, text_width};
use crate::program::{Barrier, LocId, Mark, Program, ThreadId, TransId, Transition};

/// Which class each location belongs to.
pub type Classes = BTreeMap<LocId, usize>;

/// Characters of source text and of a label's line.
const TEXT: usize = 34;
const LABEL: usize = 40;

/// Lines of a label.
const LINES: usize = 4;

/// Space inside a node, and round a frame.
const PADDING: f64 = 8.0;
const MARGIN: f64 = 18.0;

/// Draws the automata of some threads.
pub fn automata(program: &Program, threads: &[ThreadId], classes: &Classes) -> Picture {
    let mut picture = Picture { width: MARGIN, height: 0.0, body: String::new(), title: String::new() };
    for &thread in threads {
        let frame = Frame::new(program, thread, classes);
        let origin = Point { x: picture.width, y: MARGIN };
        picture.body += &frame.svg(origin);
        picture.width += frame.width() + MARGIN;
        picture.height = picture.height.max(origin.y + frame.height() + MARGIN);
    }
    let names: Vec<&str> = threads.iter().map(|&thread| program.thread(thread).name.as_str()).collect();
    picture.title = format!("Control-flow automata of {}", names.join(", "));
    picture
}

/// For each verified thread the automata of the others, coloured by the classes of their locations, one view
/// below the other; the plain automata of the threads if there are no classes.
pub fn partitioned(program: &Program, threads: &[ThreadId], views: &[(ThreadId, Classes)]) -> Picture {
    if views.is_empty() {
        return automata(program, threads, &Classes::new());
    }
    let mut picture = Picture { width: 0.0, height: 0.0, body: String::new(), title: String::new() };
    for (observed, classes) in views {
        let others: Vec<ThreadId> = threads.iter().copied().filter(|thread| thread != observed).collect();
        let view = automata(program, &others, classes);
        let name = &program.thread(*observed).name;
        let _ = writeln!(
            picture.body,
            "<text class=\"name\" x=\"{MARGIN}\" y=\"{:.1}\">seen from {}: {} classes</text>\n\
             <g transform=\"translate(0 {:.1})\">\n{}</g>",
            picture.height + 30.0,
            escaped(name),
            count(program, classes),
            picture.height + 28.0,
            view.body
        );
        picture.width = picture.width.max(view.width);
        picture.height += view.height + 28.0;
    }
    picture.title = "Partition of the control locations".to_owned();
    picture
}

/// Number of classes; those of different threads differ.
fn count(program: &Program, classes: &Classes) -> usize {
    let different: BTreeSet<(ThreadId, usize)> =
        classes.iter().map(|(&location, &class)| (program.location(location).thread, class)).collect();
    different.len()
}

/// One thread.
struct Frame<'a> {
    program: &'a Program,
    name: &'a str,
    nodes: Vec<Node>,
    sizes: Vec<(f64, f64)>,
    edges: Vec<Bundle>,
    drawing: Drawing,
}

/// A location.
struct Node {
    id: LocId,
    lines: Vec<String>,
    kind: &'static str,
    class: Option<usize>,
}

impl<'a> Frame<'a> {
    fn new(program: &'a Program, thread: ThreadId, classes: &Classes) -> Frame<'a> {
        let entry = program.thread(thread).entry;
        let others =
            program.location_ids().filter(|&id| program.location(id).thread == thread && id != entry);
        let locations: Vec<LocId> = std::iter::once(entry).chain(others).collect();
        let positions: BTreeMap<LocId, usize> =
            locations.iter().enumerate().map(|(i, &id)| (id, i)).collect();
        let nodes: Vec<Node> =
            locations.iter().map(|&id| Node::new(program, id, classes.get(&id).copied())).collect();
        let sizes: Vec<(f64, f64)> = nodes.iter().map(Node::size).collect();
        let edges = bundles(program, &locations);
        let plan = Plan {
            nodes: sizes.clone(),
            edges: edges
                .iter()
                .map(|bundle| {
                    let width = bundle.lines.iter().map(|line| text_width(line) * SMALL).fold(0.0, f64::max);
                    let (from, to) = (positions[&bundle.from], positions[&bundle.to]);
                    PlanEdge { from, to, label: (width, bundle.lines.len() as f64 * LINE * SMALL) }
                })
                .collect(),
        };
        let drawing = layered::draw(&plan);
        Frame { program, name: &program.thread(thread).name, nodes, sizes, edges, drawing }
    }

    fn width(&self) -> f64 {
        self.drawing.size.0.max(text_width(self.name)) + 2.0 * MARGIN
    }

    fn height(&self) -> f64 {
        self.drawing.size.1 + 2.0 * MARGIN + 44.0
    }

    fn svg(&self, origin: Point) -> String {
        let mut out = format!(
            "<g transform=\"translate({:.1} {:.1})\">\n<rect class=\"frame\" width=\"{:.1}\" height=\"{:.1}\" rx=\"10\"/>\n\
             <text class=\"name\" x=\"{MARGIN}\" y=\"26\">{}</text>\n<g transform=\"translate({MARGIN} {:.1})\">\n",
            origin.x,
            origin.y,
            self.width(),
            self.height(),
            escaped(self.name),
            MARGIN + 44.0 - 8.0,
        );
        self.entry(&mut out);
        for (bundle, route) in self.edges.iter().zip(&self.drawing.edges) {
            self.edge(bundle, route, &mut out);
        }
        for ((node, &size), &centre) in self.nodes.iter().zip(&self.sizes).zip(&self.drawing.nodes) {
            out += &node.svg(size, centre);
        }
        out + "</g>\n</g>\n"
    }

    /// The arrow to where the thread begins.
    fn entry(&self, out: &mut String) {
        let top = Point { x: self.drawing.nodes[0].x, y: self.drawing.nodes[0].y - self.sizes[0].1 / 2.0 };
        let above = Point { y: top.y - 16.0, ..top };
        let _ = writeln!(out, "<path class=\"edge\" d=\"{}\"/>", smooth(&[above, top]));
        *out += &arrowhead(top, above, "head");
    }

    fn edge(&self, bundle: &Bundle, route: &Route, out: &mut String) {
        let points = &route.points;
        let texts =
            bundle.transitions.iter().map(|&id| self.program.transition_text(self.program.transition(id)));
        let _ = writeln!(
            out,
            "<g class=\"step\" data-from=\"{}\" data-to=\"{}\" data-count=\"{}\"><title>{}</title>",
            bundle.from.index(),
            bundle.to.index(),
            bundle.transitions.len(),
            escaped(&texts.collect::<Vec<_>>().join("\n"))
        );
        let tip = points[points.len() - 1];
        let before = points[points.len() - 2];
        // Loops enter nodes from the side, other lines vertically.
        let (path, from) = match bundle.from == bundle.to {
            true => (rounded(points), before),
            false => (smooth(points), Point { x: tip.x, y: before.y }),
        };
        let _ = writeln!(out, "<path class=\"edge\" d=\"{path}\"/>");
        *out += &arrowhead(tip, from, "head");
        let top = route.label.y - (bundle.lines.len() as f64 - 1.0) / 2.0 * LINE * SMALL + 4.0;
        for (i, line) in bundle.lines.iter().enumerate() {
            let (x, y) = (route.label.x, top + i as f64 * LINE * SMALL);
            let _ = writeln!(out, "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line));
        }
        *out += "</g>\n";
    }
}

/// The transitions from one location to another, drawn as one arrow.
struct Bundle {
    from: LocId,
    to: LocId,
    transitions: Vec<TransId>,
    /// Its label.
    lines: Vec<String>,
}

fn bundles(program: &Program, locations: &[LocId]) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    for &id in locations.iter().flat_map(|&location| program.outgoing(location)) {
        let transition = program.transition(id);
        for to in transition.destinations() {
            let from = transition.from;
            match bundles.iter_mut().rfind(|bundle| (bundle.from, bundle.to) == (from, to)) {
                Some(bundle) => bundle.transitions.push(id),
                None => bundles.push(Bundle { from, to, transitions: vec![id], lines: Vec::new() }),
            }
        }
    }
    for bundle in &mut bundles {
        let to = bundle.to;
        let labels = bundle.transitions.iter().map(|&id| match program.transition(id) {
            transition if transition.to == to => label(program, transition),
            _ => vec!["misuse".to_owned()],
        });
        let lines: Vec<String> = match bundle.transitions.len() {
            1 => labels.flatten().collect(),
            _ => labels.map(|lines| lines.join("  ")).collect(),
        };
        let more = lines.len().saturating_sub(LINES);
        bundle.lines = lines.iter().take(LINES).map(|line| shortened(line, LABEL)).collect();
        if more > 0 {
            bundle.lines[LINES - 1] = format!("… {} more", more + 1);
        }
    }
    bundles
}

/// Labels are written smaller than nodes.
pub(super) const SMALL: f64 = 0.84;

/// A loop: three sides of a rounded rectangle.
fn rounded(points: &[Point]) -> String {
    let [a, b, c, d] = [points[0], points[1], points[2], points[3]];
    format!(
        "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        a.x,
        a.y,
        b.x,
        b.y - 6.0,
        c.x,
        c.y + 6.0,
        d.x,
        d.y
    )
}

impl Node {
    fn new(program: &Program, id: LocId, class: Option<usize>) -> Node {
        let location = program.location(id);
        let mut first = format!("L{}", id.index());
        let mut lines = Vec::new();
        if location.span.is_some() {
            let _ = write!(first, " line {}", location.span.line);
        }
        let kind = match &location.mark {
            Some(Mark::Error(assertion)) => {
                lines.push(format!("violated: {}", program.assertions[assertion.index()].text));
                "error"
            }
            Some(Mark::Undefined(what) | Mark::Cut(what)) => {
                lines.push(what.clone());
                "undefined"
            }
            Some(Mark::End) => "final",
            None if location.atomic => "atomic",
            None => "plain",
        };
        if lines.is_empty()
            && let Some(text) = program.sources.line(location.span.file, location.span.line)
        {
            lines.push(text.trim().to_owned());
        }
        let mut lines: Vec<String> = lines.iter().map(|line| shortened(line, TEXT)).collect();
        lines.insert(0, first);
        Node { id, lines, kind, class }
    }

    fn size(&self) -> (f64, f64) {
        let chip = 3.0 * CHARACTER;
        let width =
            self.lines.iter().enumerate().map(|(i, line)| text_width(line) + if i == 0 { chip } else { 0.0 });
        (width.fold(60.0, f64::max) + 2.0 * PADDING, self.lines.len() as f64 * LINE + 1.5 * PADDING)
    }

    fn svg(&self, (width, height): (f64, f64), centre: Point) -> String {
        let (x, y) = (centre.x - width / 2.0, centre.y - height / 2.0);
        let class = self.class.map(|class| format!(" k{}", class % PALETTE)).unwrap_or_default();
        let mut out = format!(
            "<g class=\"node {}{class}\" data-location=\"{}\">\n\
             <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"7\"/>\n",
            self.kind,
            self.id.index(),
        );
        for (i, line) in self.lines.iter().enumerate() {
            let style = if i == 0 { "where" } else { "what" };
            let y = y + PADDING + 10.0 + i as f64 * LINE;
            let _ = writeln!(
                out,
                "<text class=\"{style}\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
                x + PADDING,
                escaped(line)
            );
        }
        let number = self.class.map(|class| class.to_string()).unwrap_or_default();
        let _ = writeln!(
            out,
            "<text class=\"class\" x=\"{:.1}\" y=\"{:.1}\">{number}</text>\n</g>",
            x + width - PADDING,
            y + PADDING + 10.0
        );
        out
    }
}

/// Number of colours for classes.
pub(super) const PALETTE: usize = 12;

/// What a transition asks and does.
fn label(program: &Program, transition: &Transition) -> Vec<String> {
    let mut lines = Vec::new();
    if program.terms.as_bool(transition.guard) != Some(true) {
        lines.push(format!("[{}]", program.terms.display(transition.guard)));
    }
    for update in &transition.updates {
        lines.push(format!(
            "{} := {}",
            program.place_text(update.place),
            program.terms.display(update.value)
        ));
    }
    match transition.barrier {
        Barrier::None => {}
        Barrier::StoreStore => lines.push("store-store barrier".to_owned()),
        Barrier::Full => lines.push("full barrier".to_owned()),
    }
    lines
}
