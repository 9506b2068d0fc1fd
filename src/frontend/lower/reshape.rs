//! Objects that are accessed at other widths than they are made of: `int` values in a buffer of `char`, say.
//!
//! A scalar that is wider than what it falls on would be several accesses. Instead the object gets other
//! cells: the least ones that contain each of its old scalars and each access (`overlap.rs`). Its contents
//! stay what they are; whole parts that are filled become the new cells in their place.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Access, NodeId, Op};
use super::layout::Part;
use super::memory::{Contents, Object, ObjectId};
use super::overlap;
use super::points_to::{Offsets, PointsTo};
use super::untyped::row;
use super::{Lower, Result};
use crate::program::{Init, ObjectKind, Origin};
use crate::term::{ArraySort, Datum, Node, Sort, TermId, VarId, Word};

/// In objects up to this size bytes between members get cells.
const PADDED: u64 = 4096;

/// Accesses that an object is not made for.
#[derive(Default)]
struct Misfits {
    /// At these offsets.
    exact: BTreeMap<u64, Part>,
    /// Of these sizes, somewhere.
    anywhere: BTreeSet<u64>,
}

/// What a part is filled with.
#[derive(Clone, Copy)]
enum Filling {
    /// This byte.
    Byte(u8),
    /// Anything.
    Any,
}

impl<'a> Lower<'a> {
    /// Gives objects cells that fit all accesses; whether any needed them.
    pub(super) fn reshape(&mut self, points: &PointsTo, nodes: &[NodeId]) -> Result<bool> {
        let mut found: BTreeMap<ObjectId, Misfits> = BTreeMap::new();
        for node in nodes {
            let (Op::Load { from: access, .. } | Op::Store { to: access, .. }) = self.code.get(*node).op
            else {
                continue;
            };
            let targets = points.targets(&self.builder.program().terms, &self.memory, access.address);
            for (id, offsets) in &targets {
                let misfits = misfits(self.memory.get(*id), access, offsets);
                if !misfits.exact.is_empty() || !misfits.anywhere.is_empty() {
                    found.entry(*id).or_default().join(misfits);
                }
            }
        }
        for (id, misfits) in &found {
            self.reshape_object(*id, misfits)?;
        }
        Ok(!found.is_empty())
    }

    fn reshape_object(&mut self, id: ObjectId, misfits: &Misfits) -> Result<()> {
        let object = self.memory.get(id);
        let old: Vec<Part> = object.parts.iter().map(|(part, _)| part.clone()).collect();
        let mut members = vec![old.clone()];
        members.extend(misfits.exact.values().map(|part| vec![part.clone()]));
        members.extend(
            misfits.anywhere.iter().map(|&size| row(object.size, size, Word::unsigned(8 * size as u8))),
        );
        let cells = overlap::cells(members);
        let fills = self.fills_of(id);
        let whole = |part: &Part| cells.iter().all(|cell| apart(part, cell) || inside(cell, part));
        let parts = object.parts.clone();
        let kept = parts.iter().filter(|(_, var)| fills.iter().any(|(_, filled)| filled == var));
        let fits = kept.into_iter().all(|(part, _)| whole(part))
            && fills.iter().all(|(node, _)| self.filling(*node).is_some());
        if !fits {
            return Ok(());
        }
        let contents = self.contents_of(id);
        // What is partly the user's is the user's, whatever else lies there.
        let Some(origin) = parts.iter().map(|(part, _)| part.origin).min() else { return Ok(()) };
        self.memory.objects[id.index()].parts.clear();
        self.furnish(id, cells, &contents, origin)?;
        for (node, var) in fills {
            let (part, _) = parts.iter().find(|(_, known)| *known == var).expect("a part of the object");
            self.refill(node, part, id);
        }
        Ok(())
    }

    /// The nodes that assign parts of an object whole, and the parts.
    fn fills_of(&self, id: ObjectId) -> Vec<(NodeId, VarId)> {
        let vars: Vec<VarId> = self.memory.get(id).parts.iter().map(|(_, var)| *var).collect();
        let fill = |node: NodeId| match self.code.get(node).op {
            Op::Fill { part, .. } if vars.contains(&part) => Some((node, part)),
            _ => None,
        };
        self.code.ids().filter_map(fill).collect()
    }

    /// What a node fills its part with, if that can be said of single bytes.
    fn filling(&self, node: NodeId) -> Option<Filling> {
        let Op::Fill { value, .. } = self.code.get(node).op else { return None };
        let terms = &self.builder.program().terms;
        match *terms.node(value) {
            Node::Fill(value, ArraySort { elem, .. }) => same_bytes(value, elem),
            Node::Const(value, word) => same_bytes(value, word),
            Node::Var(_) => Some(Filling::Any),
            _ => None,
        }
    }

