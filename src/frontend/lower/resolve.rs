//! What an address can mean: the cases of a memory access.
//!
//! A case says under which condition on the address the access falls on which scalar. The conditions exclude
//! one another; an address that meets none of them is outside every live object that it could have come from,
//! and the run ends as undefined there.
//!
//! An index is recovered from the address: for `base + stride * i + c` it is `i` with `0 <= i + c/stride < n`
//! (so that overflow of the multiplication cannot alias), otherwise it is the distance divided by the stride,
//! which must divide it.

use super::code::Access;
use super::layout::{Dim, Part};
use super::memory::{Memory, Object, ObjectId};
use super::points_to::{Offsets, PointsTo};
use crate::program::{ObjectKind, Place};
use crate::term::{Node, Pool, TermId, VarId, Word};

/// Arrays up to this length are split into their elements when an address into them is not a sum with a known
/// base.
const SPLIT_LIMIT: u64 = 8;

/// One case of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    /// When it applies.
    pub guard: TermId,
    /// The scalar.
    pub place: Place,
    /// Its word.
    pub word: Word,
    /// If only some of its bytes are accessed, the number of bits below them: an unsigned word of its width.
    pub shift: Option<TermId>,
}

/// What accesses can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Reads.
    Read,
    /// Writes; literals are read-only.
    Write,
}

/// An element of a part: condition and index.
struct Element {
    guard: TermId,
    index: Option<TermId>,
}

/// The cases of an access.
pub(super) fn cases(
    pool: &mut Pool,
    memory: &Memory,
    points: &PointsTo,
    access: Access,
    kind: Kind,
) -> Vec<Case> {
    let mut cases = Vec::new();
    for (id, offsets) in points.targets(pool, memory, access.address) {
        let object = memory.get(id);
        if object.kind == ObjectKind::Function || object.kind == ObjectKind::Literal && kind == Kind::Write {
            continue;
        }
        let there = is_there(pool, object, access);
        let first = cases.len();
        match offsets {
            Offsets::Exact(offsets) => {
                for offset in offsets {
                    exact(pool, object, access, offset, &mut cases);
                }
            }
            Offsets::Any => anywhere(pool, memory, id, access, &mut cases),
        }
        for case in &mut cases[first..] {
            case.guard = pool.and(&[case.guard, there]);
        }
    }
    cases.retain(|case| pool.as_bool(case.guard) != Some(false));
    cases
}

/// What to say of an address that is in no case.
pub(super) fn invalid(pool: &Pool, memory: &Memory, points: &PointsTo, address: TermId) -> String {
    let targets = points.targets(pool, memory, address);
    let mut names: Vec<String> = targets.keys().map(|id| format!("`{}`", memory.get(*id).name)).collect();
    names.dedup();
    let ends = |kinds: &[ObjectKind]| {
        targets.keys().map(|id| memory.get(*id)).any(|o| o.alive.is_some() && kinds.contains(&o.kind))
    };
    let freed = match (ends(&[ObjectKind::Heap]), ends(&[ObjectKind::Local])) {
        (true, true) => " or after it was freed or its function or block was left",
        (true, false) => " or after it was freed",
        (false, true) => " or after its function or block was left",
        (false, false) => "",
    };
    let based = memory.owner(Linear::new(pool, address).constant).is_some();
    match &names[..] {
        [] if pool.as_const(address).is_some_and(|value| value < 4096) => {
            "dereference of a null pointer".to_owned()
        }
        [] => "dereference of a pointer to no known object".to_owned(),
        [name] if based => format!("access outside of {name}{freed}"),
        _ if names.len() > 3 => {
            format!("access through a null pointer or outside of {} and others{freed}", names[..3].join(", "))
        }
        _ => format!("access through a null pointer or outside of {}{freed}", names.join(", ")),
    }
}

/// Whether an object is alive, and large enough for an access somewhere in it.
fn is_there(pool: &mut Pool, object: &Object, access: Access) -> TermId {
    let mut guards = Vec::new();
    guards.extend(object.alive.map(|alive| pool.var(alive)));
    if let Some(extent) = object.extent {
        let word = pool.word(access.address);
        let before = object.at(pool, -i128::from(access.size), word);
        let (end, extent) = (pool.sub(access.address, before), pool.var(extent));
        guards.push(pool.le(end, extent));
    }
    pool.and(&guards)
}

