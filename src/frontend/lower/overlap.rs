//! Members that overlap, and the cells that their bytes are.
//!
//! Invariant: every scalar of every member of a union lies in one cell, so that accessing it is one access to
//! one variable. Where one member's scalars contain those of all others, they are the cells; otherwise cells
//! are the least stretches that contain every scalar that touches them. Only where such a stretch has more
//! than 8 bytes do the widest scalars win; the others then end as undefined.

use super::layout::{Dim, Part};
use crate::program::Origin;
use crate::term::Word;

/// More scalars than this are not looked at one by one.
const SCALAR_LIMIT: u64 = 1 << 16;

/// Most bytes of a cell.
const WIDEST: u64 = 8;

/// A stretch of bytes that is one variable.
#[derive(Clone, Debug)]
struct Cell {
    start: u64,
    end: u64,
    word: Option<Word>,
    suffix: String,
    /// Whether it is an element of an array.
    repeated: bool,
    /// The user's, if something of it is.
    origin: Origin,
}

/// The cells of a union with these members, each a list of parts that do not overlap.
pub(super) fn cells(mut members: Vec<Vec<Part>>) -> Vec<Part> {
    members.retain(|member| !member.is_empty());
    if members.len() < 2 {
        return members.pop().unwrap_or_default();
    }
    let contains =
        |at: &usize| members.iter().all(|other| other.iter().all(|part| fits(&members[*at], part)));
    if let Some(widest) = (0..members.len()).find(contains) {
        return members.swap_remove(widest);
    }
    let parts: Vec<Part> = members.into_iter().flatten().collect();
    let scalars: u64 = parts.iter().map(Part::count).sum();
    match (scalars <= SCALAR_LIMIT).then(|| merged(&parts)).flatten() {
        Some(cells) => grouped(cells),
        None => widest(parts),
    }
}

/// Whether every scalar of a part lies in one scalar of these.
fn fits(cells: &[Part], part: &Part) -> bool {
    let inside = |offset: u64| {
        cells.iter().any(|cell| cell.locate(offset).is_some_and(|(_, byte)| byte + part.size <= cell.size))
    };
    cells.contains(part) || part.count() <= SCALAR_LIMIT && part.offsets().into_iter().all(inside)
}

/// The least stretches that contain each scalar that touches them; `None` if one is too wide.
fn merged(parts: &[Part]) -> Option<Vec<Cell>> {
    let mut scalars: Vec<Cell> = parts
        .iter()
        .flat_map(|part| {
            part.offsets().into_iter().map(|start| Cell {
                start,
                end: start + part.size,
                word: Some(part.word),
                suffix: part.suffix.clone(),
                repeated: !part.dims.is_empty(),
                origin: part.origin,
            })
        })
        .collect();
    scalars.sort_by_key(|cell| (cell.start, std::cmp::Reverse(cell.end)));
    let mut cells: Vec<Cell> = Vec::new();
    for scalar in scalars {
        match cells.last_mut() {
            Some(last) if scalar.start < last.end => {
                let same = scalar.start == last.start && scalar.end == last.end;
                if !same && scalar.end > last.end {
                    (last.end, last.word) = (scalar.end, None);
                } else if same && scalar.word != last.word {
                    last.word = None;
                }
                last.repeated |= scalar.repeated;
                last.origin = last.origin.min(scalar.origin);
            }
            _ => cells.push(scalar),
        }
    }
    cells.iter().all(|cell| cell.end - cell.start <= WIDEST).then_some(cells)
}

/// Makes arrays of neighbours of one kind, so that an index can choose among them.
fn grouped(cells: Vec<Cell>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for cell in cells {
        let size = cell.end - cell.start;
        let word = cell.word.unwrap_or(Word::unsigned(8 * size as u8));
        if cell.repeated
            && let Some(last) = parts.last_mut()
            && let [dim] = &mut last.dims[..]
            && (last.size, last.word) == (size, word)
            && last.offset + dim.count * dim.stride == cell.start
        {
            dim.count += 1;
            continue;
        }
        let dims = if cell.repeated { vec![Dim { count: 1, stride: size }] } else { Vec::new() };
        let offset = cell.start;
        // Two arrays may come from one member.
        let known = parts.iter().any(|part| part.suffix == cell.suffix);
        let suffix = if known { format!("{}+{offset}", cell.suffix) } else { cell.suffix };
        parts.push(Part { offset, size, word, dims, suffix, origin: cell.origin });
    }
    for part in &mut parts {
        if part.count() == 1 {
            part.dims.clear();
        }
    }
    parts
}

/// Of overlapping parts the one with the widest scalars, then the first.
fn widest(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by_key(|part| std::cmp::Reverse(part.size));
    let mut kept: Vec<Part> = Vec::new();
    for part in parts {
        if kept.iter().all(|other| other.end() <= part.offset || part.end() <= other.offset) {
            kept.push(part);
        }
    }
    kept
}
