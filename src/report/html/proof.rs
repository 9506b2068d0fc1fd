//! The page of a proof, or of an attempt: the source with what holds at each line, the partition with the
//! rounds that led to it, or the unfolding.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Value, json};

use super::bar::{Sign, button, keys};
use super::page::Part;
use super::source::{self, Notes};
use super::{turns, unfolded};
use crate::engine::cegar::{Cause, History, Report, Round, Spurious};
use crate::program::{FileId, LocId, Program, ThreadId};
use crate::proof::{Forest, Invariant, Unfolding};
use crate::report::facts::{self, Case, PlaceFacts, ViewFacts};
use crate::report::svg::{self, Classes, escaped};

/// Spurious paths shown a round; the others are of the same kind.
const PATHS: usize = 6;

/// Number of colours for classes.
const PALETTE: usize = 12;

/// What there is to show of a run without a violation.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// The program that the engine saw.
    pub program: &'a Program,
    /// The invariant, if it was proved by one.
    pub invariant: Option<&'a Invariant>,
    /// The unfolding, if it was proved by one.
    pub unfolding: Option<&'a Unfolding>,
    /// The forest, if it was proved by one.
    pub forest: Option<&'a Forest>,
    /// The rounds of the engine `cegar`, if that worked on it.
    pub report: Option<&'a Report>,
}

/// The part of the page that shows a proof, or how far it came.
pub fn proof(proof: &Proof<'_>) -> Part {
    let program = proof.program;
    let facts = proof.invariant.map_or_else(Vec::new, |invariant| facts::facts(program, invariant));
    let mut notes = notes(program, &facts);
    if let Some(unfolding) = proof.unfolding {
        unfolded::notes(program, unfolding, &mut notes);
    }
    if let Some(forest) = proof.forest {
        turns::notes(program, forest, &mut notes);
    }
    let listings = source::listings(&program.sources, &source::used(program), &notes);
    let (title, explained) = match (notes.is_empty(), proof.unfolding, proof.forest) {
        (true, ..) => ("Source", ""),
        (false, None, Some(_)) => ("Source with invariants", turns::EXPLAINED),
        (false, None, None) => (
            "Source with invariants",
            "<p>Below a line: what holds whenever the named thread is about to execute it, whatever the other threads have done. \
             Open a note to see what holds in addition, depending on the classes of locations that the others are in.</p>\n",
        ),
        (false, Some(_), _) => ("Source with labels", unfolded::EXPLAINED),
    };
    let mut body = format!(
        "<section class=\"annotated\" aria-labelledby=\"source\">\n<h2 id=\"source\">{title}</h2>\n{explained}{listings}</section>\n"
    );
    let histories: &[History] = proof.report.map_or(&[], |report| &report.views);
    let mut views = Vec::new();
    if !histories.is_empty() {
        let shown: Vec<View<'_>> = histories.iter().map(|history| View { program, history }).collect();
        body += &partition(&shown);
        views = shown.iter().map(View::data).collect();
    } else {
        let threads: Vec<ThreadId> = program.thread_ids().collect();
        let _ = writeln!(
            body,
            "<section class=\"graph\" aria-labelledby=\"automata\">\n<h2 id=\"automata\">Control-flow automata</h2>\n\
             <p>The threads as the engine saw them, after steps that cannot matter were removed.</p>\n\
             <div class=\"scroll\" tabindex=\"0\">\n{}</div>\n</section>",
            svg::automata(program, &threads, &Classes::new()).element()
        );
    }
    if let Some(unfolding) = proof.unfolding {
        body += &unfolded::section(program, unfolding);
    }
    Part { body, data: json!({ "kind": "proof", "views": views }) }
}

/// What holds before each line.
fn notes(program: &Program, views: &[ViewFacts]) -> Notes {
    let mut told: BTreeMap<(FileId, u32), Vec<Note<'_>>> = BTreeMap::new();
    for view in views {
        for place in &view.places {
            let span = program.location(place.location).span;
            if !span.is_some() {
                continue;
            }
            let (facts, here) =
                (local(program, view.observed, place), told.entry((span.file, span.line)).or_default());
            let alike = |note: &&mut Note<'_>| note.facts == facts && !note.threads.contains(&view.observed);
            match here.iter_mut().find(alike) {
                Some(note) => note.threads.push(view.observed),
                None => here.push(Note { threads: vec![view.observed], place, facts }),
            }
        }
    }
    let mut notes = Notes::new();
    for (line, here) in told {
        let text = here.iter().map(|told| note(program, &told.threads, told.place));
        notes.insert(line, text.collect());
    }
    notes
}

/// What is said at a line of threads for which the same holds there.
struct Note<'a> {
    threads: Vec<ThreadId>,
    place: &'a PlaceFacts,
    facts: LocalFacts,
}

/// What holds at a place as its thread says it: facts in any case, and for each number of the others in each
/// class. Threads that run the same code say the same.
type LocalFacts = (Vec<String>, BTreeSet<(Vec<usize>, Vec<String>)>);

