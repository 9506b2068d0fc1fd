//! A counterexample for people: one column a thread, time runs downwards.
//!
//! ```text
//! line  main                     worker
//!   12  x = 1;
//!         writes x = 1
//!   20                           if (x == 1)
//!                                  reads x = 1 from main line 12
//! ```
//!
//! Only one thread acts in each row, so the text of a column may run on over the columns to its right; that way
//! columns may be narrow, and any number of threads fits any width.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{Counterexample, Deed, Layout, Line, SourcePlace, ValueSource};
use crate::program::MemoryModel;

/// Room that text in the last column has at least, if the width allows.
const ROOM: usize = 44;

/// Colours of threads, used in turn.
const COLOURS: [AnsiColor; 5] =
    [AnsiColor::Cyan, AnsiColor::Yellow, AnsiColor::Magenta, AnsiColor::Green, AnsiColor::Blue];

impl Counterexample {
    /// The counterexample as text, ending in a line feed.
    pub fn text(&self, layout: &Layout) -> String {
        let mut page = Page::new(self, layout);
        page.heading();
        if !self.lines.is_empty() {
            page.header();
            self.lines.iter().for_each(|line| page.line(line));
            page.out.push('\n');
        }
        page.ending();
        page.out
    }
}

/// Where a column begins, and what it is called.
struct Column {
    thread: usize,
    offset: usize,
}

struct Page<'a> {
    told: &'a Counterexample,
    layout: Layout,
    /// The threads that do something.
    columns: Vec<Column>,
    /// Characters before the first column.
    gutter: usize,
    /// The file that most lines belong to.
    file: Option<&'a str>,
    out: String,
}