/// The case of one offset.
fn exact(pool: &mut Pool, object: &Object, access: Access, offset: i64, cases: &mut Vec<Case>) {
    let Ok(offset) = u64::try_from(offset) else { return };
    for (part, var) in &object.parts {
        let Some((index, byte)) = part.locate(offset) else { continue };
        if byte + access.size > part.size {
            continue;
        }
        let guard = address_is(pool, access.address, object, offset);
        let index = (!part.dims.is_empty()).then(|| pool.constant(i128::from(index), Word::unsigned(32)));
        let place = Place { var: *var, index };
        let shift = known_shift(pool, part, access, byte);
        cases.push(Case { guard, place, word: part.word, shift });
    }
}

/// The shift of an access at a known byte of a scalar.
fn known_shift(pool: &mut Pool, part: &Part, access: Access, byte: u64) -> Option<TermId> {
    let wide = Word::unsigned(part.word.bits());
    (access.size != part.size).then(|| pool.constant(8 * i128::from(byte), wide))
}

/// Whether an address is that of a byte of an object.
fn address_is(pool: &mut Pool, address: TermId, object: &Object, offset: u64) -> TermId {
    let word = pool.word(address);
    let here = object.at(pool, i128::from(offset), word);
    pool.eq(address, here)
}

/// The cases of an address somewhere in an object.
fn anywhere(pool: &mut Pool, memory: &Memory, id: ObjectId, access: Access, cases: &mut Vec<Case>) {
    let object = memory.get(id);
    let linear = Linear::new(pool, access.address);
    let based =
        object.seat.is_none() && matches!(memory.owner(linear.constant), Some((owner, _)) if owner == id);
    for (part, var) in &object.parts {
        if part.size != access.size {
            // Bytes of wider scalars are found one by one, in small objects.
            if part.size > access.size && part.count() <= SPLIT_LIMIT {
                for offset in part.offsets() {
                    for byte in (0..=part.size - access.size).step_by(access.size as usize) {
                        exact_in(pool, object, (part, *var), access, offset + byte, cases);
                    }
                }
            } else if part.size > access.size {
                divided(pool, access, object, (part, *var), cases);
            }
            continue;
        }
        let start = i128::from(object.base + part.offset);
        if part.dims.is_empty() {
            let guard = address_is(pool, access.address, object, part.offset);
            push(cases, part, *var, Element { guard, index: None });
        } else if based {
            match linear_index(pool, &linear, start, part) {
                Some(Some(element)) => push(cases, part, *var, element),
                Some(None) => {}
                None => divided(pool, access, object, (part, *var), cases),
            }
        } else if part.count() <= SPLIT_LIMIT {
            for offset in part.offsets() {
                exact_in(pool, object, (part, *var), access, offset, cases);
            }
        } else {
            divided(pool, access, object, (part, *var), cases);
        }
    }
}

fn push(cases: &mut Vec<Case>, part: &Part, var: VarId, element: Element) {
    let place = Place { var, index: element.index };
    cases.push(Case { guard: element.guard, place, word: part.word, shift: None });
}

fn exact_in(
    pool: &mut Pool,
    object: &Object,
    (part, var): (&Part, VarId),
    access: Access,
    offset: u64,
    cases: &mut Vec<Case>,
) {
    let Some((index, byte)) = part.locate(offset) else { return };
    let guard = address_is(pool, access.address, object, offset);
    let index = (!part.dims.is_empty()).then(|| pool.constant(i128::from(index), Word::unsigned(32)));
    let shift = known_shift(pool, part, access, byte);
    cases.push(Case { guard, place: Place { var, index }, word: part.word, shift });
}

/// An address as a sum.
struct Linear {
    monomials: Vec<(TermId, i128)>,
    constant: i128,
    word: Word,
}

impl Linear {
    fn new(pool: &Pool, address: TermId) -> Linear {
        let word = pool.word(address);
        let signed = Word::signed(word.bits());
        let mut linear = Linear { monomials: Vec::new(), constant: 0, word };
        let mut rest = Some(address);
        while let Some(term) = rest {
            let last = match *pool.node(term) {
                Node::Add(left, right) => {
                    rest = Some(left);
                    right
                }
                _ => {
                    rest = None;
                    term
                }
            };
            match *pool.node(last) {
                Node::Const(value, _) => linear.constant = value,
                Node::Mul(inner, factor) if pool.as_const(factor).is_some() => {
                    let factor = pool.as_const(factor).expect("just seen");
                    linear.monomials.push((inner, signed.wrap(factor)));
                }
                _ => linear.monomials.push((last, 1)),
            }
        }
        linear
    }
}

