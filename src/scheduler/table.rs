//! The primitives of a scheduler as a table: names, and numbers by position.

use super::Misuse;
use crate::program::Primitive;

/// A primitive of a scheduler.
#[derive(Clone, Copy)]
pub(super) struct Entry<P> {
    /// The name by which models call it.
    pub name: &'static str,
    /// Which it is.
    pub kind: P,
    /// How many arguments it takes.
    pub arguments: usize,
    /// Whether it can end its caller's turn.
    pub blocks: Blocks,
}

/// Whether a primitive can end its caller's turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    /// The caller always goes on.
    Never,
    /// The caller may have to wait.
    Perhaps,
}

/// The number of a primitive by its name.
pub(super) fn find<P>(table: &[Entry<P>], name: &str) -> Option<Primitive> {
    let position = table.iter().position(|entry| entry.name == name)?;
    Some(Primitive(position as u8))
}

/// A primitive by its number.
pub(super) fn entry<P>(table: &[Entry<P>], primitive: Primitive) -> &Entry<P> {
    &table[usize::from(primitive.0)]
}

/// What a primitive is, if it has as many arguments as it needs.
pub(super) fn checked<P: Copy>(
    table: &[Entry<P>],
    primitive: Primitive,
    arguments: &[i64],
) -> Result<P, Misuse> {
    let entry = entry(table, primitive);
    match entry.arguments == arguments.len() {
        true => Ok(entry.kind),
        false => Err(Misuse(format!("`{}` takes {} arguments", entry.name, entry.arguments))),
    }
}

/// An argument as a number; larger ones are as good as the largest.
pub(super) fn number(argument: i64) -> i32 {
    argument.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}
