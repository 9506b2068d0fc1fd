//! The page of a violation: source, the run in one column a thread, the state after each step, the event
//! order graph.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::bar::{Sign, button, keys};
use super::page::Part;
use super::source::{self, Notes, Used};
use crate::program::{FileId, MemoryModel, Program};
use crate::report::events::EventGraph;
use crate::report::svg::{self, escaped};
use crate::report::words::{Words, without_comment};
use crate::report::{Counterexample, Deed, Line, Round, SourcePlace, ValueSource};

/// Number of colours for threads.
const THREADS: usize = 6;

/// The part of the page that shows a run.
pub fn violation(program: &Program, told: &Counterexample, graph: &EventGraph) -> Part {
    let page = Violation { program, told, words: Words::new(told), used: used(program, told) };
    let mut body = bar(told);
    let _ = writeln!(
        body,
        "<div class=\"panes\">\n<section class=\"pane source\" aria-label=\"Source\" tabindex=\"0\">\n{}</section>",
        source::listings(&program.sources, &page.used, &Notes::new())
    );
    body += &page.run();
    body += &page.state();
    body += "</div>\n";
    body += &page.graph(graph);
    Part { body, data: page.data() }
}

/// The lines that the run visits.
fn used(program: &Program, told: &Counterexample) -> Used {
    let mut used = Used::new();
    let places = told.lines.iter().filter_map(|line| line.place.as_ref()).chain(&told.violated.place);
    for place in places {
        if let Some(file) = file_of(program, place) {
            used.entry(file).or_default().insert(place.line);
        }
    }
    used
}

fn file_of(program: &Program, place: &SourcePlace) -> Option<FileId> {
    program.sources.files().find(|(_, name)| *name == place.file).map(|(id, _)| id)
}

/// The buttons.
fn bar(told: &Counterexample) -> String {
    format!(
        "<div class=\"bar\" role=\"toolbar\" aria-label=\"Steps of the run\">\n{}{}{}{}\n\
         <input id=\"at\" type=\"range\" min=\"0\" max=\"{}\" value=\"0\" aria-label=\"Step\">\n\
         <output id=\"count\" for=\"at\"></output>\n{}</div>\n",
        button("id=\"first\"", "To the beginning", "Home", Sign::First),
        button("id=\"back\"", "One step back", "k", Sign::Back),
        button("id=\"forth\"", "One step on", "j", Sign::Forth),
        button("id=\"last\"", "To the violation", "End", Sign::Last),
        told.lines.len(),
        keys("step"),
    )
}

struct Violation<'a> {
    program: &'a Program,
    told: &'a Counterexample,
    words: Words<'a>,
    used: Used,
}

