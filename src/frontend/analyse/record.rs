//! Definitions of structures, unions and enumerations (C11 6.7.2.1, 6.7.2.2).

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashSet;

use super::layout::{LayoutError, Member};
use super::scope::{Entity, Tag};
use super::types::Types;
use super::{Analyser, Result};
use crate::frontend::tree::{Field, Record, RecordId, RecordKind, Type, TypeId};
use crate::program::Span;

impl<'a> Analyser<'a> {
    /// A `struct` or `union` specifier.
    pub fn record(&mut self, node: &'a Node<ast::StructType>) -> Result<TypeId> {
        let kind = match node.node.kind.node {
            ast::StructKind::Struct => RecordKind::Struct,
            ast::StructKind::Union => RecordKind::Union,
        };
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.as_str());
        let id = match (&node.node.declarations, tag) {
            (None, Some(tag)) => self.named_record(tag, kind, self.span(node))?,
            (None, None) => return self.error(self.span(node), "a structure without tag and members"),
            (Some(members), tag) => self.define_record(tag, kind, members, node)?,
        };
        Ok(self.types.intern(Type::Record(id)))
    }

    /// `struct tag` without members: the visible one, else a new incomplete one.
    fn named_record(&mut self, tag: &str, kind: RecordKind, span: Span) -> Result<RecordId> {
        match self.scopes.tag(tag) {
            Some(Tag::Record(id)) if self.types.record(id).kind == kind => Ok(id),
            Some(_) => self.error(span, format!("`{tag}` is another kind of tag")),
            None => Ok(self.new_record(Some(tag), kind)),
        }
    }

    /// Declares a new incomplete record in this scope.
    pub fn new_record(&mut self, tag: Option<&str>, kind: RecordKind) -> RecordId {
        let id = RecordId(u32::try_from(self.types.records.len()).expect("fewer than 2^32 records"));
        let name = tag.map_or_else(|| format!("<anonymous {}>", id.0), str::to_owned);
        self.types.records.push(Record { name, kind, fields: None, size: 0, align: 1 });
        if let Some(tag) = tag {
            self.scopes.set_tag(tag, Tag::Record(id));
        }
        id
    }

    fn define_record(
        &mut self,
        tag: Option<&str>,
        kind: RecordKind,
        members: &'a [Node<ast::StructDeclaration>],
        node: &'a Node<ast::StructType>,
    ) -> Result<RecordId> {
        let span = self.span(node);
        let id = match tag.and_then(|tag| self.scopes.tag_here(tag)) {
            None => self.new_record(tag, kind),
            Some(Tag::Record(id)) if self.types.record(id).kind == kind => {
                let from_models = !self.is_models() && id.index() < self.model_records;
                match from_models && self.types.record(id).fields.is_some() {
                    true if self.types.record(id).name.starts_with("__regrain_") => return Ok(id),
                    true => self.new_record(tag, kind),
                    false => id,
                }
            }
            Some(_) => {
                return self.error(span, format!("`{}` is another kind of tag", tag.unwrap_or_default()));
            }
        };
        let mut fields = Vec::new();
        for member in members {
            match &member.node {
                ast::StructDeclaration::Field(field) => self.fields(field, &mut fields)?,
                ast::StructDeclaration::StaticAssert(assertion) => self.static_assert(assertion)?,
            }
        }
        self.check_fields(kind, &fields, span)?;
        let keyword = if kind == RecordKind::Struct { "struct" } else { "union" };
        let given = self.given_to_tag(node.span, keyword)?;
        let packing = given.packing(self.most_alignment(node.span));
        if let Some(known) = &self.types.record(id).fields {
            // Headers of different origin may define the same structure; C23 allows it.
            let same = |(a, b): (&Field, &Member)| {
                a.name == b.name && a.ty == b.ty && a.bits.map(|bits| bits.width) == b.bits
            };
            let named: Vec<&Member> =
                fields.iter().filter(|field| field.bits.is_none() || !field.name.is_empty()).collect();
            return match known.len() == named.len() && known.iter().zip(named).all(same) {
                true => Ok(id),
                false => self.error(span, format!("`{}` is defined twice", tag.unwrap_or_default())),
            };
        }
        match self.types.complete(id, &fields, packing) {
            Ok(()) => Ok(id),
            Err(LayoutError::TooLarge) => self.too_large(span, "the structure is too large"),
            Err(LayoutError::WideUnit) => {
                self.refuse(span, "packed bit-fields that share more than 8 bytes are not supported")
            }
        }
    }

    /// What `#pragma pack` says at the end of a definition.
    fn most_alignment(&self, span: lang_c::span::Span) -> Option<u64> {
        let (_, end) = self.bytes(span);
        let packs = &self.part?.packs;
        packs[..packs.partition_point(|(position, _)| *position < end)].last()?.1
    }

    /// The fields of one member declaration.
    fn fields(&mut self, node: &'a Node<ast::StructField>, fields: &mut Vec<Member>) -> Result<()> {
        let span = self.span(node);
        let (base, base_align) = self.qualified_specifiers(&node.node.specifiers, span)?;
        let declarators = &node.node.declarators;
        let (start, end) = self.bytes(node.span);
        let end_of_specifiers = declarators.first().map_or(end, |first| self.bytes(first.span).0);
        let common = self.given_between(start, end_of_specifiers)?;
        if declarators.is_empty() && self.types.record_of(base).is_some() {
            let (align, packed) = (common.align, common.packed);
            let (name, bits) = (String::new(), None);
            fields.push(Member { name, ty: base, bits, type_align: base_align, align, packed });
        }
        for (index, declarator) in declarators.iter().enumerate() {
            let (name, ty) = match &declarator.node.declarator {
                Some(inner) => {
                    let declared = self.declarator(inner, base)?;
                    (declared.name, declared.ty)
                }
                None => (String::new(), base),
            };
            let bits = match &declarator.node.bit_width {
                Some(width) => Some(self.bit_width(width, ty)?),
                None => None,
            };
            if self.types.is_function(ty) || ty == Types::VOID {
                return self
                    .error(self.span(declarator), format!("field `{name}` has a type that no object has"));
            }
            if bits == Some(0) && !name.is_empty() {
                return self.error(self.span(declarator), format!("bit-field `{name}` has no width"));
            }
            let next = declarators.get(index + 1).map_or(end, |next| self.bytes(next.span).0);
            let own = self.given_between(self.bytes(declarator.span).0, next)?;
            let given = common.clone().and(own);
            self.only_for_functions(&given, "a member")?;
            self.no_cleanup(&given)?;
            let type_align = base_align.filter(|_| self.keeps_alignment(ty, base));
            let ty = self.with_mode(ty, &given)?;
            fields.push(Member { name, ty, bits, type_align, align: given.align, packed: given.packed });
        }
        Ok(())
    }

    fn bit_width(&mut self, width: &'a Node<ast::Expression>, ty: TypeId) -> Result<u8> {
        let span = self.span(width);
        let value = self.constant_expression(width)?;
        match self.types.word(ty) {
            Some(word) if (0..=i128::from(word.bits())).contains(&value) => Ok(value as u8),
            Some(_) => self.error(span, "the bit-field is wider than its type"),
            None => self.error(span, "a bit-field needs an integer type"),
        }
    }

    /// Every field is complete, except that the last of a structure may be an array without length.
    fn check_fields(&self, kind: RecordKind, fields: &[Member], span: Span) -> Result<()> {
        let mut names = FxHashSet::default();
        for (index, field) in fields.iter().enumerate() {
            let flexible = matches!(self.types.get(field.ty), Type::Array(_, None));
            let last = index + 1 == fields.len() && kind == RecordKind::Struct;
            let known =
                self.types.size(field.ty).is_some() || self.types.unsupported_name(field.ty).is_some();
            if !(known || flexible && last) {
                return self.error(span, format!("field `{}` has an incomplete type", field.name));
            }
            if !field.name.is_empty() && !names.insert(&field.name) {
                return self.error(span, format!("field `{}` is declared twice", field.name));
            }
        }
        Ok(())
    }

    /// An `enum` specifier.
    pub fn enumeration(&mut self, node: &'a Node<ast::EnumType>) -> Result<TypeId> {
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.as_str());
        if node.node.enumerators.is_empty() {
            return match tag.and_then(|tag| self.scopes.tag(tag)) {
                Some(Tag::Enum(ty)) => Ok(ty),
                Some(Tag::Record(_)) => self.error(self.span(node), "the tag is that of a structure"),
                None => {
                    self.scopes.set_tag(tag.unwrap_or_default(), Tag::Enum(Types::UINT));
                    Ok(Types::UINT)
                }
            };
        }
        let (mut next, mut least, mut greatest) = (0, 0, 0);
        for enumerator in &node.node.enumerators {
            let span = self.span(enumerator);
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant_expression(expression)?;
            }
            let Some(ty) = self.constant_type(next) else {
                return self.error(span, "the enumeration constant does not fit in any integer type");
            };
            let name = &enumerator.node.identifier.node.name;
            self.scopes.set_name(name, Entity::Constant(next, ty));
            (least, greatest) = (next.min(least), next.max(greatest));
            next += 1;
        }
        let given = self.given_to_tag(node.span, "enum")?;
        let ty = match given.packed {
            true => self.packed_enumeration_type(least, greatest),
            false => self.enumeration_type(least, greatest),
        };
        if let Some(tag) = tag {
            self.scopes.set_tag(tag, Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// The type of an enumeration constant: `int` if it fits.
    fn constant_type(&self, value: i128) -> Option<TypeId> {
        let candidates =
            [Types::INT, Types::UINT, Types::LONG, Types::ULONG, Types::LONG_LONG, Types::ULONG_LONG];
        candidates.into_iter().find(|&ty| self.types.wrap(ty, value) == value)
    }

    /// gcc's choice: unsigned unless a constant is negative.
    fn enumeration_type(&self, least: i128, greatest: i128) -> TypeId {
        let candidates = match least < 0 {
            true => [Types::INT, Types::LONG, Types::LONG_LONG],
            false => [Types::UINT, Types::ULONG, Types::ULONG_LONG],
        };
        let fits =
            |&ty: &TypeId| self.types.wrap(ty, least) == least && self.types.wrap(ty, greatest) == greatest;
        candidates.into_iter().find(fits).unwrap_or(candidates[2])
    }

    /// The smallest type that has all constants.
    fn packed_enumeration_type(&self, least: i128, greatest: i128) -> TypeId {
        let small = if least < 0 { [Types::CHAR, Types::SHORT] } else { [Types::UCHAR, Types::USHORT] };
        let fits =
            |&ty: &TypeId| self.types.wrap(ty, least) == least && self.types.wrap(ty, greatest) == greatest;
        small.into_iter().find(fits).unwrap_or_else(|| self.enumeration_type(least, greatest))
    }
}
