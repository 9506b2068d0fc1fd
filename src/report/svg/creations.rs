//! Which thread creates which, drawn as a tree from `main`.

use std::fmt::Write;

use super::automata::SMALL;
use super::layered::{self, Plan, PlanEdge, Point};
use super::{LINE, Picture, arrowhead, escaped, smooth, text_width};
use crate::program::Program;
use crate::report::dot;

/// Space inside a node, and round the picture.
const PADDING: f64 = 8.0;
const MARGIN: f64 = 18.0;

/// Which thread creates which.
pub fn creations(program: &Program) -> Picture {
    let names: Vec<&str> = program.threads.iter().map(|thread| thread.name.as_str()).collect();
    let created = dot::created(program);
    let sizes: Vec<(f64, f64)> =
        names.iter().map(|name| (text_width(name) + 3.0 * PADDING, LINE + 2.0 * PADDING)).collect();
    let label = |line: &u32| format!("line {line}");
    let edges = created.iter().map(|(creator, created, line)| PlanEdge {
        from: creator.index(),
        to: created.index(),
        label: (text_width(&label(line)) * SMALL, LINE * SMALL),
    });
    let drawing = layered::draw(&Plan { nodes: sizes.clone(), edges: edges.collect() });
    let mut body = format!("<g transform=\"translate({MARGIN} {MARGIN})\">\n");
    for ((_, _, line), route) in created.iter().zip(&drawing.edges) {
        let _ = writeln!(body, "<path class=\"edge\" d=\"{}\"/>", smooth(&route.points));
        let tip = route.points[route.points.len() - 1];
        body += &arrowhead(tip, Point { y: tip.y - 10.0, ..tip }, "head");
        let (x, y) = (route.label.x, route.label.y + 4.0);
        let _ = writeln!(body, "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", label(line));
    }
    for ((name, (width, height)), centre) in names.iter().zip(sizes).zip(&drawing.nodes) {
        let _ = writeln!(
            body,
            "<g class=\"node plain\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"7\"/>\n\
             <text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            centre.x - width / 2.0,
            centre.y - height / 2.0,
            centre.x,
            centre.y + 4.0,
            escaped(name)
        );
    }
    body += "</g>\n";
    let (width, height) = (drawing.size.0 + 2.0 * MARGIN, drawing.size.1 + 2.0 * MARGIN);
    Picture { width, height, body, title: "Threads and who creates them".to_owned() }
}
