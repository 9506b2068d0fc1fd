//! The event order graph as text: the events of each thread, what comes before what, and the cycle.

use std::fmt::Write;

use super::{EventGraph, Relation};

impl EventGraph {
    /// The graph as text, ending in a line feed.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (thread, name) in self.threads.iter().enumerate() {
            let own: Vec<usize> =
                (0..self.events.len()).filter(|&e| self.events[e].thread == thread).collect();
            if own.is_empty() {
                continue;
            }
            let _ = writeln!(out, "thread {name}");
            for event in own {
                let place = match self.events[event].line {
                    0 => String::new(),
                    line => format!("  line {line}"),
                };
                let _ = writeln!(out, "  e{event} {}{place}", self.events[event].text);
            }
        }
        let derived = self.arrows.iter().filter(|arrow| arrow.relation != Relation::Program);
        let mut title = Some("orders between threads\n");
        for arrow in derived {
            out += title.take().unwrap_or_default();
            let _ = writeln!(out, "  e{} {} e{}", arrow.from, arrow.relation.short(), arrow.to);
        }
        if self.has_cycle() {
            let _ = writeln!(
                out,
                "cycle, so that no sequentially consistent run can do this\n  {}",
                self.cycle_text()
            );
        }
        out
    }

    /// `e1 po e2 fr e5 po e6 fr e1`.
    fn cycle_text(&self) -> String {
        let mut arrows: Vec<_> = self.arrows.iter().filter(|arrow| arrow.in_cycle).collect();
        let mut at = arrows.first().map_or(0, |arrow| arrow.from);
        let mut text = format!("e{at}");
        while let Some(next) = arrows.iter().position(|arrow| arrow.from == at) {
            let arrow = arrows.remove(next);
            at = arrow.to;
            let _ = write!(text, " {} e{at}", arrow.relation.short());
        }
        text
    }
}