impl<'a> Page<'a> {
    fn new(told: &'a Counterexample, layout: &Layout) -> Page<'a> {
        let places = || told.lines.iter().filter_map(|line| line.place.as_ref());
        let file = told.violated.place.as_ref().or(places().next()).map(|place| place.file.as_str());
        let mut page =
            Page { told, layout: *layout, columns: Vec::new(), gutter: 0, file, out: String::new() };
        let numbers = places().map(|place| page.number(place).chars().count());
        page.gutter = numbers.max().unwrap_or(0).max("line".len()) + 2;
        let mut threads: Vec<usize> = told.lines.iter().map(|line| line.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let space = layout.width.saturating_sub(page.gutter);
        let step = column_width(space, threads.len());
        // However many threads there are, the last still has room for some text.
        let last = space.saturating_sub(ROOM / 2);
        let columns = threads.into_iter().enumerate();
        page.columns = columns.map(|(i, thread)| Column { thread, offset: (i * step).min(last) }).collect();
        page
    }

    fn heading(&mut self) {
        let violated = &self.told.violated;
        let alarm = self.alarm();
        let place = match &violated.place {
            Some(place) => format!(" at {}:{}", place.file, place.line),
            None => String::new(),
        };
        let name = &self.told.threads[violated.thread];
        let what = match is_call(&violated.text) {
            true => format!("{} is reached", violated.text),
            false => format!("assertion violated: {}", violated.text),
        };
        let _ = writeln!(self.out, "{alarm}{what}{alarm:#}{place}, in thread {name}");
        if !self.told.lines.is_empty() {
            let (steps, switches) = (self.told.steps, self.told.switches);
            let model = match self.told.model {
                MemoryModel::Sc => "",
                MemoryModel::Tso => " under TSO",
                MemoryModel::Pso => " under PSO",
            };
            let counts = [count(steps, "step"), count(switches, "context switch")];
            let missing = if self.told.reduced { ", without what does not matter" } else { "" };
            let _ = writeln!(
                self.out,
                "A run{model} that gets there, {} with {}{missing}:\n",
                counts[0], counts[1]
            );
        }
    }

    /// The names of the columns; numbered and explained above if there is no room for names.
    fn header(&mut self) {
        let wide = self
            .columns
            .windows(2)
            .all(|pair| pair[0].offset + self.name(pair[0].thread).chars().count() + 2 <= pair[1].offset);
        let mut row = Row::new("line", self.gutter);
        for i in 0..self.columns.len() {
            let Column { thread, offset } = self.columns[i];
            let style = self.thread_style(thread);
            if !wide {
                let _ = writeln!(self.out, "column {}: {style}{}{style:#}", i + 1, self.name(thread));
            }
            let title = if wide { self.name(thread).to_owned() } else { (i + 1).to_string() };
            row.put(offset + self.gutter, &title, self.style(style.bold()));
        }
        self.out += &row.finish(&self.layout);
    }

    fn line(&mut self, line: &Line) {
        let column = self.columns.iter().find(|column| column.thread == line.thread);
        let start = column.map_or(0, |column| column.offset) + self.gutter;
        let room = self.layout.width.saturating_sub(start).max(ROOM / 2);
        let style = self.thread_style(line.thread);
        let mut number = line.place.as_ref().map_or_else(String::new, |place| self.number(place));
        let mut indent = "";
        if let Some(place) = &line.place {
            let text = if place.text.is_empty() { "(source not available)" } else { &place.text };
            self.row(&number, start, &shortened(without_comment(text), room), style);
            (number, indent) = (String::new(), "  ");
        }
        let dimmed = self.style(Style::new().dimmed());
        for deed in &line.deeds {
            let style = if *deed == (Deed::Assert { held: false }) { self.alarm() } else { dimmed };
            if let Some(text) = self.deed(line, deed) {
                for part in wrapped(&text, room.saturating_sub(indent.len())) {
                    self.row(&number, start, &format!("{indent}{part}"), style);
                }
            }
        }
    }

    fn row(&mut self, number: &str, start: usize, text: &str, style: Style) {
        let mut row = Row::new(number, self.gutter);
        row.put(start, text, style);
        self.out += &row.finish(&self.layout);
    }

    /// What a deed is, unless the source line says it already.
    fn deed(&self, line: &Line, deed: &Deed) -> Option<String> {
        let text = line.place.as_ref().map_or("", |place| &place.text);
        Some(match deed {
            Deed::Read { name, value, source } => {
                format!("reads {name} = {value}{}", self.source(line, source))
            }
            Deed::Write { name, value, buffered: false } if says(text, name, value) => return None,
            Deed::Write { name, value, buffered: false } => format!("writes {name} = {value}"),
            Deed::Write { name, value, buffered: true } => {
                format!("writes {name} = {value} to its store buffer")
            }
            Deed::Update { name, old, source, new } => {
                format!("reads {name} = {old}{} and writes {new}", self.source(line, source))
            }
            Deed::Flush { name, value, written } => {
                let place = written.as_ref().map(|place| format!(", written by {}", self.line_of(place)));
                format!("{name} = {value} reaches memory{}", place.unwrap_or_default())
            }
            Deed::Assign { name, value } => format!("{name} = {value}"),
            Deed::Branch { condition, held } if condition.is_empty() => format!("condition is {held}"),
            Deed::Branch { condition, held } => format!("{condition} is {held}"),
            Deed::Assume => "assumption holds".to_owned(),
            Deed::Assert { held: true } => "assertion holds".to_owned(),
            Deed::Assert { held: false } if is_call(&self.told.violated.text) => "violation".to_owned(),
            Deed::Assert { held: false } => "assertion violated".to_owned(),
            Deed::Fence => "fence".to_owned(),
            Deed::Lock { name } => format!("acquires {name}"),
            Deed::Unlock { name } => format!("releases {name}"),
            Deed::Sync { call } if text.contains(call.as_str()) => return None,
            Deed::Sync { call } => call.clone(),
            Deed::Create { thread } => format!("creates thread {thread}"),
            Deed::Join { thread } => format!("finds that {thread} has ended"),
            Deed::Start => "thread begins".to_owned(),
            Deed::Exit => "thread ends".to_owned(),
            Deed::Input { name, value } => format!("input {name} = {value}"),
        })
    }

    fn source(&self, line: &Line, source: &ValueSource) -> String {
        let at = |place: &Option<SourcePlace>| place.as_ref().map(|place| self.line_of(place));
        match source {
            ValueSource::Initial => " (initial)".to_owned(),
            ValueSource::Uninitialised => " (uninitialised)".to_owned(),
            ValueSource::Buffer { place } => match at(place) {
                Some(place) => format!(" from its store buffer, {place}"),
                None => " from its store buffer".to_owned(),
            },
            ValueSource::Write { thread, place } => match (*thread == line.thread, at(place)) {
                (true, Some(place)) => format!(" from {place}"),
                (true, None) => String::new(),
                (false, Some(place)) => format!(" from {} {place}", self.name(*thread)),
                (false, None) => format!(" from {}", self.name(*thread)),
            },
        }
    }

    fn ending(&mut self) {
        let told = self.told;
        if !told.violated.values.is_empty() {
            let values: Vec<String> =
                told.violated.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let _ = writeln!(self.out, "violated: {} with {}", told.violated.text, values.join(", "));
        }
        for held in &told.locks {
            let owners: Vec<&str> = held.threads.iter().map(|&thread| self.name(thread)).collect();
            let _ = writeln!(self.out, "{} is held by {}", held.name, owners.join(", "));
        }
        for write in &told.pending {
            let place = write.place.as_ref().map(|place| format!(", written by {}", self.line_of(place)));
            let name = self.name(write.thread);
            let (place, Page { out, .. }) = (place.unwrap_or_default(), &mut *self);
            let _ =
                writeln!(out, "still in the store buffer of {name}: {} = {}{place}", write.name, write.value);
        }
    }

    fn name(&self, thread: usize) -> &'a str {
        &self.told.threads[thread]
    }

    /// A line number for the left edge, with the file if that is not the usual one.
    fn number(&self, place: &SourcePlace) -> String {
        match self.file == Some(place.file.as_str()) {
            true => place.line.to_string(),
            false => format!("{}:{}", place.file, place.line),
        }
    }

    fn line_of(&self, place: &SourcePlace) -> String {
        match self.file == Some(place.file.as_str()) {
            true => format!("line {}", place.line),
            false => format!("{}:{}", place.file, place.line),
        }
    }

    fn thread_style(&self, thread: usize) -> Style {
        self.style(Style::new().fg_color(Some(COLOURS[thread % COLOURS.len()].into())))
    }

    fn alarm(&self) -> Style {
        self.style(Style::new().bold().fg_color(Some(AnsiColor::Red.into())))
    }

    fn style(&self, style: Style) -> Style {
        if self.layout.colour { style } else { Style::new() }
    }
}

/// Characters of a line with styles.
struct Row {
    text: String,
    length: usize,
}

impl Row {
    /// A row with a number at its left edge.
    fn new(number: &str, gutter: usize) -> Row {
        let width = gutter.saturating_sub(2);
        let text = format!("{number:>width$}");
        Row { length: text.chars().count(), text }
    }

