//! Initialisers: nested lists, designators, elided braces, strings (C11 6.7.9), flattened to values at byte
//! offsets.

use lang_c::ast;
use lang_c::span::Node;

use super::{Analyser, Result};
use crate::frontend::tree::{BitField, Expr, Init, InitPart, RecordKind, Type, TypeId};
use crate::program::Span;

/// Values that one initialiser may have.
const MAX_PARTS: usize = 1 << 20;

/// A part of the object that a value goes to.
#[derive(Clone, Copy)]
struct Slot {
    ty: TypeId,
    offset: u64,
    bits: Option<BitField>,
}

/// An aggregate that is being filled, and the next of its elements.
struct Frame {
    ty: TypeId,
    offset: u64,
    next: u64,
}

/// A list being read: the aggregates from the one the braces belong to down to the current one.
struct List {
    frames: Vec<Frame>,
    /// Elements that the outermost array has at least.
    length: u64,
}

type Item = Node<ast::InitializerListItem>;

impl<'a> Analyser<'a> {
    /// The initial value of an object of type `ty`, and the type with its length if it was an array without
    /// one, or the value's type if it was `__auto_type`.
    pub fn initialiser(&mut self, ty: TypeId, node: &'a Node<ast::Initializer>) -> Result<(TypeId, Init)> {
        let span = self.span(node);
        let mut init = Init { parts: Vec::new() };
        let ty = match &node.node {
            ast::Initializer::List(items) => return self.initialiser_list(ty, items, span),
            ast::Initializer::Expression(expression) => {
                let slot = Slot { ty, offset: 0, bits: None };
                if let Some(length) = self.string_into(slot, expression, &mut init)? {
                    self.completed(ty, length)
                } else if self.is_library_default(ty, expression)? {
                    ty
                } else {
                    let value = self.value(expression)?;
                    let ty = if ty == self.auto_type { value.ty } else { ty };
                    let slot = Slot { ty, ..slot };
                    self.put_value(slot, value, &mut init, span)?;
                    ty
                }
            }
        };
        Ok((ty, init))
    }

    /// The same for a list in braces.
    pub fn initialiser_list(&mut self, ty: TypeId, items: &'a [Item], span: Span) -> Result<(TypeId, Init)> {
        let mut init = Init { parts: Vec::new() };
        let length = self.list(Slot { ty, offset: 0, bits: None }, items, &mut init, span)?;
        Ok((self.completed(ty, length), init))
    }

    fn completed(&mut self, ty: TypeId, length: u64) -> TypeId {
        match *self.types.get(ty) {
            Type::Array(element, None) => self.types.intern(Type::Array(element, Some(length))),
            _ => ty,
        }
    }

    /// Fills `slot` from a list in braces; gives the number of elements if it is an array.
    fn list(&mut self, slot: Slot, items: &'a [Item], init: &mut Init, span: Span) -> Result<u64> {
        if let Some(parts) = self.library_list(slot.ty, items)? {
            let placed = parts.into_iter().map(|(offset, value)| InitPart::at(slot.offset + offset, value));
            init.parts.extend(placed);
            return Ok(0);
        }
        if !self.is_aggregate(slot.ty) {
            return match items.first() {
                Some(item) => self.item_into(slot, &item.node.initializer, init).map(|()| 0),
                None => Ok(0),
            };
        }
        if let [only] = items
            && only.node.designation.is_empty()
            && let ast::Initializer::Expression(expression) = &only.node.initializer.node
            && let Some(length) = self.string_into(slot, expression, init)?
        {
            return Ok(length);
        }
        if slot.offset > 0 && matches!(self.types.get(slot.ty), Type::Array(_, None)) && !items.is_empty() {
            return self.refuse(span, "an initialiser of a flexible array member is not supported");
        }
        let mut list = List { frames: vec![Frame { ty: slot.ty, offset: slot.offset, next: 0 }], length: 0 };
        for item in items {
            if item.node.designation.is_empty() {
                self.next_item(&mut list, &item.node.initializer, init)?;
            } else {
                list.frames.truncate(1);
                self.designated(&mut list, &item.node.designation, &item.node.initializer, init)?;
            }
            if init.parts.len() > MAX_PARTS {
                return self.too_large(span, "the initialiser is too large");
            }
        }
        Ok(list.length)
    }

