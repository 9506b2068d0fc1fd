//! Values as people read them: numbers in decimal, floating-point ones as C writes them, addresses as
//! `&queue[2]`.

use crate::program::{Lanes, Names, Program};
use crate::replay::Cell;
use crate::term::{Datum, Sort, VarId};

/// The name of some bytes of a scalar or element: `u`, `u (byte 0)`, `u (bytes 2 to 3)`.
pub(super) fn bytes_name(program: &Program, names: &Names, cell: Cell, lanes: Lanes) -> String {
    let name = cell_name(program, names, cell);
    let bytes: Vec<usize> = (0..8).filter(|&byte| lanes.contains(byte)).collect();
    match bytes[..] {
        _ if lanes.is_all() => name,
        [byte] => format!("{name} (byte {byte})"),
        [first, .., last] => format!("{name} (bytes {first} to {last})"),
        [] => name,
    }
}

/// The value of some bytes of a word, the first of them the lowest.
pub(super) fn bytes_value(value: &Datum, lanes: Lanes) -> Datum {
    match value {
        Datum::Word(value) if !lanes.is_all() => {
            Datum::Word((value & i128::from(lanes.mask())) >> lanes.mask().trailing_zeros())
        }
        value => value.clone(),
    }
}

/// The name of a scalar or element, close to the source: `x`, `queue[2]`, `cells[1].key`, and for the copy
/// that one of several threads has of a local `pay#2::before`.
pub(super) fn cell_name(program: &Program, names: &Names, (var, element): Cell) -> String {
    match element {
        None => names.of(var).to_owned(),
        Some(_) => program.place_name(var, element),
    }
}

/// A value of a variable or of one of its elements.
///
/// A word as wide as a pointer that is an address inside an object is shown as that. Objects start high, so
/// that this hardly ever happens to a number.
pub(super) fn value_text(program: &Program, var: VarId, value: &Datum) -> String {
    match value {
        Datum::Bool(truth) => truth.to_string(),
        Datum::Word(number) if program.floats.contains(&var) => float_text(program, var, *number),
        Datum::Word(number) => {
            let wide = match program.variable(var).sort {
                Sort::Word(word) => word.bits() >= 32 && !word.is_signed(),
                Sort::Array(array) => array.elem.bits() >= 32 && !array.elem.is_signed(),
                Sort::Bool => false,
            };
            let address = if wide { program.address_text(*number) } else { None };
            address.unwrap_or_else(|| number.to_string())
        }
        Datum::Array(values) => {
            let text = |value: &i128| match program.floats.contains(&var) {
                true => float_text(program, var, *value),
                false => value.to_string(),
            };
            let values: Vec<String> = values.iter().map(text).collect();
            format!("{{{}}}", values.join(", "))
        }
    }
}

/// A floating-point number with as many digits as tell it from all others: `1.5`, `0.1f`, `1e300`, `-inf`,
/// `nan`.
fn float_text(program: &Program, var: VarId, number: i128) -> String {
    let bits = match program.variable(var).sort {
        Sort::Word(word) => word.bits(),
        Sort::Array(array) => array.elem.bits(),
        Sort::Bool => 64,
    };
    match bits {
        32 => {
            let value = f32::from_bits(number as u32);
            special(f64::from(value)).unwrap_or_else(|| format!("{value:?}f"))
        }
        _ => {
            let value = f64::from_bits(number as u64);
            special(value).unwrap_or_else(|| format!("{value:?}"))
        }
    }
}

/// What has no literal.
fn special(value: f64) -> Option<String> {
    match value {
        _ if value.is_nan() => Some("nan".to_owned()),
        f64::INFINITY => Some("inf".to_owned()),
        f64::NEG_INFINITY => Some("-inf".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Init, Object, ObjectKind, Origin, Part, ProgramBuilder, Role, Sources, Variable};
    use crate::term::{ArraySort, Word};

    #[test]
    fn addresses_are_shown_as_parts_of_objects() {
        let mut builder = ProgramBuilder::new(Sources::default());
        let mut variable = |name: &str, sort| {
            let init = Init::Value(Datum::zero(sort));
            let (name, role, origin) = (name.to_owned(), Role::Shared, Origin::User);
            builder.variable(Variable { name, sort, role, init, origin })
        };
        let pointer = variable("p", Sort::Word(Word::unsigned(64)));
        let number = variable("n", Sort::Word(Word::signed(64)));
        let queue = variable("queue", Sort::Array(ArraySort { len: 4, elem: Word::signed(32) }));
        let keys = variable("cells.key", Sort::Array(ArraySort { len: 4, elem: Word::signed(32) }));
        let old = variable("cells.old", Sort::Array(ArraySort { len: 4, elem: Word::signed(32) }));
        let [key, next] =
            ["node.key", "node.next"].map(|name| variable(name, Sort::Word(Word::unsigned(64))));
        let part = |offset, suffix: &str, var, dims: &[(u64, u64)]| {
            let (suffix, dims) = (suffix.to_owned(), dims.to_vec());
            Part { offset, suffix, var, dims }
        };
        let object =
            |name: &str, kind, base, size, parts| Object { name: name.to_owned(), kind, base, size, parts };
        builder.object(object(
            "queue",
            ObjectKind::Global,
            0x10_0000,
            16,
            vec![part(0, "", queue, &[(4, 4)])],
        ));
        let parts = vec![part(0, ".key", key, &[]), part(8, ".next", next, &[])];
        builder.object(object("node", ObjectKind::Global, 0x20_0000, 16, parts.clone()));
        builder.object(object("malloc@12", ObjectKind::Heap, 0x30_0000, 16, parts));
        let parts = vec![part(0, ".key", keys, &[(4, 8)]), part(4, ".old", old, &[(4, 8)])];
        builder.object(object("cells", ObjectKind::Global, 0x60_0000, 32, parts));
        builder.object(object("worker", ObjectKind::Function, 0x40_0000, 1, Vec::new()));
        let program = builder.build();
        let names = Names::new(&program);
        for (address, text) in [
            (0x10_0008, "&queue[2]"),
            (0x10_0009, "&queue[2] + 1 bytes"),
            (0x20_0000, "&node"),
            (0x20_0008, "&node.next"),
            (0x30_0000, "malloc@12"),
            (0x30_0008, "&malloc@12.next"),
            (0x40_0000, "worker"),
            (0x50_0000, "5242880"),
            (0x60_0010, "&cells[2]"),
            (0x60_0014, "&cells[2].old"),
            (0x60_0015, "&cells[2] + 5 bytes"),
            (0, "0"),
        ] {
            assert_eq!(value_text(&program, pointer, &Datum::Word(address)), text);
        }
        assert_eq!(value_text(&program, number, &Datum::Word(0x10_0008)), "1048584");
        assert_eq!(value_text(&program, number, &Datum::Word(-3)), "-3");
        assert_eq!(cell_name(&program, &names, (keys, Some(3))), "cells[3].key");
        assert_eq!(cell_name(&program, &names, (queue, Some(3))), "queue[3]");
        assert_eq!(cell_name(&program, &names, (next, None)), "node.next");
    }
}
