//! Pictures as SVG, laid out by ourselves: control-flow automata in layers, event order graphs in columns,
//! unfoldings in rows.
//!
//! A picture stands alone, with its own style for light and dark surroundings, or inside a page that brings
//! the style ([`STYLE`]). The same data always gives the same picture.

mod automata;
mod columns;
mod creations;
mod events;
pub mod layered;
mod order;
mod unfolding;

use std::fmt::Write;

pub use automata::{Classes, automata, partitioned};
pub use creations::creations;
pub use events::event_graph;
use layered::Point;
pub use unfolding::unfolding;

/// The style sheet of all pictures.
pub const STYLE: &str = include_str!("picture.css");

/// Width of a character and height of a line of the text in pictures.
const CHARACTER: f64 = 7.3;
const LINE: f64 = 16.0;

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    width: f64,
    height: f64,
    /// The elements.
    body: String,
    /// What it shows, for who cannot see it.
    title: String,
}

impl Picture {
    /// A file of its own.
    pub fn document(&self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n<style>\n{STYLE}</style>\n\
             <rect class=\"ground\" x=\"0\" y=\"0\" width=\"100%\" height=\"100%\"/>\n{}</svg>\n",
            self.head(),
            self.body
        )
    }

    /// An element of a page.
    pub fn element(&self) -> String {
        format!("{}\n{}</svg>\n", self.head(), self.body)
    }

    fn head(&self) -> String {
        let (width, height) = (self.width.ceil(), self.height.ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<title>{}</title>",
            escaped(&self.title)
        )
    }
}

/// Text that is safe in XML and HTML, in elements and in attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\t' => out.push(' '),
            '\n' => out.push('\n'),
            // Control characters are not allowed in XML.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The text, cut where it does not fit so many characters.
fn shortened(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let kept: String = text.chars().take(length.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// How wide a text is, roughly.
fn text_width(text: &str) -> f64 {
    let columns: usize =
        text.chars().map(|c| if ('\u{1100}'..'\u{fffd}').contains(&c) && c != '→' { 2 } else { 1 }).sum();
    columns as f64 * CHARACTER
}

/// A smooth line through points, entering and leaving each one vertically.
fn smooth(points: &[Point]) -> String {
    let mut path = format!("M{:.1} {:.1}", points[0].x, points[0].y);
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if (a.x - b.x).abs() < 0.5 {
            let _ = write!(path, "L{:.1} {:.1}", b.x, b.y);
        } else {
            let middle = f64::midpoint(a.y, b.y);
            let _ = write!(path, "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}", a.x, b.x, b.x, b.y);
        }
    }
    path
}

/// An arrowhead with its tip at a point, coming from a direction.
fn arrowhead(tip: Point, from: Point, class: &str) -> String {
    let (dx, dy) = (tip.x - from.x, tip.y - from.y);
    let length = dx.hypot(dy).max(1e-6);
    let (ux, uy) = (dx / length, dy / length);
    let (bx, by) = (tip.x - 8.0 * ux, tip.y - 8.0 * uy);
    format!(
        "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>\n",
        tip.x,
        tip.y,
        bx - 3.6 * uy,
        by + 3.6 * ux,
        bx + 3.6 * uy,
        by - 3.6 * ux
    )
}
