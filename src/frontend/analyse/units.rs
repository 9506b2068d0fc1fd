//! Which bit-fields of a record are read and written together.
//!
//! In C11 (3.14) a run of neighbouring bit-fields is one memory location; other members and bit-fields of
//! width 0 end it. A compiler may access all of a run at once, and must not touch anything else. gcc on x86
//! accesses it by units of the declared types, so that is what we do: a unit has the bytes of the fields that
//! begin in the storage of a common declared type. Fields that share a byte are always in one unit.
//!
//! In a union every bit-field is a unit of its own; the layout of objects (`lower/layout.rs`) knows what
//! overlaps.

use super::layout::{Member, Packing};
use super::types::Types;
use crate::frontend::tree::{BitField, RecordKind};

/// Most bytes of a unit.
const WIDEST: u64 = 8;

/// A bit-field with its place.
#[derive(Clone, Copy)]
struct Bits {
    member: usize,
    start: u64,
    width: u64,
    /// First byte behind the storage of its declared type.
    reach: u64,
}

impl Bits {
    fn first(self) -> u64 {
        self.start / 8
    }

    fn end(self) -> u64 {
        (self.start + self.width).div_ceil(8)
    }
}

/// For each member, if it is a bit-field, the first byte of its unit and its place there; `None` if a unit
/// would be too wide.
pub(super) fn units(
    types: &Types,
    kind: RecordKind,
    members: &[Member],
    starts: &[u64],
    packing: Packing,
) -> Option<Vec<Option<(u64, BitField)>>> {
    let mut places = vec![None; members.len()];
    let mut run: Vec<Bits> = Vec::new();
    for (index, (member, &start)) in members.iter().zip(starts).enumerate() {
        match member.bits {
            Some(width) if width > 0 => {
                run.push(bits(types, index, member, start, packing));
                if kind == RecordKind::Union {
                    settle(&run, &mut places)?;
                    run.clear();
                }
            }
            _ => {
                settle(&run, &mut places)?;
                run.clear();
            }
        }
    }
    settle(&run, &mut places)?;
    Some(places)
}

fn bits(types: &Types, index: usize, member: &Member, start: u64, packing: Packing) -> Bits {
    let width = u64::from(member.bits.unwrap_or(0));
    let align = member.type_align.unwrap_or_else(|| types.align(member.ty));
    let storage = start / 8 / align * align + types.size(member.ty).unwrap_or(1);
    let tight = member.packed || packing.packed || packing.most.is_some();
    let reach = if tight { 0 } else { storage };
    Bits { member: index, start, width, reach: reach.max((start + width).div_ceil(8)) }
}

/// Gives the fields of a run their units.
fn settle(run: &[Bits], places: &mut [Option<(u64, BitField)>]) -> Option<()> {
    for group in groups(run, |field| field.reach) {
        match span(group) <= WIDEST {
            true => give(group, places),
            false => {
                for group in groups(group, |field| field.end()) {
                    if span(group) > WIDEST {
                        return None;
                    }
                    give(group, places);
                }
            }
        }
    }
    Some(())
}

/// Splits a run where a field begins behind the reach of all fields before it.
fn groups(run: &[Bits], reach: impl Fn(Bits) -> u64) -> Vec<&[Bits]> {
    let (mut groups, mut from, mut limit) = (Vec::new(), 0, 0);
    for (at, field) in run.iter().enumerate() {
        if at > from && field.first() >= limit {
            groups.push(&run[from..at]);
            from = at;
            limit = 0;
        }
        limit = limit.max(reach(*field));
    }
    if from < run.len() {
        groups.push(&run[from..]);
    }
    groups
}

/// Bytes that fields cover from the first to the last.
fn span(group: &[Bits]) -> u64 {
    group[group.len() - 1].end() - group[0].first()
}

fn give(group: &[Bits], places: &mut [Option<(u64, BitField)>]) {
    let (first, unit) = (group[0].first(), span(group) as u8);
    for field in group {
        let shift = (field.start - 8 * first) as u8;
        places[field.member] = Some((first, BitField { width: field.width as u8, shift, unit }));
    }
}