    /// One initialiser for all of `slot`.
    fn item_into(&mut self, slot: Slot, node: &'a Node<ast::Initializer>, init: &mut Init) -> Result<()> {
        let span = self.span(node);
        match &node.node {
            ast::Initializer::List(items) => self.list(slot, items, init, span).map(drop),
            ast::Initializer::Expression(expression) => {
                let value = self.value(expression)?;
                self.put_value(slot, value, init, span)
            }
        }
    }

    /// The next initialiser without designator, at the place where the list is.
    fn next_item(
        &mut self,
        list: &mut List,
        node: &'a Node<ast::Initializer>,
        init: &mut Init,
    ) -> Result<()> {
        let span = self.span(node);
        let Some(slot) = self.next_slot(list) else {
            return Ok(()); // gcc warns of excess elements and drops them
        };
        let ast::Initializer::Expression(expression) = &node.node else {
            self.item_into(slot, node, init)?;
            self.advance(list);
            return Ok(());
        };
        let mut slot = slot;
        if self.has_string(list, &mut slot, expression) && self.string_into(slot, expression, init)?.is_some()
        {
            self.advance(list);
            return Ok(());
        }
        let value = self.value(expression)?;
        while self.is_aggregate(slot.ty) && self.types.plain(slot.ty) != value.ty {
            list.frames.push(Frame { ty: slot.ty, offset: slot.offset, next: 0 });
            slot = match self.next_slot(list) {
                Some(slot) => slot,
                None => return Ok(()),
            };
        }
        self.put_value(slot, value, init, span)?;
        self.advance(list);
        Ok(())
    }

    /// For a string literal: goes down to the first array of characters, if there is one.
    fn has_string(&mut self, list: &mut List, slot: &mut Slot, expression: &Node<ast::Expression>) -> bool {
        if !matches!(expression.node, ast::Expression::StringLiteral(_)) {
            return false;
        }
        while self.is_aggregate(slot.ty) && !self.is_character_array(slot.ty) {
            list.frames.push(Frame { ty: slot.ty, offset: slot.offset, next: 0 });
            match self.next_slot(list) {
                Some(next) => *slot = next,
                None => return false,
            }
        }
        true
    }

    /// An initialiser with designators, relative to the innermost aggregate of the list.
    fn designated(
        &mut self,
        list: &mut List,
        designators: &'a [Node<ast::Designator>],
        node: &'a Node<ast::Initializer>,
        init: &mut Init,
    ) -> Result<()> {
        let Some((first, rest)) = designators.split_first() else {
            return self.next_item(list, node, init);
        };
        let (depth, span) = (list.frames.len(), self.span(first));
        match &first.node {
            ast::Designator::Member(name) => {
                let ty = list.frames[depth - 1].ty;
                let path = self
                    .types
                    .record_of(ty)
                    .and_then(|record| self.types.find_field(record, &name.node.name));
                let Some(path) = path else {
                    return self
                        .error(span, format!("`{}` has no member `{}`", self.show(ty), name.node.name));
                };
                for (step, index) in path.into_iter().enumerate() {
                    if step > 0 {
                        self.go_down(list, span)?;
                    }
                    list.frames.last_mut().expect("never empty").next = u64::from(index);
                }
                self.deeper(list, rest, node, init, span)
            }
            ast::Designator::Index(index) => {
                let index = self.element(list, index)?;
                list.frames[depth - 1].next = index;
                self.deeper(list, rest, node, init, span)
            }
            ast::Designator::Range(range) => {
                let from = self.element(list, &range.node.from)?;
                let to = self.element(list, &range.node.to)?;
                if from > to || to - from > MAX_PARTS as u64 {
                    return self.error(span, "this range of elements is empty or too large");
                }
                for index in from..=to {
                    list.frames.truncate(depth);
                    list.frames[depth - 1].next = index;
                    self.deeper(list, rest, node, init, span)?;
                }
                Ok(())
            }
        }
    }

    fn deeper(
        &mut self,
        list: &mut List,
        rest: &'a [Node<ast::Designator>],
        node: &'a Node<ast::Initializer>,
        init: &mut Init,
        span: Span,
    ) -> Result<()> {
        if !rest.is_empty() {
            self.go_down(list, span)?;
        }
        self.designated(list, rest, node, init)
    }

    /// Makes the next element the innermost aggregate.
    fn go_down(&mut self, list: &mut List, span: Span) -> Result<()> {
        match self.next_slot(list) {
            Some(slot) if self.is_aggregate(slot.ty) => {
                list.frames.push(Frame { ty: slot.ty, offset: slot.offset, next: 0 });
                Ok(())
            }
            _ => self.error(span, "a designator for something that has no parts"),
        }
    }

