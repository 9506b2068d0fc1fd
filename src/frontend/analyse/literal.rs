//! Integer, character and string constants, compound literals (C11 6.4.4, 6.4.5, 6.5.2.5).

use lang_c::ast;

use super::types::Types;
use super::{Analyser, Result, make};
use crate::frontend::tree::{Expr, ExprKind, Init, InitPart, Storage, Type, TypeId};
use crate::program::Span;

impl<'a> Analyser<'a> {
    pub fn constant(&mut self, constant: &ast::Constant, span: Span) -> Result<Expr> {
        match constant {
            ast::Constant::Integer(integer) => self.integer(integer, span),
            ast::Constant::Character(text) => self.character(text, span),
            ast::Constant::Float(float) => Ok(self.floating(float, span)),
        }
    }

    fn floating(&mut self, float: &ast::Float, span: Span) -> Expr {
        let refused = |analyser: &mut Self, name: &str, size| {
            let ty = analyser.types.unsupported(name, size);
            make(ExprKind::Unsupported(format!("a constant of type `{name}`")), ty, span)
        };
        let (ty, bits) = match float.suffix.format {
            _ if float.suffix.imaginary => return refused(self, "_Complex", 16),
            ast::FloatFormat::Float => (Types::FLOAT, 32),
            ast::FloatFormat::Double => (Types::DOUBLE, 64),
            ast::FloatFormat::LongDouble => return refused(self, "long double", 16),
            ast::FloatFormat::TS18661Format(_) => return refused(self, "_FloatN", 16),
        };
        match float_bits(float, bits) {
            Some(value) => make(ExprKind::Int(i128::from(value)), ty, span),
            None => make(ExprKind::Unsupported(format!("the constant `{}`", float.number)), ty, span),
        }
    }

    fn integer(&mut self, integer: &ast::Integer, span: Span) -> Result<Expr> {
        let base = match integer.base {
            ast::IntegerBase::Decimal => 10,
            ast::IntegerBase::Octal => 8,
            ast::IntegerBase::Hexadecimal => 16,
            ast::IntegerBase::Binary => 2,
        };
        if integer.suffix.imaginary {
            let ty = self.types.unsupported("_Complex", 8);
            return Ok(make(ExprKind::Unsupported("an imaginary constant".to_owned()), ty, span));
        }
        let Ok(value) = u64::from_str_radix(&integer.number, base) else {
            return self.error(span, "the constant does not fit in any integer type");
        };
        let value = i128::from(value);
        let first = match integer.suffix.size {
            ast::IntegerSize::Int => Types::INT,
            ast::IntegerSize::Long => Types::LONG,
            ast::IntegerSize::LongLong => Types::LONG_LONG,
        };
        let decimal = integer.base == ast::IntegerBase::Decimal;
        let fits = |&ty: &TypeId| {
            let signed = self.types.word(ty).is_some_and(|word| word.is_signed());
            let allowed = if signed { !integer.suffix.unsigned } else { integer.suffix.unsigned || !decimal };
            allowed && self.types.wrap(ty, value) == value
        };
        let ty = (first.0..=Types::ULONG_LONG.0).map(TypeId).find(fits).unwrap_or(Types::ULONG_LONG);
        Ok(self.int(value, ty, span))
    }

    /// `'a'`; several characters make a number of base 256, as in gcc.
    fn character(&mut self, text: &str, span: Span) -> Result<Expr> {
        let (prefix, body) = text.split_once('\'').unwrap_or(("", ""));
        let (unit, ty) = self.encoding(prefix);
        let units = self.units(body.strip_suffix('\'').unwrap_or(body), unit, span)?;
        let value = match (units.as_slice(), unit) {
            ([], _) => return self.error(span, "an empty character constant"),
            ([only], _) => self.types.wrap(unit, *only),
            (many, Types::CHAR) => {
                many.iter().fold(0, |value: i128, unit| (value << 8 | unit & 0xff) & 0xffff_ffff)
            }
            (many, _) => many[many.len() - 1],
        };
        Ok(self.int(value, ty, span))
    }

    /// The type of the elements of a literal with that prefix, and of a character constant.
    fn encoding(&self, prefix: &str) -> (TypeId, TypeId) {
        match prefix {
            "L" => (Types::INT, Types::INT),
            "u" => (Types::USHORT, Types::USHORT),
            "U" => (Types::UINT, Types::UINT),
            _ => (Types::CHAR, Types::INT),
        }
    }

