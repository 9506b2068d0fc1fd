//! Names of variables, places and addresses as people read them: `x`, `queue[2]`, `cells[1].key`, `&queue[2]`,
//! `pay#2::before`.
//!
//! Private variables of different threads often have one name, as each thread has its own copy of a local;
//! then the name says whose it is. Values on the way from one step to the next have no name in C: they are
//! called by what was read, `[full]`, or by the line that computed them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Object, ObjectKind, Origin, Part, Program, Role, ThreadId};
use crate::term::{Node, Pool, VarId};

/// How all variables of a program are called in reports.
#[derive(Clone, Debug)]
pub struct Names {
    names: Vec<String>,
}

impl Names {
    /// The names of a program's variables.
    pub fn new(program: &Program) -> Names {
        let mut names: Vec<String> = program.variables.iter().map(|variable| variable.name.clone()).collect();
        let read = values_read(program);
        for (index, variable) in program.variables.iter().enumerate() {
            if variable.origin == Origin::Internal && variable.role == Role::Shared {
                names[index] = library_name(&variable.name).to_owned();
            }
            if variable.origin == Origin::Internal
                && is_number(&variable.name)
                && let Some(name) = read.get(&VarId::new(index))
            {
                names[index].clone_from(name);
            }
        }
        let mut owners: BTreeMap<String, BTreeSet<Role>> = BTreeMap::new();
        for (name, variable) in names.iter().zip(&program.variables) {
            owners.entry(name.clone()).or_default().insert(variable.role);
        }
        for (name, variable) in names.iter_mut().zip(&program.variables) {
            if let Role::Private(thread) = variable.role
                && owners[name.as_str()].len() > 1
            {
                *name = qualified(program, thread, name);
            }
        }
        Names { names }
    }

    /// The name of a variable.
    pub fn of(&self, var: VarId) -> &str {
        &self.names[var.index()]
    }

    /// Gives the variables in a pool of the program these names; others keep theirs.
    pub fn put_into(&self, pool: &mut Pool) {
        for (index, name) in self.names.iter().enumerate() {
            pool.rename(VarId::new(index), name);
        }
    }
}

/// A lock is called after the object, not after the member of it that says who holds it; so is a semaphore.
fn library_name(name: &str) -> &str {
    name.strip_suffix(".owner").or_else(|| name.strip_suffix(".value")).unwrap_or(name)
}

