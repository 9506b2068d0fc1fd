//! Heap objects whose type the allocation does not tell: they are made of the scalars that the program
//! accesses in them.
//!
//! First such an object is an array of bytes, for the sake of the points-to analysis. Then the accesses that
//! may hit it settle it: at known offsets, a scalar each, if they do not overlap; anywhere, an array of
//! scalars of their common size. If neither works it stays bytes, and `reshape.rs` finds cells for them.

use std::collections::BTreeMap;

use super::code::{Access, NodeId, Op};
use super::layout::{Dim, Part};
use super::memory::{Contents, ObjectId};
use super::points_to::{Offsets, PointsTo};
use super::{Lower, Result};
use crate::program::{Init, Origin};
use crate::term::Word;

/// `size` bytes.
pub(super) fn bytes(size: u64) -> Vec<Part> {
    row(size, 1, Word::unsigned(8))
}

pub(super) fn row(size: u64, width: u64, word: Word) -> Vec<Part> {
    match size / width {
        0 => Vec::new(),
        count => {
            vec![Part {
                offset: 0,
                size: width,
                word,
                dims: vec![Dim { count, stride: width }],
                suffix: String::new(),
                origin: Origin::User,
            }]
        }
    }
}

/// How an object is used.
#[derive(Default)]
struct Use {
    /// Size and word by offset; the widest.
    exact: BTreeMap<u64, (u64, Word)>,
    /// Sizes and words of accesses anywhere.
    anywhere: BTreeMap<u64, Word>,
}

impl Use {
    fn note(&mut self, access: Access, offsets: &Offsets) {
        match offsets {
            Offsets::Any => {
                self.anywhere.entry(access.size).or_insert(access.word);
            }
            Offsets::Exact(offsets) => {
                for offset in offsets.iter().filter_map(|offset| u64::try_from(*offset).ok()) {
                    let known = self.exact.entry(offset).or_insert((access.size, access.word));
                    if known.0 < access.size {
                        *known = (access.size, access.word);
                    }
                }
            }
        }
    }

    /// The parts that fit all accesses.
    fn parts(&self, size: u64) -> Option<Vec<Part>> {
        if self.anywhere.is_empty() {
            let mut parts: Vec<Part> = Vec::new();
            for (&offset, &(width, word)) in &self.exact {
                let free = parts.last().is_none_or(|part| part.end() <= offset);
                if free && offset + width <= size {
                    let suffix = if self.exact.len() == 1 { String::new() } else { format!("+{offset}") };
                    let (dims, origin) = (Vec::new(), Origin::User);
                    parts.push(Part { offset, size: width, word, dims, suffix, origin });
                }
            }
            return Some(parts);
        }
        let mut sizes = self.anywhere.clone();
        sizes.extend(self.exact.values().copied());
        match sizes.into_iter().collect::<Vec<_>>()[..] {
            [(width, word)] => Some(row(size, width, word)),
            _ => None,
        }
    }
}

impl<'a> Lower<'a> {
    /// Settles what untyped objects are made of; whether there are any.
    pub(super) fn settle_untyped(&mut self, points: &PointsTo, nodes: &[NodeId]) -> Result<bool> {
        let mut uses: BTreeMap<ObjectId, Use> = BTreeMap::new();
        for node in nodes {
            let (Op::Load { from: access, .. } | Op::Store { to: access, .. }) = self.code.get(*node).op
            else {
                continue;
            };
            let targets = points.targets(&self.builder.program().terms, &self.memory, access.address);
            for (object, offsets) in targets.iter().filter(|(id, _)| self.memory.get(**id).untyped) {
                uses.entry(*object).or_default().note(access, offsets);
            }
        }
        for (object, usage) in &uses {
            let size = self.memory.get(*object).size;
            if self.fills(*object) {
                continue;
            }
            if let Some(parts) = usage.parts(size) {
                let old = std::mem::take(&mut self.memory.objects[object.index()].parts);
                let any = old.iter().any(|(_, var)| self.builder.program().variable(*var).init == Init::Any);
                let contents = if any { Contents::Any } else { Contents::Constants(BTreeMap::new()) };
                self.furnish(*object, parts, &contents, Origin::User)?;
            }
        }
        Ok(!uses.is_empty())
    }

    /// Whether a part of the object is somewhere assigned whole.
    fn fills(&self, object: ObjectId) -> bool {
        let parts = &self.memory.get(object).parts;
        self.code.nodes.iter().any(|node| match node.op {
            Op::Fill { part, .. } => parts.iter().any(|(_, var)| *var == part),
            _ => false,
        })
    }
}
