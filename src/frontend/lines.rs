//! Line markers: from byte offsets of preprocessed text back to files, lines and columns.
//!
//! The preprocessor leaves lines `# 12 "file.c" 1 3` (or `#line 12 "file.c"`) that say where the next line
//! comes from. Where a macro of a system header is expanded, gcc cuts a line of the file into several, each with a
//! marker of its own; their columns go on counting, as if the pieces stood side by side. Invariant: `starts` is
//! sorted by offset and its first entry has offset 0, so every offset has a line.

use crate::program::{FileId, Sources, Span};

/// Where each line of a preprocessed text comes from.
#[derive(Clone, Debug)]
pub struct LineMap {
    starts: Vec<Line>,
    end: usize,
}

/// One line of the text.
#[derive(Clone, Copy, Debug)]
struct Line {
    offset: usize,
    file: FileId,
    number: u32,
    /// Characters of the pieces of the same line of the file before this one.
    before: usize,
}

impl LineMap {
    /// Reads the markers of `text`; before the first of them, lines belong to `name`.
    pub fn new(text: &str, name: &str, sources: &mut Sources) -> LineMap {
        let (mut file, mut number) = (sources.file(name), 1);
        let mut offset = 0;
        let (mut starts, mut last) = (Vec::new(), None);
        for line in text.split_inclusive('\n') {
            let before = match last {
                Some((place, length)) if place == (file, number) => length,
                _ => 0,
            };
            starts.push(Line { offset, file, number, before });
            offset += line.len();
            if !line.starts_with('#') {
                last = Some(((file, number), before + line.trim_end_matches('\n').len()));
            }
            number = number.saturating_add(1);
            if let Some((next, origin)) = marker(line) {
                number = next;
                if let Some(origin) = origin {
                    file = sources.file(&origin);
                }
            }
        }
        if starts.is_empty() {
            starts.push(Line { offset: 0, file, number, before: 0 });
        }
        LineMap { starts, end: text.len() }
    }

    /// The place of the bytes from `start` to `end`, as far as they are on one line.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let start = start.min(self.end);
        let index = self.starts.partition_point(|line| line.offset <= start) - 1;
        let line = self.starts[index];
        let next = self.starts.get(index + 1).map_or(self.end, |line| line.offset - 1);
        let end = end.min(next).max(start);
        Span {
            file: line.file,
            line: line.number,
            column: small(line.before + start - line.offset + 1),
            len: small(end - start),
        }
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The line number and file that a marker announces for the line after it.
fn marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    Some((number, quoted(rest[digits..].trim_start())))
}

/// The text of a C string at the start of `text`; a backslash quotes the next character.
fn quoted(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.strip_prefix('"')?.chars();
    loop {
        match chars.next()? {
            '"' => return Some(out),
            '\\' => out.push(chars.next()?),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, what: &str, expected: &str) {
        let mut sources = Sources::default();
        let lines = LineMap::new(text, "start.c", &mut sources);
        let offset = text.find(what).expect("the text contains what is looked for");
        let span = lines.span(offset, offset + what.len());
        assert_eq!(format!("{} len {}", sources.display(span), span.len), expected);
    }

    #[test]
    fn lines_without_markers() {
        check("int x;\nint why;\n", "why", "start.c:2:5 len 3");
        check("", "", "start.c:1:1 len 0");
    }

    #[test]
    fn markers_change_file_and_line() {
        let text = "# 10 \"a.c\"\none\ntwo\n# 1 \"b \\\"q\\\".h\" 1 3 4\nthree\n#line 7\n  four\n# 12 \"a.c\" 2\nfive";
        check(text, "one", "a.c:10:1 len 3");
        check(text, "two", "a.c:11:1 len 3");
        check(text, "three", "b \"q\".h:1:1 len 5");
        check(text, "four", "b \"q\".h:7:3 len 4");
        check(text, "five", "a.c:12:1 len 4");
    }

    #[test]
    fn pieces_of_a_line_stand_side_by_side() {
        let text = "# 4 \"a.c\"\n  go(\n# 4 \"a.c\" 3 4\none\n# 4 \"a.c\"\n, two);\nnext\n";
        check(text, "one", "a.c:4:6 len 3");
        check(text, "two", "a.c:4:11 len 3");
        check(text, "next", "a.c:5:1 len 4");
    }

    #[test]
    fn other_directives_are_lines() {
        check("#pragma once\n# x\n#\nend", "end", "start.c:4:1 len 3");
        check("# 99999999999 \"a.c\"\nend", "end", "start.c:2:1 len 3");
    }

    #[test]
    fn a_place_ends_with_its_line() {
        check("a (\nb)", "(\nb)", "start.c:1:3 len 1");
    }
}
