//! Attributes and `_Alignas` of declarations: whose they are, and what they say.
//!
//! The pre-pass cuts attributes out of the text and keeps them by position; each declaration, declarator,
//! member and tag takes those that stand with it. Inner things are analysed before outer ones, so that what
//! is left between two tokens of a declaration is its own.
//!
//! Invariant: an attribute is taken at most once, and what nobody takes is refused.

use lang_c::ast;
use lang_c::span::Span as Bytes;

use super::layout::Packing;
use super::types::Types;
use super::{Analyser, Result};
use crate::frontend::lexical::AttributeKind;
use crate::frontend::parse::Attribute;
use crate::frontend::tree::TypeId;
use crate::program::Span;
use crate::term::Sign;

/// Priority of constructors and destructors that do not say: after (before) all others.
pub(super) const LAST: u32 = 65535;

/// What `aligned` without a number means on x86.
const BIGGEST_ALIGNMENT: u64 = 16;

/// What attributes say.
#[derive(Clone, Default, Debug)]
pub(super) struct Given {
    pub packed: bool,
    pub align: Option<u64>,
    pub mode: Option<(String, Span)>,
    pub cleanup: Option<(String, Span)>,
    pub constructor: Option<u32>,
    pub destructor: Option<u32>,
    pub weak: bool,
    /// Where the first of them is.
    pub span: Option<Span>,
}

impl Given {
    /// Both.
    pub fn and(self, other: Given) -> Given {
        Given {
            packed: self.packed || other.packed,
            align: self.align.max(other.align),
            mode: other.mode.or(self.mode),
            cleanup: other.cleanup.or(self.cleanup),
            constructor: other.constructor.or(self.constructor),
            destructor: other.destructor.or(self.destructor),
            weak: self.weak || other.weak,
            span: self.span.or(other.span),
        }
    }

    /// What it says of a record.
    pub fn packing(&self, most: Option<u64>) -> Packing {
        Packing { packed: self.packed, most, align: self.align }
    }
}

impl<'a> Analyser<'a> {
    /// The attributes between two places of the text, and those directly before the first.
    pub fn given_between(&mut self, start: usize, end: usize) -> Result<Given> {
        let Some(part) = self.part else { return Ok(Given::default()) };
        let list = &part.attributes;
        let mut from = list.partition_point(|attribute| attribute.found.position < start);
        let to = list.partition_point(|attribute| attribute.found.position < end);
        while from > 0 && list[from - 1].found.next == start {
            from -= 1;
        }
        self.take_range(from, to)
    }

    /// The attributes of a tag: directly behind the keyword, and behind the closing brace.
    pub fn given_to_tag(&mut self, span: Bytes, keyword: &str) -> Result<Given> {
        let (start, close) = self.bytes(span);
        let first = self.take_behind(start + keyword.len())?;
        Ok(first.and(self.take_behind(close)?))
    }

    /// The attributes directly behind a token that ends here.
    fn take_behind(&mut self, end: usize) -> Result<Given> {
        let Some(part) = self.part else { return Ok(Given::default()) };
        let from = part.attributes.partition_point(|attribute| attribute.found.position < end);
        let row = part.attributes[from..].iter().take_while(|attribute| attribute.found.previous == end);
        self.take_range(from, from + row.count())
    }

    /// What the attributes of a range say that nobody has taken.
    fn take_range(&mut self, from: usize, to: usize) -> Result<Given> {
        let mut given = Given::default();
        let Some(part) = self.part else { return Ok(given) };
        for index in from..to.max(from) {
            if !std::mem::replace(&mut self.taken[index], true) {
                given = given.and(self.given(&part.attributes[index])?);
            }
        }
        Ok(given)
    }

    /// The bytes of the input that a part of the syntax tree is.
    pub fn bytes(&self, span: Bytes) -> (usize, usize) {
        self.part.map_or((span.start, span.end), |part| part.places.bytes(span.start, span.end))
    }

    fn attribute_span(&self, attribute: &Attribute) -> Span {
        let found = &attribute.found;
        self.part.map_or(Span::NONE, |part| part.places.input_span(found.position, found.len))
    }