fn local(program: &Program, thread: ThreadId, place: &PlaceFacts) -> LocalFacts {
    let own = format!("{}::", program.thread(thread).name);
    let texts = |facts: &[String]| {
        let mut texts: Vec<String> = facts.iter().map(|fact| fact.replace(&own, "")).collect();
        texts.sort();
        texts
    };
    let case = |case: &Case| {
        let mut classes: Vec<usize> = case.classes.iter().map(|(_, class)| *class).collect();
        classes.sort_unstable();
        (classes, texts(&case.facts))
    };
    (texts(&place.always), place.cases.iter().map(case).collect())
}

fn note(program: &Program, threads: &[ThreadId], place: &PlaceFacts) -> String {
    let names: Vec<String> = threads.iter().map(|&thread| escaped(&program.thread(thread).name)).collect();
    let name = names.join(", ");
    let alike = if threads.len() > 1 { ", alike" } else { "" };
    let mut out = format!(
        "<details class=\"note\"><summary><b>{name}</b>{alike} <span class=\"where\">L{}</span> {}</summary>\n<ul>\n",
        place.location.index(),
        conditions(&place.always, "nothing in every case")
    );
    for case in &place.cases {
        let _ = writeln!(out, "<li>{}</li>", case_text(program, case));
    }
    out + "</ul></details>\n"
}

pub(super) fn conditions(facts: &[String], none: &str) -> String {
    match facts.is_empty() {
        true => format!("<i>{none}</i>"),
        false => {
            facts.iter().map(|fact| format!("<code>{}</code>", escaped(fact))).collect::<Vec<_>>().join(" ")
        }
    }
}

fn case_text(program: &Program, case: &Case) -> String {
    let classes = case
        .classes
        .iter()
        .map(|&(thread, class)| format!("{} in {}", escaped(&program.thread(thread).name), chip(class)));
    let classes: Vec<String> = classes.collect();
    let states =
        if case.states == 1 { String::new() } else { format!(" <small>{} states</small>", case.states) };
    match classes.is_empty() {
        true => format!("{}{states}", conditions(&case.facts, "nothing more")),
        false => format!("{}: {}{states}", classes.join(", "), conditions(&case.facts, "nothing more")),
    }
}

fn chip(class: usize) -> String {
    format!("<span class=\"chip k{}\">{class}</span>", class % PALETTE)
}

fn partition(views: &[View<'_>]) -> String {
    let mut out = String::from(
        "<section class=\"partition\" aria-labelledby=\"partition\">\n<h2 id=\"partition\">Partition of the locations</h2>\n\
         <p>Each thread is verified on its own. Of the others only the class of their location is known; a colour is a class. \
         Every round learns from paths that no run can follow, and finds the smallest partition, or new predicates, that exclude them.</p>\n",
    );
    if views.len() > 1 {
        out += "<div class=\"tabs\" role=\"tablist\" aria-label=\"Verified thread\">\n";
        for (index, view) in views.iter().enumerate() {
            let _ = writeln!(
                out,
                "<button role=\"tab\" id=\"tab{index}\" aria-controls=\"view{index}\" data-tab=\"{index}\">{}</button>",
                escaped(view.name())
            );
        }
        out += "</div>\n";
    }
    for (index, view) in views.iter().enumerate() {
        out += &view.body(index);
    }
    out + "</section>\n"
}

/// One verified thread.
struct View<'a> {
    program: &'a Program,
    history: &'a History,
}

