//! From columns of preprocessed text back to columns of the file.
//!
//! The preprocessor keeps lines, but within a line it expands macros, squeezes blanks and drops comments. A
//! column that is left is one of the file; where it cannot be found it becomes 0, and the place is the whole
//! line.

use std::sync::Arc;

use crate::program::{Program, Sources, Span};

/// The place in the file, given the place in the preprocessed text and the lines of both.
pub(super) fn in_file(span: Span, preprocessed: &Sources, files: &Sources) -> Span {
    let lost = Span { column: 0, len: 0, ..span };
    let lines = (preprocessed.line(span.file, span.line), files.line(span.file, span.line));
    let (Some(seen), Some(line)) = lines else { return span };
    let start = span.column.saturating_sub(1) as usize;
    let end = start + span.len as usize;
    let part = seen.get(start..end).unwrap_or("");
    match align(seen, line, start..end).or_else(|| only_occurrence(line, part)) {
        Some((column, len)) if span.column > 0 => Span { column, len, ..span },
        _ => lost,
    }
}

/// The place in the file at which something starts: what comes before it in the line is found there too.
fn start_in_file(span: Span, preprocessed: &Sources, files: &Sources) -> Span {
    let lines = (preprocessed.line(span.file, span.line), files.line(span.file, span.line));
    let (Some(seen), Some(line)) = lines else { return span };
    let start = span.column.saturating_sub(1) as usize;
    let mut original = visible(line);
    let mut before = visible(seen).take_while(|&(at, _)| at < start);
    let same = before.all(|(_, byte)| original.next().is_some_and(|(_, other)| other == byte));
    let found = original.next().filter(|_| same && span.column > 0);
    let column = found.and_then(|(at, _)| u32::try_from(at + 1).ok()).unwrap_or(0);
    Span { column, len: 0, ..span }
}

/// Corrects all places of a program.
pub(super) fn correct(program: &mut Program, preprocessed: &Sources) {
    let files = &program.sources;
    let correct = |span: &mut Span| *span = in_file(*span, preprocessed, files);
    program.threads.iter_mut().for_each(|thread| correct(&mut thread.span));
    program.locations.iter_mut().for_each(|location| {
        correct(&mut location.span);
        location.begins = location.begins.map(|begins| start_in_file(begins, preprocessed, files));
    });
    program.assertions.iter_mut().for_each(|assertion| correct(&mut assertion.span));
    let transitions = program.transitions.iter_mut();
    transitions.flat_map(|transition| &mut transition.events).for_each(|event| correct(&mut event.span));
    if let Some(unbounded) = &mut program.unbounded {
        self::correct(Arc::make_mut(unbounded), preprocessed);
    }
}

/// Column and length in `line` of a range of `seen`, if both are the same up to its end but for blanks and
/// comments.
fn align(seen: &str, line: &str, range: std::ops::Range<usize>) -> Option<(u32, u32)> {
    let mut found: Option<(usize, usize)> = None;
    let mut original = visible(line);
    for (at, byte) in visible(seen).take_while(|&(at, _)| at < range.end) {
        let (position, same) = original.next()?;
        if same != byte {
            return None;
        }
        if at >= range.start {
            found = Some((found.map_or(position, |(first, _)| first), position));
        }
    }
    let (first, last) = found?;
    Some((u32::try_from(first + 1).ok()?, u32::try_from(last + 1 - first).ok()?))
}

/// The bytes of a line that are neither blank nor in a comment, with their positions.
fn visible(line: &str) -> impl Iterator<Item = (usize, u8)> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = line.as_bytes().get(at..)?;
            if rest.starts_with(b"//") {
                return None;
            } else if rest.starts_with(b"/*") {
                let end = rest[2..].windows(2).position(|pair| pair == b"*/")?;
                at += 2 + end + 2;
            } else if rest.first()?.is_ascii_whitespace() {
                at += 1;
            } else {
                at += 1;
                return Some((at - 1, bytes[at - 1]));
            }
        }
    })
}

/// Column and length of the only occurrence of a part in a line.
fn only_occurrence(line: &str, part: &str) -> Option<(u32, u32)> {
    let mut positions = line.match_indices(part).map(|(at, _)| at);
    match (positions.next(), positions.next()) {
        (Some(at), None) if !part.is_empty() => {
            Some((u32::try_from(at + 1).ok()?, u32::try_from(part.len()).ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of the file's line that the first `wanted` of the preprocessed line becomes.
    #[track_caller]
    fn check(seen: &str, line: &str, wanted: &str, expected: Option<&str>) {
        let (mut preprocessed, mut files) = (Sources::default(), Sources::default());
        let file = preprocessed.file("p.c");
        preprocessed.set_text(file, seen);
        files.file("p.c");
        files.set_text(file, line);
        let at = seen.find(wanted).expect("the part is there");
        let span = Span { file, line: 1, column: at as u32 + 1, len: wanted.len() as u32 };
        let span = in_file(span, &preprocessed, &files);
        let found = line.get((span.column as usize).wrapping_sub(1)..).map(|rest| &rest[..span.len as usize]);
        assert_eq!(found, expected, "{span:?}");
    }

    #[test]
    fn blanks_and_comments_do_not_matter() {
        check("  x = y;", "\tx   =  y; // sets x", "y", Some("y"));
        check("x = y + z;", "x /* one */ = y+z;", "y + z", Some("y+z"));
        check("x = y;", "x = y;", "x = y", Some("x = y"));
    }

    #[test]
    fn a_start_is_found_before_a_macro() {
        let (mut preprocessed, mut files) = (Sources::default(), Sources::default());
        let file = preprocessed.file("p.c");
        preprocessed.set_text(file, "  x = 1; check(y, 7);");
        files.file("p.c");
        files.set_text(file, "\tx  = 1; /* now */ assert(y);");
        let column = |column| {
            let span = Span { file, line: 1, column, len: 4 };
            start_in_file(span, &preprocessed, &files).column
        };
        assert_eq!([column(3), column(10), column(16)], [2, 20, 0]);
    }

    #[test]
    fn behind_a_macro_only_what_is_unique_is_found() {
        check("check(x <= 0, \"x <= 0\");", "assert(x <= 0);", "x <= 0", Some("x <= 0"));
        check("if ((l == 1) && x)", "if (LOCKED && x)", "l == 1", None);
        check("if ((l == 1) && x)", "if (LOCKED && x)", "x", Some("x"));
        check("f(1); g(x, x);", "F; g(x, x);", "x", None);
        check("if (x && (l == 1))", "if (x && LOCKED)", "x", Some("x"));
    }
}
