//! Values as people read them: numbers in decimal, addresses as `&queue[2]`.

use crate::program::{Object, ObjectKind, Program};
use crate::replay::Cell;
use crate::term::{Datum, Sort, VarId};

/// The name of a scalar or element, close to the source.
pub(super) fn cell_name(program: &Program, (var, element): Cell) -> String {
    let name = &program.variable(var).name;
    match element {
        Some(element) => format!("{name}[{element}]"),
        None => name.clone(),
    }
}

/// A value of a variable or of one of its elements.
///
/// A word as wide as a pointer that is an address inside an object is shown as that. Objects start high, so that
/// this hardly ever happens to a number.
pub(super) fn value_text(program: &Program, var: VarId, value: &Datum) -> String {
    match value {
        Datum::Bool(truth) => truth.to_string(),
        Datum::Word(number) => {
            let wide = match program.variable(var).sort {
                Sort::Word(word) => word.bits() >= 32 && !word.is_signed(),
                Sort::Array(array) => array.elem.bits() >= 32 && !array.elem.is_signed(),
                Sort::Bool => false,
            };
            let address = if wide { address_text(program, *number) } else { None };
            address.unwrap_or_else(|| number.to_string())
        }
        Datum::Array(values) => {
            let values: Vec<String> = values.iter().map(i128::to_string).collect();
            format!("{{{}}}", values.join(", "))
        }
    }
}

fn address_text(program: &Program, number: i128) -> Option<String> {
    let address = u64::try_from(number).ok()?;
    let object = program.objects.iter().find(|object| {
        address >= object.base && (address - object.base < object.size || address == object.base)
    })?;
    let offset = address - object.base;
    Some(match object.kind {
        ObjectKind::Function if offset == 0 => object.name.clone(),
        ObjectKind::Heap if offset == 0 => object.name.clone(),
        _ => format!("&{}{}", object.name, part_text(program, object, offset)),
    })
}

/// The part of an object at an offset: `.next`, `[3]`, ` + 5 bytes`.
fn part_text(program: &Program, object: &Object, offset: u64) -> String {
    let before = object.parts.iter().filter(|(start, ..)| *start <= offset).max_by_key(|(start, ..)| *start);
    let Some((start, suffix, var)) = before else { return inside(offset) };
    match program.variables.get(var.index()).map(|variable| variable.sort) {
        Some(Sort::Array(array)) => {
            let size = u64::from(array.elem.bits().div_ceil(8));
            format!("{suffix}[{}]{}", (offset - start) / size, inside((offset - start) % size))
        }
        // The address of the first part is that of the whole.
        _ if offset == 0 => String::new(),
        _ => format!("{suffix}{}", inside(offset - start)),
    }
}

fn inside(bytes: u64) -> String {
    match bytes {
        0 => String::new(),
        bytes => format!(" + {bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Init, Origin, ProgramBuilder, Role, Sources, Variable};
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
        let [key, next] =
            ["node.key", "node.next"].map(|name| variable(name, Sort::Word(Word::unsigned(64))));
        let object =
            |name: &str, kind, base, size, parts| Object { name: name.to_owned(), kind, base, size, parts };
        builder.object(object("queue", ObjectKind::Global, 0x10_0000, 16, vec![(0, String::new(), queue)]));
        let parts = vec![(0, ".key".to_owned(), key), (8, ".next".to_owned(), next)];
        builder.object(object("node", ObjectKind::Global, 0x20_0000, 16, parts.clone()));
        builder.object(object("malloc@12", ObjectKind::Heap, 0x30_0000, 16, parts));
        builder.object(object("worker", ObjectKind::Function, 0x40_0000, 1, Vec::new()));
        let program = builder.build();
        for (address, text) in [
            (0x10_0008, "&queue[2]"),
            (0x10_0009, "&queue[2] + 1 bytes"),
            (0x20_0000, "&node"),
            (0x20_0008, "&node.next"),
            (0x30_0000, "malloc@12"),
            (0x30_0008, "&malloc@12.next"),
            (0x40_0000, "worker"),
            (0x50_0000, "5242880"),
            (0, "0"),
        ] {
            assert_eq!(value_text(&program, pointer, &Datum::Word(address)), text);
        }
        assert_eq!(value_text(&program, number, &Datum::Word(0x10_0008)), "1048584");
        assert_eq!(value_text(&program, number, &Datum::Word(-3)), "-3");
    }
}