/// Whether a name is that of a value on its way: `t12`.
fn is_number(name: &str) -> bool {
    name.strip_prefix('t').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// `pay::before` of the thread `pay#2` is `pay#2::before`.
fn qualified(program: &Program, thread: ThreadId, name: &str) -> String {
    let owner = &program.thread(thread).name;
    let function = owner.split('#').next().unwrap_or(owner);
    let local = name.strip_prefix(function).and_then(|rest| rest.strip_prefix("::"));
    format!("{owner}::{}", local.unwrap_or(name))
}

/// For each variable made up for a value: what was read into it, or the line that computed it.
fn values_read(program: &Program) -> BTreeMap<VarId, String> {
    let mut found: BTreeMap<VarId, BTreeSet<String>> = BTreeMap::new();
    let mut lines: BTreeMap<VarId, u32> = BTreeMap::new();
    for transition in &program.transitions {
        let line = program.location(transition.from).span.line;
        for update in transition.updates.iter().filter(|update| update.place.index.is_none()) {
            let var = update.place.var;
            lines.entry(var).or_insert(line);
            let text = match *program.terms.node(update.value) {
                Node::Var(from) if program.variable(from).origin == Origin::User => {
                    program.variable(from).name.clone()
                }
                _ => String::new(),
            };
            found.entry(var).or_default().insert(text);
        }
    }
    let name = |(var, line): (VarId, u32)| {
        let texts = found.get(&var)?;
        let only = texts.first().filter(|text| texts.len() == 1 && !text.is_empty());
        Some((var, only.map_or_else(|| format!("[value of line {line}]"), |text| format!("[{text}]"))))
    };
    lines.into_iter().filter_map(name).collect()
}

impl Program {
    /// The name of a scalar or element: `x`, `queue[2]`, `cells[1].key`.
    pub fn place_name(&self, var: VarId, element: Option<u32>) -> String {
        let name = &self.variable(var).name;
        let Some(element) = element else { return name.clone() };
        let records = self.objects.iter().find_map(|object| {
            let part = object.parts.iter().find(|part| part.var == var)?;
            records(object)
                .filter(|_| part.dims.len() == 1)
                .map(|_| format!("{}[{element}]{}", object.name, part.suffix))
        });
        records.unwrap_or_else(|| format!("{name}[{element}]"))
    }

    /// An address as C would have it, if it is one: `&queue[2]`, `worker`, `node@12`.
    pub fn address_text(&self, number: i128) -> Option<String> {
        let address = u64::try_from(number).ok()?;
        let object = self.object_at(address)?;
        let offset = address - object.base;
        // What belongs to a model is called as users would call it.
        let name = object.name.strip_prefix("__regrain_").unwrap_or(&object.name);
        Some(match object.kind {
            ObjectKind::Function if offset == 0 => name.to_owned(),
            ObjectKind::Heap if offset == 0 => name.to_owned(),
            _ => format!("&{name}{}", part_text(object, offset)),
        })
    }

    /// The library object at an address, such as a mutex: `m`, `accounts[1].lock`, `node@12.lock`.
    pub fn library_object(&self, number: i128) -> Option<String> {
        let address = u64::try_from(number).ok()?;
        let object = self.object_at(address)?;
        let offset = address - object.base;
        let (part, element) = object.parts.iter().find_map(|part| Some((part, element_at(part, offset)?)))?;
        let name = self.place_name(part.var, element);
        match self.variable(part.var).origin {
            // The part is a member of the library's structure.
            Origin::Internal => name.rsplit_once('.').map(|(whole, _)| whole.to_owned()),
            Origin::User => Some(name),
        }
    }

    fn object_at(&self, address: u64) -> Option<&Object> {
        self.objects.iter().find(|object| {
            address >= object.base && (address - object.base < object.size || address == object.base)
        })
    }
}

/// The element of a part that begins at an offset in its object; the outer option is whether one does.
fn element_at(part: &Part, offset: u64) -> Option<Option<u32>> {
    let mut rest = offset.checked_sub(part.offset)?;
    let mut index = 0;
    for &(count, stride) in &part.dims {
        let at = rest / stride;
        if at >= count {
            return None;
        }
        index = index * count + at;
        rest %= stride;
    }
    let element = if part.dims.is_empty() { None } else { Some(u32::try_from(index).ok()?) };
    (rest == 0).then_some(element)
}

/// If an object is an array of records, the bytes from one to the next.
fn records(object: &Object) -> Option<u64> {
    let (count, stride) = *object.parts.first()?.dims.first()?;
    let same = object.parts.iter().all(|part| {
        part.dims.first() == Some(&(count, stride)) && part.offset < stride && !part.suffix.is_empty()
    });
    (same && count * stride == object.size).then_some(stride)
}

/// The part of an object at an offset: `.next`, `[3]`, `[1].key`, ` + 5 bytes`.
fn part_text(object: &Object, offset: u64) -> String {
    if let Some(stride) = records(object) {
        let field = match offset % stride {
            0 => String::new(),
            inner => (object.parts.iter())
                .find(|part| part.offset == inner && part.dims.len() == 1)
                .map_or_else(|| inside(inner), |part| part.suffix.clone()),
        };
        return format!("[{}]{field}", offset / stride);
    }
    let before = object.parts.iter().filter(|part| part.offset <= offset).max_by_key(|part| part.offset);
    match before.map(|part| (part, part.dims.as_slice())) {
        Some((part, &[(count, stride)])) if offset - part.offset < count * stride => {
            let distance = offset - part.offset;
            format!("{}[{}]{}", part.suffix, distance / stride, inside(distance % stride))
        }
        // The address of the first part is that of the whole.
        Some((part, [])) if offset > 0 => format!("{}{}", part.suffix, inside(offset - part.offset)),
        _ => inside(offset),
    }
}

fn inside(bytes: u64) -> String {
    match bytes {
        0 => String::new(),
        bytes => format!(" + {bytes} bytes"),
    }
}