impl View<'_> {
    fn name(&self) -> &str {
        &self.program.thread(self.history.observed).name
    }

    fn body(&self, index: usize) -> String {
        let rounds = self.history.rounds.len();
        let mut out = format!(
            "<div class=\"view\" id=\"view{index}\" role=\"tabpanel\" data-view=\"{index}\" aria-label=\"{}\">\n\
             <div class=\"bar\" role=\"toolbar\" aria-label=\"Rounds\">\n{}{}{}{}\n\
             <input class=\"at\" type=\"range\" min=\"0\" max=\"{rounds}\" value=\"{rounds}\" aria-label=\"Round\">\n\
             <output class=\"count\"></output>\n\
             {}</div>\n\
             <div class=\"round\">\n<div class=\"pane classes\" tabindex=\"0\" aria-label=\"Classes\">\n",
            escaped(self.name()),
            button("class=\"first\"", "Before the first round", "Home", Sign::First),
            button("class=\"back\"", "One round back", "k", Sign::Back),
            button("class=\"forth\"", "One round on", "j", Sign::Forth),
            button("class=\"last\"", "The final partition", "End", Sign::Last),
            keys("round"),
        );
        for (&thread, classes) in self.history.environment.iter().zip(&self.history.classes) {
            out += &self.places(thread, classes);
        }
        out += "</div>\n<div class=\"pane learnt\" tabindex=\"0\" aria-live=\"polite\" aria-label=\"What was learnt\">\n";
        out += &self.beginning();
        for (number, round) in self.history.rounds.iter().enumerate() {
            out += &self.round(number + 1, round);
        }
        let classes = self.final_classes();
        let picture = svg::automata(self.program, &self.history.environment, &classes);
        let _ = writeln!(
            out,
            "</div>\n</div>\n<div class=\"scroll\" tabindex=\"0\">\n{}</div>\n</div>",
            picture.element()
        );
        out
    }

    fn final_classes(&self) -> Classes {
        let threads = self.history.classes.iter();
        let members = threads.flat_map(|classes| classes.iter().enumerate());
        members.flat_map(|(class, places)| places.iter().map(move |&place| (place, class))).collect()
    }

    /// The locations of a thread in the order of the source, each with its class.
    fn places(&self, thread: ThreadId, classes: &[Vec<LocId>]) -> String {
        let mut places: Vec<(LocId, usize)> = Vec::new();
        for (class, members) in classes.iter().enumerate() {
            places.extend(members.iter().map(|&place| (place, class)));
        }
        places.sort_by_key(|&(place, _)| {
            let span = self.program.location(place).span;
            (span.file, span.line, span.column, place)
        });
        let mut out =
            format!("<h3>{}</h3>\n<ol class=\"places\">\n", escaped(&self.program.thread(thread).name));
        for (place, class) in places {
            let span = self.program.location(place).span;
            let text = self.program.sources.line(span.file, span.line).unwrap_or("");
            let _ = writeln!(
                out,
                "<li data-location=\"{}\" class=\"k{}\"><span class=\"chip\">{class}</span><span class=\"no\">{}</span>\
                 <code>{}</code><span class=\"where\">L{}</span></li>",
                place.index(),
                class % PALETTE,
                span.line,
                escaped(text.trim()),
                place.index()
            );
        }
        out + "</ol>\n"
    }

    fn beginning(&self) -> String {
        "<article data-round=\"0\"><h3>Before the first round</h3>\n<p>Nothing is known: all locations of a thread are one class, and \
         there are no predicates.</p></article>\n"
            .to_owned()
    }

    fn round(&self, number: usize, round: &Round) -> String {
        let mut out = format!("<article data-round=\"{number}\" hidden><h3>Round {number}</h3>\n");
        if let Some(classes) = &round.classes {
            let count: usize = classes.iter().map(Vec::len).sum();
            let _ = writeln!(out, "<p class=\"new\">New partition with <b>{count}</b> classes</p>");
        }
        if !round.predicates.is_empty() {
            let _ =
                writeln!(out, "<p class=\"new\">New predicates {}</p>", conditions(&round.predicates, ""));
        }
        // Paths that differ only inside a line look the same.
        let mut paths: Vec<String> = round.spurious.iter().map(|spurious| self.spurious(spurious)).collect();
        paths.dedup();
        paths.iter().take(PATHS).for_each(|path| out += path);
        if paths.len() > PATHS {
            let _ = writeln!(out, "<p class=\"more\">and {} more paths</p>", paths.len() - PATHS);
        }
        out + "</article>\n"
    }

    fn spurious(&self, spurious: &Spurious) -> String {
        let cause = match spurious.cause {
            Cause::Data => "No values make this path possible:",
            Cause::Control => "No thread goes this way:",
            Cause::Atomicity => "A thread moves inside another one's atomic section:",
        };
        let mut out = format!("<p class=\"cause\">{cause}</p>\n<ol class=\"path\">\n");
        for &id in &spurious.path {
            let transition = self.program.transition(id);
            let thread = self.program.thread_of(id);
            let line = self.program.location(transition.from).span.line;
            let _ = writeln!(
                out,
                "<li class=\"t{}\">{} <b>{line}</b></li>",
                thread.index() % 6,
                escaped(&self.program.thread(thread).name),
            );
        }
        out += "</ol>\n";
        for &(left, entered) in &spurious.mismatches {
            let [left, entered] = [left, entered].map(|location| self.place(location));
            let _ = writeln!(out, "<p class=\"mismatch\">it stood at {left} and went on from {entered}</p>");
        }
        out
    }

    fn place(&self, location: LocId) -> String {
        let span = self.program.location(location).span;
        format!("<b>line {}</b> <span class=\"where\">L{}</span>", span.line, location.index())
    }

    /// The partition after each round, the first being before all of them.
    fn data(&self) -> Value {
        let flat = |classes: &[Vec<Vec<LocId>>]| {
            let pairs = classes.iter().flat_map(|thread| thread.iter().enumerate());
            let pairs =
                pairs.flat_map(|(class, places)| places.iter().map(move |place| [place.index(), class]));
            pairs.collect::<Vec<_>>()
        };
        let one = self.history.classes.iter().map(|classes| vec![classes.concat()]).collect::<Vec<_>>();
        let mut current = flat(&one);
        let mut all = vec![current.clone()];
        for round in &self.history.rounds {
            if let Some(classes) = &round.classes {
                current = flat(classes);
            }
            all.push(current.clone());
        }
        json!(all)
    }
}