    fn given(&mut self, attribute: &'a Attribute) -> Result<Given> {
        let span = self.attribute_span(attribute);
        let mut given = Given { span: Some(span), ..Given::default() };
        match &attribute.found.kind {
            AttributeKind::Packed => given.packed = true,
            AttributeKind::Aligned | AttributeKind::Alignas => {
                given.align = self.alignment(attribute, span)?;
            }
            AttributeKind::Mode(mode) => given.mode = Some((mode.clone(), span)),
            AttributeKind::Cleanup(function) => given.cleanup = Some((function.clone(), span)),
            AttributeKind::Constructor => given.constructor = Some(self.priority(attribute, span)?),
            AttributeKind::Destructor => given.destructor = Some(self.priority(attribute, span)?),
            AttributeKind::Weak => given.weak = true,
        }
        Ok(given)
    }

    fn alignment(&mut self, attribute: &'a Attribute, span: Span) -> Result<Option<u64>> {
        let bytes = match attribute.argument.as_ref().map(|argument| &argument.node) {
            None => return Ok(Some(BIGGEST_ALIGNMENT)),
            Some(ast::AlignmentSpecifier::Type(name)) => {
                let (ty, align) = self.aligned_type_name(name)?;
                i128::from(align.unwrap_or_else(|| self.types.align(ty)))
            }
            Some(ast::AlignmentSpecifier::Constant(expression)) => self.constant_expression(expression)?,
        };
        match u64::try_from(bytes) {
            Ok(0) if attribute.found.kind == AttributeKind::Alignas => Ok(None),
            Ok(bytes) if bytes.is_power_of_two() && bytes <= 1 << 28 => Ok(Some(bytes)),
            _ => self.error(span, "an alignment is a power of two"),
        }
    }

    fn priority(&mut self, attribute: &'a Attribute, span: Span) -> Result<u32> {
        let priority = match attribute.argument.as_ref().map(|argument| &argument.node) {
            None => return Ok(LAST),
            Some(ast::AlignmentSpecifier::Constant(expression)) => self.constant_expression(expression)?,
            Some(ast::AlignmentSpecifier::Type(_)) => return self.error(span, "a priority is a number"),
        };
        match u32::try_from(priority) {
            Ok(priority) if priority <= LAST => Ok(priority),
            _ => self.error(span, format!("a priority is a number from 0 to {LAST}")),
        }
    }

    /// A type changed by `mode`.
    pub fn with_mode(&mut self, ty: TypeId, given: &Given) -> Result<TypeId> {
        let Some((mode, span)) = &given.mode else { return Ok(ty) };
        let bits = match mode.as_str() {
            "QI" | "byte" => 8,
            "HI" => 16,
            "SI" => 32,
            "DI" => 64,
            "word" | "pointer" | "unwind_word" => self.types.pointer_bits(),
            "TI" => return Ok(self.types.unsupported("__int128", 16)),
            "SF" | "DF" | "XF" | "TF" => return Ok(self.types.unsupported("floating point", 8)),
            _ => return self.refuse(*span, format!("mode `{mode}` is not supported")),
        };
        let Some(word) = self.types.word(ty) else {
            return self.refuse(*span, "`mode` of something that is no integer is not supported");
        };
        let signed = [Types::CHAR, Types::SHORT, Types::INT, Types::LONG, Types::LONG_LONG]
            .into_iter()
            .find(|&ty| self.types.word(ty).is_some_and(|word| word.bits() == bits));
        let signed = signed.expect("there is a type of each size");
        Ok(if word.sign() == Sign::Signed { signed } else { TypeId(signed.0 + 1) })
    }

    /// Refuses what only makes sense elsewhere.
    pub fn only_for_functions(&self, given: &Given, what: &str) -> Result<()> {
        match given.span {
            Some(span) if given.constructor.is_some() || given.destructor.is_some() => {
                self.error(span, format!("only a function can be a constructor or destructor, not {what}"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses `cleanup` where there is no scope to leave.
    pub fn no_cleanup(&self, given: &Given) -> Result<()> {
        match &given.cleanup {
            // gcc ignores it, with a warning.
            Some((_, span)) => {
                self.refuse(*span, "`cleanup` of something that is no local variable is not supported")
            }
            None => Ok(()),
        }
    }

    /// Refuses attributes that nobody has taken.
    pub fn refuse_left(&self) -> Result<()> {
        let Some(part) = self.part else { return Ok(()) };
        let left = part.attributes.iter().zip(&self.taken).find(|(_, taken)| !**taken);
        match left {
            Some((attribute, _)) => {
                let span = self.attribute_span(attribute);
                self.refuse(
                    span,
                    "an attribute that changes types or the order of calls is not supported here",
                )
            }
            None => Ok(()),
        }
    }
}