    /// Fills the new cells in a part's place.
    fn refill(&mut self, node: NodeId, part: &Part, id: ObjectId) {
        let filling = self.filling(node).expect("seen before");
        let Op::Fill { next, .. } = self.code.get(node).op else { unreachable!("a fill") };
        let cells = self.memory.get(id).parts.clone();
        let cells: Vec<(Part, VarId)> = cells.into_iter().filter(|(cell, _)| inside(cell, part)).collect();
        let mut at = node;
        for (index, (cell, var)) in cells.iter().enumerate() {
            let value = self.filled(cell, *var, filling);
            let mut copy = self.code.get(at).clone();
            copy.begins = None;
            let after = if index + 1 == cells.len() { next } else { self.code.add(copy) };
            self.code.get_mut(at).op = Op::Fill { part: *var, value, next: after };
            at = after;
        }
        if cells.is_empty() {
            self.code.get_mut(node).op = Op::Goto(next);
        }
    }

    fn filled(&mut self, cell: &Part, var: VarId, filling: Filling) -> TermId {
        let sort = self.builder.program().variable(var).sort;
        match filling {
            Filling::Any => {
                let name = self.builder.program().variable(var).name.clone();
                let input = self.builder.input(name, sort);
                self.builder.terms().var(input)
            }
            Filling::Byte(byte) => {
                let value = (0..cell.size).fold(0, |sum, _| sum << 8 | i128::from(byte));
                match sort {
                    Sort::Array(array) => self.builder.terms().fill(value, array),
                    _ => self.builder.terms().constant(value, cell.word),
                }
            }
        }
    }

    /// What an object holds when the program begins.
    fn contents_of(&self, id: ObjectId) -> Contents {
        let mut constants = BTreeMap::new();
        for (part, var) in &self.memory.get(id).parts {
            let wide = Word::unsigned(part.word.bits());
            match &self.builder.program().variable(*var).init {
                Init::Any => return Contents::Any,
                Init::Value(Datum::Word(value)) => {
                    constants.insert(part.offset, wide.wrap(*value));
                }
                Init::Value(Datum::Array(values)) => {
                    constants
                        .extend(part.offsets().into_iter().zip(values.iter().map(|value| wide.wrap(*value))));
                }
                Init::Value(Datum::Bool(_)) => unreachable!("parts are words"),
            }
        }
        Contents::Constants(constants)
    }
}

impl Misfits {
    fn join(&mut self, other: Misfits) {
        self.anywhere.extend(other.anywhere);
        for (offset, part) in other.exact {
            let known = self.exact.entry(offset).or_insert_with(|| part.clone());
            if known.size < part.size {
                *known = part;
            }
        }
    }
}

/// What an access that falls on no single scalar of an object asks for.
fn misfits(object: &Object, access: Access, offsets: &Offsets) -> Misfits {
    let mut misfits = Misfits::default();
    if matches!(object.kind, ObjectKind::Function | ObjectKind::Literal) || object.parts.is_empty() {
        return misfits;
    }
    match offsets {
        Offsets::Any => {
            let fits = object.parts.iter().any(|(part, _)| part.size >= access.size);
            if !fits && access.size <= object.size {
                misfits.anywhere.insert(access.size);
            }
            if access.size == 1 {
                // Whoever goes over all bytes also meets those between members.
                misfits.exact.extend(padding(object).map(|offset| (offset, byte(offset))));
            }
        }
        Offsets::Exact(offsets) => {
            for offset in offsets.iter().filter_map(|offset| u64::try_from(*offset).ok()) {
                let fits = object.parts.iter().any(|(part, _)| {
                    part.locate(offset).is_some_and(|(_, byte)| byte + access.size <= part.size)
                });
                if !fits && offset + access.size <= object.size {
                    let (word, size) = (access.word, access.size);
                    let (dims, suffix, origin) = (Vec::new(), format!("+{offset}"), Origin::Internal);
                    let part = Part { offset, size, word, dims, suffix, origin };
                    misfits.exact.insert(offset, part);
                }
            }
        }
    }
    misfits
}

/// The bytes of an object that belong to none of its parts.
fn padding(object: &Object) -> impl Iterator<Item = u64> {
    let size = if object.size <= PADDED { object.size } else { 0 };
    let mut covered = vec![false; size as usize];
    for part in object.parts.iter().map(|(part, _)| part) {
        for offset in part.offsets().into_iter().take(covered.len()) {
            let end = (offset + part.size).min(size);
            covered[offset.min(end) as usize..end as usize].fill(true);
        }
    }
    (0..size).filter(move |offset| !covered[*offset as usize])
}

fn byte(offset: u64) -> Part {
    let (word, suffix) = (Word::unsigned(8), format!("+{offset}"));
    Part { offset, size: 1, word, dims: Vec::new(), suffix, origin: Origin::User }
}

/// Whether parts have no byte in common, going by their extents.
fn apart(a: &Part, b: &Part) -> bool {
    a.end() <= b.offset || b.end() <= a.offset
}

/// Whether all of a cell is in a part's extent.
fn inside(cell: &Part, part: &Part) -> bool {
    part.offset <= cell.offset && cell.end() <= part.end()
}

fn same_bytes(value: i128, word: Word) -> Option<Filling> {
    let value = Word::unsigned(word.bits()).wrap(value);
    let byte = (value & 0xff) as u8;
    let bytes = u32::from(word.bits()).div_ceil(8);
    (0..bytes).all(|at| (value >> (8 * at)) as u8 == byte).then_some(Filling::Byte(byte))
}