impl Violation<'_> {
    /// The threads that do something, in order.
    fn columns(&self) -> Vec<usize> {
        let threads: BTreeSet<usize> = self.told.lines.iter().map(|line| line.thread).collect();
        threads.into_iter().collect()
    }

    fn run(&self) -> String {
        let columns = self.columns();
        let mut out = format!(
            "<section class=\"pane run\" aria-label=\"Run\" tabindex=\"0\">\n<div class=\"threads{}\" style=\"--columns:{}\">\n",
            if columns.len() == 1 { " single" } else { "" },
            columns.len()
        );
        for (column, &thread) in columns.iter().enumerate() {
            let _ = writeln!(
                out,
                "<h2 class=\"thread t{}\" style=\"--column:{}\">{}</h2>",
                thread % THREADS,
                column + 1,
                escaped(self.words.name(thread))
            );
        }
        let mut row = 1;
        for (index, line) in self.told.lines.iter().enumerate() {
            if let Some(round) = &line.round {
                row += 1;
                self.round(round, row, &mut out);
            }
            row += 1;
            let column = columns.iter().position(|&thread| thread == line.thread).unwrap_or(0);
            self.step(index, line, (column + 1, row), &mut out);
        }
        out + "</div>\n</section>\n"
    }

    /// A moment that begins, across all lanes, and who goes on.
    fn round(&self, round: &Round, row: usize, out: &mut String) {
        let class = if round.begins { "moment begins" } else { "moment" };
        let _ = write!(out, "<div class=\"{class}\" style=\"--row:{row}\">");
        if round.begins {
            let _ = write!(out, "<b>{}</b>", escaped(&round.moment));
        }
        for sentence in self.words.woken(round) {
            let _ = write!(out, "<span>{}</span>", escaped(&sentence));
        }
        *out += "</div>\n";
    }

    fn step(&self, index: usize, line: &Line, (column, row): (usize, usize), out: &mut String) {
        let violation = line.deeds.contains(&Deed::Assert { held: false });
        let flush = line.place.is_none();
        let kind = [(violation, " violation"), (flush, " flush")];
        let kind: String = kind.into_iter().filter(|(is, _)| *is).map(|(_, class)| class).collect();
        let _ = write!(
            out,
            "<button class=\"step t{}{kind}\" style=\"--column:{column};--row:{}\" data-step=\"{}\">\
             <span class=\"head\"><span class=\"name\">{}</span>",
            line.thread % THREADS,
            row,
            index + 1,
            escaped(self.words.name(line.thread))
        );
        match &line.place {
            Some(place) => {
                let _ = write!(
                    out,
                    "<span class=\"no\">{}</span></span><code>{}</code>",
                    escaped(&self.words.number(place)),
                    escaped(if place.text.is_empty() {
                        "(source not available)"
                    } else {
                        without_comment(&place.text)
                    })
                );
            }
            None => *out += "<span class=\"no\">flush</span></span>",
        }
        let sentences =
            line.deeds.iter().filter_map(|deed| self.words.deed(line, deed).map(|text| (deed, text)));
        for (deed, text) in sentences {
            let class = match deed {
                Deed::Assert { held: false } => " bad",
                Deed::Flush { .. } | Deed::Wake { .. } | Deed::Wait { .. } => " flushed",
                _ => "",
            };
            let _ = write!(out, "<span class=\"deed{class}\">{}</span>", escaped(&text));
        }
        *out += "</button>\n";
    }

    /// Everything that can be in the state has its row, so that nothing moves when values change.
    fn state(&self) -> String {
        let mut out = String::from("<section class=\"pane state\" aria-label=\"State\" tabindex=\"0\">\n");
        let shared = self.told.watched.iter().enumerate().filter(|(_, watched)| watched.owner.is_none());
        out += &self.table(
            "Memory",
            "shared by all threads",
            shared.map(|(i, watched)| (i, watched.name.clone())),
        );
        out += &self.schedule();
        let buffered = self.told.lines.iter().flat_map(|line| &line.after.buffered);
        let buffering: BTreeSet<usize> = buffered.map(|write| write.thread).collect();
        if !buffering.is_empty() {
            out += "<h2>Store buffers <small>oldest first</small></h2>\n";
            for thread in buffering {
                let _ = writeln!(
                    out,
                    "<div class=\"buffer t{}\" data-thread=\"{thread}\"><h3>{}</h3><ol></ol></div>",
                    thread % THREADS,
                    escaped(self.words.name(thread))
                );
            }
        }
        let locks = self.locks();
        if !locks.is_empty() {
            out += "<h2>Locks</h2>\n<table class=\"locks\">\n";
            for lock in &locks {
                let _ = writeln!(out, "<tr data-lock><th scope=\"row\">{}</th><td></td></tr>", escaped(lock));
            }
            out += "</table>\n";
        }
        for thread in self.columns() {
            let own =
                self.told.watched.iter().enumerate().filter(|(_, watched)| watched.owner == Some(thread));
            let prefix = |name: &str| {
                name.split_once("::").map_or_else(|| name.to_owned(), |(_, rest)| rest.to_owned())
            };
            let own: Vec<(usize, String)> = own.map(|(i, watched)| (i, prefix(&watched.name))).collect();
            if !own.is_empty() {
                out += &self.table(self.words.name(thread), "private", own.into_iter());
            }
        }
        out + "</section>\n"
    }

    /// In a cooperative program: when it is, and what each thread does.
    fn schedule(&self) -> String {
        let Some(policy) = self.told.policy else { return String::new() };
        let mut out =
            format!("<h2>Turns <small>{}</small></h2>\n<table class=\"turns\">\n", escaped(policy.name()));
        out += "<tr id=\"moment\"><th scope=\"row\">now</th><td></td></tr>\n";
        for (thread, name) in self.told.threads.iter().enumerate() {
            let (class, name) = (thread % THREADS, escaped(name));
            let _ = writeln!(
                out,
                "<tr class=\"t{class}\" data-turn=\"{thread}\"><th scope=\"row\">{name}</th><td></td></tr>"
            );
        }
        out + "</table>\n"
    }

    fn table(&self, title: &str, remark: &str, rows: impl Iterator<Item = (usize, String)>) -> String {
        let mut out =
            format!("<h2>{} <small>{remark}</small></h2>\n<table class=\"values\">\n", escaped(title));
        for (index, name) in rows {
            let _ = writeln!(
                out,
                "<tr data-watched=\"{index}\"><th scope=\"row\">{}</th><td></td></tr>",
                escaped(&name)
            );
        }
        out + "</table>\n"
    }

    /// The locks that are ever held.
    fn locks(&self) -> Vec<&str> {
        let held = self.told.lines.iter().flat_map(|line| &line.after.locks);
        let names: BTreeSet<&str> = held.map(|held| held.name.as_str()).collect();
        names.into_iter().collect()
    }

    fn graph(&self, graph: &EventGraph) -> String {
        let explained = match (graph.has_cycle(), self.told.model) {
            (true, _) => {
                "The red cycle is why this run needs a store buffer: if every write reached memory at once, each of its events would \
                 have to come before itself."
            }
            (false, MemoryModel::Sc) => "What each thread did to shared memory, and what had to come first.",
            (false, _) => {
                "What each thread did to shared memory, and what had to come first. There is no cycle: the run is possible without \
                 store buffers too."
            }
        };
        let scroll = |graph: &EventGraph| {
            format!("<div class=\"scroll\" tabindex=\"0\">\n{}</div>\n", svg::event_graph(graph).element())
        };
        let drawn = match graph.folded() {
            None => scroll(graph),
            Some(folded) => format!(
                "<p>Locks, fences, creation and joining are left out, and threads that do nothing else: \
                 {} of {} events are shown.</p>\n{}<details class=\"whole\"><summary>The whole graph</summary>\n{}</details>\n",
                folded.events.len(),
                graph.events.len(),
                scroll(&folded),
                scroll(graph)
            ),
        };
        format!(
            "<section class=\"graph\" aria-labelledby=\"graph\">\n<h2 id=\"graph\">Event order graph</h2>\n<p>{explained}</p>\n\
             {drawn}</section>\n"
        )
    }

    fn data(&self) -> Value {
        let locks = self.locks();
        let watched: Vec<&str> = self.told.watched.iter().map(|watched| watched.initial.as_str()).collect();
        json!({
            "kind": "run",
            "threads": self.told.threads,
            "initial": watched,
            "locks": locks,
            "steps": self.told.lines.iter().map(|line| self.step_data(line, &locks)).collect::<Vec<_>>(),
        })
    }

    fn step_data(&self, line: &Line, locks: &[&str]) -> Value {
        let at = |place: &SourcePlace| json!([file_of(self.program, place).map(|file| file.0), place.line]);
        let owners = line.after.locks.iter().map(|held| {
            let lock = locks.iter().position(|name| *name == held.name);
            json!([lock, held.threads])
        });
        let buffered = line.after.buffered.iter().map(|write| {
            json!([write.thread, write.name, write.value, write.place.as_ref().map(|place| place.line)])
        });
        let turns = line.after.situation.as_ref();
        json!({
            "moment": turns.map(|turns| &turns.moment),
            "turns": turns.map(|turns| &turns.threads),
            "thread": line.thread,
            "at": line.place.as_ref().map(at),
            "from": sources(line).into_iter().map(at).collect::<Vec<_>>(),
            "changes": line.after.changes,
            "locks": owners.collect::<Vec<_>>(),
            "buffers": buffered.collect::<Vec<_>>(),
        })
    }
}

/// Where the values that a line reads were written; for a write that reaches memory, where that was.
fn sources(line: &Line) -> Vec<&SourcePlace> {
    let places = line.deeds.iter().filter_map(|deed| match deed {
        Deed::Read { source, .. } | Deed::Update { source, .. } => match source {
            ValueSource::Write { place, .. } | ValueSource::Buffer { place } => place.as_ref(),
            ValueSource::Initial | ValueSource::Uninitialised => None,
        },
        Deed::Flush { written, .. } => written.as_ref(),
        _ => None,
    });
    places.collect()
}