    fn put(&mut self, start: usize, text: &str, style: Style) {
        let blank = start.saturating_sub(self.length);
        let _ = write!(self.text, "{}{style}{text}{style:#}", " ".repeat(blank));
        self.length += blank + text.chars().count();
    }

    fn finish(self, layout: &Layout) -> String {
        let text = if layout.colour { self.text.as_str() } else { self.text.trim_end() };
        format!("{text}\n")
    }
}

/// How far columns are apart, when `count` of them share `space`.
fn column_width(space: usize, count: usize) -> usize {
    match count {
        0 | 1 => 0,
        _ if space / count >= ROOM => ROOM,
        _ => (space.saturating_sub(ROOM) / (count - 1)).max(2),
    }
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ if what.ends_with('h') => format!("{number} {what}es"),
        _ => format!("{number} {what}s"),
    }
}

/// Whether a source line is just the assignment of this value.
fn says(text: &str, name: &str, value: &str) -> bool {
    without_comment(text).trim_end_matches(';') == format!("{name} = {value}")
}

/// Whether the text of an assertion is a call that must not be reached, such as `reach_error()`.
fn is_call(text: &str) -> bool {
    text.ends_with("()") && text[..text.len() - 2].chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A source line without a comment at its end.
fn without_comment(text: &str) -> &str {
    let quoted = text.contains(['"', '\'']);
    let end = text.find("//").or_else(|| text.find("/*").filter(|_| text.ends_with("*/")));
    match end {
        Some(end) if end > 0 && !quoted => text[..end].trim_end(),
        _ => text,
    }
}

/// The text, cut where it does not fit.
fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}

/// The text in lines that fit, broken at blanks where possible.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            // What continues is indented.
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
