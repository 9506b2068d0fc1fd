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
//! In a cooperative program a rule across the page says when a moment begins, such as an instant.
//!
//! Only one thread acts in each row, so the text of a column may run on over the columns to its right; that
//! way columns may be narrow, and any number of threads fits any width.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::words::{Words, without_comment};
use super::{Counterexample, Deed, Layout, Round, Trouble};
use crate::program::MemoryModel;

/// Room that text in the last column has at least, if the width allows.
const ROOM: usize = 44;

/// Length of a rule across the page, if the width allows.
const RULE: usize = 78;

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
            (0..self.lines.len()).for_each(|line| page.line(line));
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
    words: Words<'a>,
    out: String,
}

impl<'a> Page<'a> {
    fn new(told: &'a Counterexample, layout: &Layout) -> Page<'a> {
        let words = Words::new(told);
        let mut page =
            Page { told, layout: *layout, columns: Vec::new(), gutter: 0, words, out: String::new() };
        let places = told.lines.iter().filter_map(|line| line.place.as_ref());
        let numbers = places.map(|place| words.number(place).chars().count());
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
        let what = self.words.violation();
        let rest = format!("{place}, in thread {name}");
        let fits = what.chars().count() + rest.chars().count() <= self.layout.width;
        let below = || wrapped(rest.trim_start(), self.layout.width.saturating_sub(2)).join("\n  ");
        let rest = if fits { rest.clone() } else { format!("\n  {}", below()) };
        let _ = writeln!(self.out, "{alarm}{what}{alarm:#}{rest}");
        if !self.told.lines.is_empty() {
            let (steps, switches) = (self.told.steps, self.told.switches);
            let model = match self.told.model {
                MemoryModel::Sc => "",
                MemoryModel::Tso => " under TSO",
                MemoryModel::Pso => " under PSO",
            };
            let counts = [count(steps, "step"), count(switches, "context switch")];
            let missing = if self.told.reduced { ", without what does not matter" } else { "" };
            let sentence =
                format!("A run{model} that gets there, {} with {}{missing}:", counts[0], counts[1]);
            self.out += &wrapped(&sentence, self.layout.width).join("\n");
            self.out += "\n\n";
        }
    }

    /// The names of the columns; numbered and explained above if there is no room for names.
    fn header(&mut self) {
        let wide = self.columns.windows(2).all(|pair| {
            pair[0].offset + self.words.name(pair[0].thread).chars().count() + 2 <= pair[1].offset
        });
        let mut row = Row::new("line", self.gutter);
        for i in 0..self.columns.len() {
            let Column { thread, offset } = self.columns[i];
            let style = self.thread_style(thread);
            if !wide {
                let _ = writeln!(self.out, "column {}: {style}{}{style:#}", i + 1, self.words.name(thread));
            }
            let title = if wide { self.words.name(thread).to_owned() } else { (i + 1).to_string() };
            row.put(offset + self.gutter, &title, self.style(style.bold()));
        }
        self.out += &row.finish(&self.layout);
    }

    fn line(&mut self, index: usize) {
        let line = &self.told.lines[index];
        let column = self.columns.iter().find(|column| column.thread == line.thread);
        let start = column.map_or(0, |column| column.offset) + self.gutter;
        let room = self.layout.width.saturating_sub(start).max(ROOM / 2);
        let style = self.thread_style(line.thread);
        if let Some(round) = &line.round {
            self.round(round);
        }
        let mut number = line.place.as_ref().map_or_else(String::new, |place| self.words.number(place));
        let mut indent = "";
        if let Some(place) = &line.place {
            let text = if place.text.is_empty() { "(source not available)" } else { &place.text };
            self.row(&number, start, &shortened(without_comment(text), room), style);
            (number, indent) = (String::new(), "  ");
        }
        let dimmed = self.style(Style::new().dimmed());
        let violation = line.deeds.contains(&Deed::Assert { held: false });
        let mut sentences: Vec<String> =
            line.deeds.iter().filter_map(|deed| self.words.deed(line, deed)).collect();
        sentences.extend(self.words.buffer(line));
        sentences.extend(self.words.kept(index));
        for (i, sentence) in sentences.iter().enumerate() {
            let last = i + 1 == sentences.len();
            let style = if violation && last { self.alarm() } else { dimmed };
            for part in wrapped(sentence, room.saturating_sub(indent.len())) {
                self.row(&number, start, &format!("{indent}{part}"), style);
            }
            indent = "  ";
        }
    }

    /// A rule with the moment that begins, and what the scheduler did.
    fn round(&mut self, round: &Round) {
        let dimmed = self.style(Style::new().dimmed());
        let width = self.layout.width.min(RULE);
        if round.begins {
            let rule = "-".repeat(width.saturating_sub(round.moment.chars().count() + 4).max(3));
            let _ = writeln!(self.out, "{dimmed}-- {} {rule}{dimmed:#}", round.moment);
        }
        for sentence in self.words.woken(round) {
            for part in wrapped(&sentence, width.saturating_sub(3)) {
                let _ = writeln!(self.out, "{dimmed}   {part}{dimmed:#}");
            }
        }
    }

    fn row(&mut self, number: &str, start: usize, text: &str, style: Style) {
        let mut row = Row::new(number, self.gutter);
        row.put(start, text, style);
        self.out += &row.finish(&self.layout);
    }

    fn ending(&mut self) {
        let told = self.told;
        if !told.violated.values.is_empty() {
            let values: Vec<String> =
                told.violated.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let what = match told.violated.kind {
                Trouble::Violation(_) => "violated",
                Trouble::Undefined => "undefined",
            };
            let _ = writeln!(self.out, "{what}: {} with {}", told.violated.text, values.join(", "));
        }
        for held in &told.locks {
            let owners: Vec<&str> = held.threads.iter().map(|&thread| self.words.name(thread)).collect();
            let _ = writeln!(self.out, "{} is held by {}", held.name, owners.join(", "));
        }
        for (thread, what) in &told.waiting {
            let _ = writeln!(self.out, "{} {what}", self.words.name(*thread));
        }
        for write in &told.pending {
            let place =
                write.place.as_ref().map(|place| format!(", written by {}", self.words.line_of(place)));
            let name = self.words.name(write.thread);
            let (place, Page { out, .. }) = (place.unwrap_or_default(), &mut *self);
            let _ =
                writeln!(out, "still in the store buffer of {name}: {} = {}{place}", write.name, write.value);
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
