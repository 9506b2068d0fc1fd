//! What was done, in words: the sentences that the terminal and the page share.

use super::{Counterexample, Deed, Line, Round, SourcePlace, Trouble, ValueSource};
use crate::program::{AssertionKind, Audience, MemoryOrder};

/// Puts a counterexample into words.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    told: &'a Counterexample,
    /// The file that most lines belong to; it need not be named.
    file: Option<&'a str>,
}

impl<'a> Words<'a> {
    pub fn new(told: &'a Counterexample) -> Words<'a> {
        let first = told.lines.iter().find_map(|line| line.place.as_ref());
        let file = told.violated.place.as_ref().or(first).map(|place| place.file.as_str());
        Words { told, file }
    }

    /// What is violated.
    pub fn violation(&self) -> String {
        let violated = &self.told.violated;
        match violated.kind {
            Trouble::Violation(AssertionKind::Overflow) => return "signed overflow".to_owned(),
            Trouble::Undefined => return format!("undefined behaviour: {}", violated.text),
            Trouble::Violation(AssertionKind::Reach) => {}
        }
        match is_call(&violated.text) {
            true => format!("{} is reached", violated.text),
            false => format!("assertion violated: {}", violated.text),
        }
    }

    /// What a deed is, unless the source line says it already.
    pub fn deed(&self, line: &Line, deed: &Deed) -> Option<String> {
        let text = line.place.as_ref().map_or("", |place| &place.text);
        Some(match deed {
            Deed::Read { name, value, source, order } => {
                format!("reads {name} = {value}{}{}", ordered(*order), self.source(line, source))
            }
            Deed::Write { name, value, buffered: false, order: None } if says(text, name, value) => {
                return None;
            }
            Deed::Write { name, value, buffered: false, order } => {
                format!("writes {name} = {value}{}", ordered(*order))
            }
            Deed::Write { name, value, buffered: true, order } => {
                format!("writes {name} = {value}{} to its store buffer", ordered(*order))
            }
            Deed::Update { name, old, source, new, order } => {
                format!(
                    "reads {name} = {old}{} and writes {new}{}",
                    self.source(line, source),
                    ordered(*order)
                )
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
            Deed::Fence { order } => format!("fence{}", ordered(*order)),
            Deed::Lock { name } => format!("acquires {name}"),
            Deed::Unlock { name } => format!("releases {name}"),
            Deed::Await { condition } => format!("waits for {condition}"),
            Deed::Awake { condition, signal } => self.awake(condition, signal.as_ref()),
            Deed::Signal { condition, audience, waiting } => self.signal(condition, *audience, waiting),
            // The line says it, perhaps in other words: with `0` for `NULL`.
            Deed::Sync { call } if text.contains(callee(call)) => return None,
            Deed::Sync { call } => call.clone(),
            Deed::Create { thread } => format!("creates thread {thread}"),
            Deed::Join { thread } => format!("finds that {thread} has ended"),
            Deed::Wake { thread, waited } => format!("wakes {}, which {waited}", self.name(*thread)),
            Deed::Wait { what } | Deed::Misuse { what } => what.clone(),
            Deed::Start => "thread begins".to_owned(),
            Deed::Exit => "thread ends".to_owned(),
            Deed::Input { name, value } => format!("input {name} = {value}"),
        })
    }

    fn awake(&self, condition: &str, signal: Option<&(usize, Option<SourcePlace>)>) -> String {
        match signal {
            Some((thread, at)) => {
                let at = at.as_ref().map(|place| format!(" {}", self.line_of(place)));
                format!("is woken by the signal of {}{}", self.name(*thread), at.unwrap_or_default())
            }
            None => format!("wakes up without a signal for {condition}"),
        }
    }

    fn signal(&self, condition: &str, audience: Audience, waiting: &[usize]) -> String {
        let names: Vec<&str> = waiting.iter().map(|&thread| self.name(thread)).collect();
        let verb = match audience {
            Audience::One => "signals",
            Audience::All => "wakes all that wait for",
        };
        match names[..] {
            [] => format!("{verb} {condition}, for which nobody waits"),
            [name] => format!("{verb} {condition}, for which {name} waits"),
            _ => format!("{verb} {condition}, for which {} wait", names.join(", ")),
        }
    }

    /// What the scheduler did before a line: who goes on that waited.
    pub fn woken(&self, round: &Round) -> Vec<String> {
        let woken = round.woken.iter();
        woken.map(|(thread, waited)| format!("{}, which {waited}, goes on", self.name(*thread))).collect()
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

    /// What waits in the store buffer of a line's thread after it, if the line tells of the buffer and it is
    /// not clear from that.
    pub fn buffer(&self, line: &Line) -> Option<String> {
        let waiting: Vec<String> = (line.after.buffered.iter())
            .filter(|write| write.thread == line.thread)
            .map(|write| format!("{} = {}", write.name, write.value))
            .collect();
        let known =
            line.deeds.iter().filter(|deed| matches!(deed, Deed::Write { buffered: true, .. })).count();
        let flushed = line.deeds.iter().any(|deed| matches!(deed, Deed::Flush { .. }));
        match (known, flushed) {
            (0, true) if waiting.is_empty() => Some("store buffer: empty".to_owned()),
            (0, false) => None,
            (known, _) if known == waiting.len() => None,
            _ => Some(format!("store buffer: {}", waiting.join(", "))),
        }
    }

    /// The locks that a thread takes along when another one goes on after a line.
    pub fn kept(&self, index: usize) -> Option<String> {
        let line = &self.told.lines[index];
        let next = self.told.lines.get(index + 1)?;
        let own = |held: &&super::Held| held.threads.contains(&line.thread);
        let locks: Vec<&str> = line.after.locks.iter().filter(own).map(|held| held.name.as_str()).collect();
        let switched = next.thread != line.thread && !locks.is_empty();
        switched.then(|| format!("still holds {}", locks.join(", ")))
    }

    /// The name of a thread.
    pub fn name(&self, thread: usize) -> &'a str {
        &self.told.threads[thread]
    }

    /// A line number for the left edge, with the file if that is not the usual one.
    pub fn number(&self, place: &SourcePlace) -> String {
        match self.file == Some(place.file.as_str()) {
            true => place.line.to_string(),
            false => format!("{}:{}", place.file, place.line),
        }
    }

    /// A line in a sentence.
    pub fn line_of(&self, place: &SourcePlace) -> String {
        match self.file == Some(place.file.as_str()) {
            true => format!("line {}", place.line),
            false => format!("{}:{}", place.file, place.line),
        }
    }
}

/// The memory order of an access or fence.
fn ordered(order: Option<MemoryOrder>) -> String {
    order.map_or_else(String::new, |order| format!(" ({})", order.name()))
}

/// The name of the function in a call, with the bracket.
fn callee(call: &str) -> &str {
    call.find('(').map_or(call, |bracket| &call[..=bracket])
}

/// Whether a source line is just the assignment of this value.
fn says(text: &str, name: &str, value: &str) -> bool {
    without_comment(text).trim_end_matches(';') == format!("{name} = {value}")
}

/// Whether the text of an assertion is a call that must not be reached, such as `reach_error()`.
pub(super) fn is_call(text: &str) -> bool {
    text.ends_with("()") && text[..text.len() - 2].chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A source line without a comment at its end.
pub(super) fn without_comment(text: &str) -> &str {
    let quoted = text.contains(['"', '\'']);
    let end = text.find("//").or_else(|| text.find("/*").filter(|_| text.ends_with("*/")));
    match end {
        Some(end) if end > 0 && !quoted => text[..end].trim_end(),
        _ => text,
    }
}