    /// The code units of the text between the quotes.
    fn units(&self, text: &str, unit: TypeId, span: Span) -> Result<Vec<i128>> {
        let mut units = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first != '\\' {
                rest = &rest[first.len_utf8()..];
                encode(first, unit, &mut units);
                continue;
            }
            let (value, length) = match escape(&rest[1..]) {
                Some(escape) => escape,
                None => return self.error(span, "an escape sequence that C does not have"),
            };
            rest = &rest[1 + length..];
            match value {
                Escape::Unit(value) => units.push(self.types.wrap(unit, i128::from(value))),
                Escape::Char(value) => encode(value, unit, &mut units),
            }
        }
        Ok(units)
    }

    pub fn string_literal(&mut self, pieces: &[String], span: Span) -> Result<Expr> {
        let (units, unit) = self.string_units(pieces, span)?;
        Ok(self.string(units, unit, span))
    }

    /// The code units of adjacent literals, without a final zero, and their type.
    pub fn string_units(&self, pieces: &[String], span: Span) -> Result<(Vec<i128>, TypeId)> {
        let prefix = |piece: &String| piece.split('"').next().unwrap_or("").to_owned();
        let wide = pieces.iter().map(prefix).find(|prefix| !prefix.is_empty());
        let (unit, _) = self.encoding(wide.as_deref().unwrap_or(""));
        let mut units = Vec::new();
        for piece in pieces {
            let body = piece.split_once('"').map_or("", |(_, body)| body);
            units.extend(self.units(body.strip_suffix('"').unwrap_or(body), unit, span)?);
        }
        Ok((units, unit))
    }

    /// The literal with the given contents; equal ones are one object.
    fn string(&mut self, mut units: Vec<i128>, unit: TypeId, span: Span) -> Expr {
        let name: String =
            units.iter().map(|&unit| char::from_u32(unit as u32 & 0xff).unwrap_or('?')).collect();
        units.push(0);
        let ty = self.types.intern(Type::Array(unit, Some(units.len() as u64)));
        let key = (units, ty);
        if let Some(&id) = self.literals.get(&key) {
            return make(ExprKind::Global(id), ty, span);
        }
        let size = self.types.size(unit).expect("code units have a size");
        let part = |(index, &value): (u64, &i128)| InitPart::at(index * size, self.int(value, unit, span));
        let parts = (0..).zip(&key.0).filter(|(_, value)| **value != 0).map(part).collect();
        let id = self.new_global(name, ty, Storage::Literal, span);
        self.globals[id.index()].init = Some(Init { parts });
        self.literals.insert(key, id);
        make(ExprKind::Global(id), ty, span)
    }

    /// A string literal with this text.
    pub fn text(&mut self, text: &str, span: Span) -> Expr {
        let units = text.bytes().map(|byte| self.types.wrap(Types::CHAR, i128::from(byte))).collect();
        self.string(units, Types::CHAR, span)
    }

    /// `(T){...}`: a local; outside functions, a global.
    pub fn compound_literal(&mut self, node: &'a ast::CompoundLiteral, span: Span) -> Result<Expr> {
        let ty = self.type_name(&node.type_name)?;
        let (ty, init) = self.initialiser_list(ty, &node.initializer_list, span)?;
        if self.body.is_none() {
            let id = self.new_global("<literal>".to_owned(), ty, Storage::Static, span);
            self.globals[id.index()].init = Some(init);
            return Ok(make(ExprKind::Global(id), ty, span));
        }
        let local = self.new_local("<literal>".to_owned(), ty, span)?;
        Ok(make(ExprKind::CompoundLiteral(local, init), ty, span))
    }
}

/// The bits of a floating-point constant, rounded to nearest.
fn float_bits(float: &ast::Float, bits: u8) -> Option<u64> {
    match (&float.base, bits) {
        (ast::FloatBase::Decimal, 32) => Some(u64::from(float.number.parse::<f32>().ok()?.to_bits())),
        (ast::FloatBase::Decimal, _) => Some(float.number.parse::<f64>().ok()?.to_bits()),
        (ast::FloatBase::Hexadecimal, _) => hexadecimal(&float.number, bits),
    }
}

/// `1.8p3`, where it can be said without rounding; others are rare.
fn hexadecimal(text: &str, bits: u8) -> Option<u64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let significand = format!("{whole}{fraction}");
    let significand = significand.trim_start_matches('0');
    let significand = u64::from_str_radix(if significand.is_empty() { "0" } else { significand }, 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    let exact = significand as f64;
    // Two factors, so that neither overflows where the product does not.
    let half = exponent.clamp(-2200, 2200) / 2;
    let value = exact * 2f64.powi(half) * 2f64.powi(exponent.clamp(-2200, 2200) - half);
    let narrow = value as f32;
    let is_exact = exact as u128 == u128::from(significand)
        && (value == 0.0) == (significand == 0)
        && (value == 0.0 || value.is_normal());
    match bits {
        _ if !is_exact => None,
        32 => (f64::from(narrow) == value).then(|| u64::from(narrow.to_bits())),
        _ => Some(value.to_bits()),
    }
}

/// What an escape sequence stands for.
enum Escape {
    /// One code unit.
    Unit(u64),
    /// A character, to be encoded.
    Char(char),
}

/// Reads an escape sequence after its backslash; gives its length in bytes.
fn escape(text: &str) -> Option<(Escape, usize)> {
    let first = text.chars().next()?;
    let simple = match first {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '\\' | '\'' | '"' | '?' => first as u64,
        '0'..='7' => return digits(text, 0, 3, 8).map(|(value, length)| (Escape::Unit(value), length)),
        'x' => return digits(text, 1, 16, 16).map(|(value, length)| (Escape::Unit(value), length)),
        'u' | 'U' => {
            let count = if first == 'u' { 4 } else { 8 };
            let (value, length) = digits(text, 1, count, 16)?;
            return Some((Escape::Char(char::from_u32(u32::try_from(value).ok()?)?), length));
        }
        _ => return None,
    };
    Some((Escape::Unit(simple), 1))
}

/// A number of at most `most` digits after `skip` bytes, and the length of everything.
fn digits(text: &str, skip: usize, most: usize, base: u32) -> Option<(u64, usize)> {
    let number: String = text[skip..].chars().take(most).take_while(|c| c.is_digit(base)).collect();
    Some((u64::from_str_radix(&number, base).ok()?, skip + number.len()))
}

fn encode(c: char, unit: TypeId, units: &mut Vec<i128>) {
    match unit {
        Types::CHAR => {
            let mut buffer = [0; 4];
            units.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| i128::from(byte as i8)));
        }
        Types::USHORT => {
            let mut buffer = [0; 2];
            units.extend(c.encode_utf16(&mut buffer).iter().map(|&unit| i128::from(unit)));
        }
        _ => units.push(i128::from(c as u32)),
    }
}