    /// The index of an array element.
    fn element(&mut self, list: &List, node: &'a Node<ast::Expression>) -> Result<u64> {
        let index = self.constant_expression(node)?;
        let frame = list.frames.last().expect("never empty");
        let length = match *self.types.get(frame.ty) {
            Type::Array(_, length) => length.unwrap_or(1 << 32),
            _ => return self.error(self.span(node), "an index for something that is not an array"),
        };
        match u64::try_from(index) {
            Ok(index) if index < length => Ok(index),
            _ => self.error(self.span(node), "this element is outside the array"),
        }
    }

    /// The next part to be initialised; finished aggregates are left.
    fn next_slot(&mut self, list: &mut List) -> Option<Slot> {
        loop {
            let outermost = list.frames.len() == 1;
            let frame = list.frames.last()?;
            if let Some(slot) = self.slot(frame) {
                if outermost {
                    list.length = list.length.max(frame.next + 1);
                }
                return Some(slot);
            }
            if outermost {
                return None;
            }
            list.frames.pop();
            self.advance(list);
        }
    }

    fn slot(&self, frame: &Frame) -> Option<Slot> {
        match *self.types.get(self.types.plain(frame.ty)) {
            Type::Array(element, length) => {
                let size = self.types.size(element)?;
                let inside = frame.next < length.unwrap_or(u64::MAX);
                let offset = frame.offset.checked_add(frame.next.checked_mul(size)?)?;
                inside.then_some(Slot { ty: element, offset, bits: None })
            }
            Type::Record(record) => {
                let field =
                    self.types.record(record).fields.as_ref()?.get(usize::try_from(frame.next).ok()?)?;
                Some(Slot { ty: field.ty, offset: frame.offset + field.offset, bits: field.bits })
            }
            _ => None,
        }
    }

    /// Goes past the current element; of a union, only one is initialised.
    fn advance(&self, list: &mut List) {
        let frame = list.frames.last_mut().expect("never empty");
        let union = self.types.record_of(frame.ty).map(|record| self.types.record(record));
        frame.next = match union {
            Some(record) if record.kind == RecordKind::Union => u64::MAX,
            _ => frame.next + 1,
        };
    }

    pub fn is_aggregate(&self, ty: TypeId) -> bool {
        // Integers of 128 bits are structures in the models alone.
        let number = self.wide(ty).is_some() && !self.is_models();
        !number && matches!(self.types.get(self.types.plain(ty)), Type::Array(..) | Type::Record(_))
    }

    fn is_character_array(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Array(element, _) => self.types.is_integer(element),
            _ => false,
        }
    }

    /// If `expression` is a string literal and `slot` an array for it, its characters; gives the length with
    /// the final zero.
    fn string_into(
        &mut self,
        slot: Slot,
        node: &Node<ast::Expression>,
        init: &mut Init,
    ) -> Result<Option<u64>> {
        let (ast::Expression::StringLiteral(literal), Type::Array(element, length)) =
            (&node.node, self.types.get(slot.ty).clone())
        else {
            return Ok(None);
        };
        let span = self.span(node);
        let (mut units, unit) = self.string_units(&literal.node, span)?;
        let Some(size) = self.types.size(element).filter(|&size| Some(size) == self.types.size(unit)) else {
            return Ok(None);
        };
        if !self.types.is_integer(element) {
            return Ok(None);
        }
        units.push(0);
        let length = length.unwrap_or(units.len() as u64);
        for (index, value) in (0..length).zip(units) {
            init.parts.push(InitPart::at(slot.offset + index * size, self.int(value, element, span)));
        }
        Ok(Some(length))
    }

    /// Puts a value, converted to the type of the slot.
    fn put_value(&mut self, slot: Slot, value: Expr, init: &mut Init, span: Span) -> Result<()> {
        if matches!(self.types.get(slot.ty), Type::Array(..)) {
            return self.refuse(span, "an array initialised by another array is not supported");
        }
        let value = self.convert(value, slot.ty, span)?;
        if let Some([low, high]) = self.wide_constant(&value) {
            init.parts.push(InitPart::at(slot.offset, low));
            init.parts.push(InitPart::at(slot.offset + 8, high));
            return Ok(());
        }
        init.parts.push(InitPart { offset: slot.offset, bits: slot.bits, value: self.folded(value) });
        Ok(())
    }
}