/// The element at an address that is a sum with a base inside the object; `None` if the strides do not fit,
/// `Some(None)` if no element can be there.
fn linear_index(pool: &mut Pool, linear: &Linear, start: i128, part: &Part) -> Option<Option<Element>> {
    let distance = linear.constant - start;
    if let [dim] = part.dims[..] {
        let stride = i128::from(dim.stride);
        if linear.monomials.iter().any(|(_, factor)| factor % stride != 0) {
            return None;
        }
        if distance % stride != 0 {
            return Some(None);
        }
        return Some(Some(single_index(pool, linear, distance / stride, dim)));
    }
    let mut rest = distance;
    let mut guards = Vec::new();
    let mut index = pool.constant(0, linear.word);
    let mut left: Vec<(TermId, i128)> = linear.monomials.clone();
    for dim in &part.dims {
        let stride = i128::from(dim.stride);
        let mut here = pool.constant(rest.div_euclid(stride), linear.word);
        rest = rest.rem_euclid(stride);
        for &(term, factor) in left.iter().filter(|(_, factor)| factor % stride == 0) {
            let factor = pool.constant(factor / stride, linear.word);
            let product = pool.mul(term, factor);
            here = pool.add(here, product);
        }
        left.retain(|(_, factor)| factor % stride != 0);
        let last = pool.constant(i128::from(dim.count) - 1, linear.word);
        guards.push(pool.le(here, last));
        let count = pool.constant(i128::from(dim.count), linear.word);
        index = pool.mul(index, count);
        index = pool.add(index, here);
    }
    if !left.is_empty() {
        return None;
    }
    (rest == 0)
        .then(|| Element { guard: pool.and(&guards), index: Some(index) })
        .map_or(Some(None), |e| Some(Some(e)))
}

/// The index along one dimension: the monomials divided by the stride, plus `shift`.
fn single_index(pool: &mut Pool, linear: &Linear, shift: i128, dim: Dim) -> Element {
    let stride = i128::from(dim.stride);
    let last = i128::from(dim.count) - 1;
    // The usual case, `a[i + c]` with `i` narrower than an address: bounds on `i` itself.
    if let [(term, factor)] = linear.monomials[..]
        && factor == stride
    {
        let inner = match *pool.node(term) {
            Node::Cast(inner, _) => inner,
            _ => term,
        };
        let word = pool.word(inner);
        if (word.bits() < linear.word.bits() || inner == term) && word.contains(last) {
            let (low, high) = ((-shift).max(word.min()), (last - shift).min(word.max()));
            if low > high {
                return Element { guard: pool.bool(false), index: Some(inner) };
            }
            let (low, high) = (pool.constant(low, word), pool.constant(high, word));
            let guards = [pool.le(low, inner), pool.le(inner, high)];
            let shift = pool.constant(shift, word);
            let index = pool.add(inner, shift);
            return Element { guard: pool.and(&guards), index: Some(index) };
        }
    }
    let mut index = pool.constant(shift, linear.word);
    for &(term, factor) in &linear.monomials {
        let factor = pool.constant(factor / stride, linear.word);
        let product = pool.mul(term, factor);
        index = pool.add(index, product);
    }
    let last = pool.constant(last, linear.word);
    Element { guard: pool.le(index, last), index: Some(index) }
}

/// The case of an array whose element is found by dividing the distance from its start; also of bytes in the
/// elements.
fn divided(
    pool: &mut Pool,
    access: Access,
    object: &Object,
    (part, var): (&Part, VarId),
    cases: &mut Vec<Case>,
) {
    let word = pool.word(access.address);
    let start = object.at(pool, i128::from(part.offset), word);
    let mut rest = pool.sub(access.address, start);
    let mut guards = Vec::new();
    let mut index = pool.constant(0, word);
    for dim in &part.dims {
        let bytes = pool.constant(i128::from(dim.count * dim.stride) - 1, word);
        guards.push(pool.le(rest, bytes));
        let stride = pool.constant(i128::from(dim.stride), word);
        let here = pool.div(rest, stride);
        rest = pool.rem(rest, stride);
        let count = pool.constant(i128::from(dim.count), word);
        index = pool.mul(index, count);
        index = pool.add(index, here);
    }
    // What is left are the bytes into the element.
    let (place, wide) = (Place { var, index: Some(index) }, Word::unsigned(part.word.bits()));
    let zero = pool.constant(0, word);
    let shift = match access.size == part.size {
        true => {
            guards.push(pool.eq(rest, zero));
            None
        }
        false => {
            let (size, eight) = (pool.constant(i128::from(access.size), word), pool.constant(8, word));
            let last = pool.constant(i128::from(part.size - access.size), word);
            let over = pool.rem(rest, size);
            guards.extend([pool.le(rest, last), pool.eq(over, zero)]);
            let bits = pool.mul(rest, eight);
            Some(pool.cast(bits, wide))
        }
    };
    let guard = pool.and(&guards);
    cases.push(Case { guard, place, word: part.word, shift });
}
