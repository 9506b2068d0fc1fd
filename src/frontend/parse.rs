//! Text to lang-c's syntax tree.
//!
//! lang-c is a recursive parsing-expression grammar: deep input overflows its stack, and expressions inside
//! type names in parentheses (`sizeof(int[sizeof(int[...` ) are parsed twice at every level. `depth.rs`
//! refuses such input beforehand, and the parser runs on a thread with a large stack, so that hostile text is
//! an error and nothing worse.

use lang_c::ast::{AlignmentSpecifier, DeclarationSpecifier, ExternalDeclaration, TranslationUnit};
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use lang_c::span::Node;

use super::depth;
use super::diagnostic::{Diagnostic, Kind};
use super::lexical::{self, Cleaned, Pack};
use super::lines::LineMap;
use crate::program::{Sources, Span};
use crate::stack::on_large_stack;

/// Whose text it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Our models of the library.
    Models,
    /// The program to verify.
    User,
}

/// A parsed translation unit.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The syntax tree, with byte offsets.
    pub unit: TranslationUnit,
    /// What the offsets mean.
    pub places: Places,
    /// Attributes of the text, by position.
    pub attributes: Vec<Attribute>,
    /// What `#pragma pack` says, by position.
    pub packs: Vec<Pack>,
    /// Whose text it is.
    pub origin: Origin,
}

/// An attribute, its argument parsed.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Which, and where.
    pub found: lexical::Attribute,
    /// Its argument, if it has one.
    pub argument: Option<Node<AlignmentSpecifier>>,
}

/// From byte offsets of the text that lang-c sees back to the user's files.
#[derive(Clone, Debug)]
pub struct Places {
    /// From the cleaned text to the preprocessed one.
    cleaned: Cleaned,
    /// From the preprocessed text to the files.
    lines: LineMap,
}

impl Places {
    /// The place of the bytes from `start` to `end`.
    pub fn span(&self, start: usize, end: usize) -> Span {
        // The end is that of the last byte, since what follows may have been rewritten.
        let last = self.cleaned.origin(end.saturating_sub(1)) + usize::from(end > 0);
        self.lines.span(self.cleaned.origin(start), last)
    }

    /// The bytes of the preprocessed text from `start` to `end`.
    pub fn bytes(&self, start: usize, end: usize) -> (usize, usize) {
        (self.cleaned.origin(start), self.cleaned.origin(end.saturating_sub(1)) + usize::from(end > 0))
    }

    /// The place of bytes of the preprocessed text.
    pub fn input_span(&self, start: usize, len: usize) -> Span {
        self.lines.span(start, start + len)
    }
}

/// Parses preprocessed text, after the lexical pre-pass; `name` is the file of lines before any marker.
///
/// # Errors
/// If the text is not C, or nested too deeply for us.
pub fn parse(text: &str, name: &str, origin: Origin, sources: &mut Sources) -> Result<Parsed, Diagnostic> {
    let lines = LineMap::new(text, name, sources);
    let mut cleaned = match lexical::clean(text) {
        Ok(cleaned) => cleaned,
        Err(error) => {
            let span = lines.span(error.position, error.position + error.len);
            return Err(Diagnostic {
                kind: error.kind,
                message: error.message,
                span,
                help: None,
                sources: sources.clone(),
            });
        }
    };
    let (found, packs) = (std::mem::take(&mut cleaned.attributes), std::mem::take(&mut cleaned.packs));
    for attribute in &found {
        if let Some(argument) = &attribute.argument {
            let argument = lexical::clean(argument).map_or_else(|_| argument.clone(), |clean| clean.text);
            cleaned.append(&format!("\n_Alignas({argument}) int __regrain_argument;"), attribute.position);
        }
    }
    let text = std::mem::take(&mut cleaned.text);
    let places = Places { cleaned, lines };
    match syntax_tree(text) {
        Ok(mut unit) => {
            let attributes = with_arguments(found, &mut unit);
            Ok(Parsed { unit, places, attributes, packs, origin })
        }
        Err(Trouble { kind, message, start, end, help }) => {
            Err(Diagnostic { kind, message, span: places.span(start, end), help, sources: sources.clone() })
        }
    }
}

/// Takes the arguments of attributes from the end of the unit, where they were parsed as alignments.
fn with_arguments(found: Vec<lexical::Attribute>, unit: &mut TranslationUnit) -> Vec<Attribute> {
    let number = found.iter().filter(|attribute| attribute.argument.is_some()).count();
    let mut arguments = unit.0.split_off(unit.0.len().saturating_sub(number)).into_iter();
    let mut argument = || match arguments.next()?.node {
        ExternalDeclaration::Declaration(declaration) => {
            declaration.node.specifiers.into_iter().find_map(|specifier| match specifier.node {
                DeclarationSpecifier::Alignment(alignment) => Some(alignment),
                _ => None,
            })
        }
        _ => None,
    };
    let parsed = |found: lexical::Attribute| {
        let argument = if found.argument.is_some() { argument() } else { None };
        Attribute { found, argument }
    };
    found.into_iter().map(parsed).collect()
}

fn syntax_tree(text: String) -> Result<TranslationUnit, Trouble> {
    depth::check(&text).map_err(Trouble::too_deep)?;
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    let parsed = on_large_stack(|| parse_preprocessed(&config, text));
    parsed.map(|parse| parse.unit).map_err(|error| Trouble::syntax(&error))
}

/// A diagnostic with byte offsets.
struct Trouble {
    kind: Kind,
    message: String,
    start: usize,
    end: usize,
    help: Option<String>,
}

impl Trouble {
    fn too_deep(start: usize) -> Trouble {
        let message = "the text is nested too deeply here".to_owned();
        Trouble { kind: Kind::TooLarge, message, start, end: start + 1, help: None }
    }

    /// lang-c lists everything it would have taken; what it found instead says more.
    fn syntax(error: &SyntaxError) -> Trouble {
        let text = &error.source;
        let start = error.offset + blank(&text[error.offset..]);
        let found = token(&text[start..]);
        let before = last_token(text[..start].trim_end());
        let message = match (found, before) {
            ("", _) => "unexpected end of file".to_owned(),
            (found, "") => format!("unexpected `{found}`"),
            (found, before) => format!("unexpected `{found}` after `{before}`"),
        };
        let help = unknown_type(found, before, &text[start + found.len()..]);
        Trouble { kind: Kind::Syntax, message, start, end: start + found.len(), help }
    }
}

/// A name where none can be is mostly a type that nobody has declared.
fn unknown_type(found: &str, before: &str, after: &str) -> Option<String> {
    let next = token(after.trim_start());
    let name = if is_name(before) && (is_name(found) || found == "*") {
        before
    } else if is_name(found) && (is_name(next) || next == "*") {
        found
    } else {
        return None;
    };
    Some(format!("if `{name}` is a type, it needs a declaration before this place"))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Number of bytes of white space and line markers that `text` starts with.
fn blank(text: &str) -> usize {
    let mut rest = text.trim_start();
    while rest.starts_with('#') {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    text.len() - rest.len()
}

/// The token that `text` starts with, roughly; what is not a word is one character.
fn token(text: &str) -> &str {
    let word = text.bytes().take_while(|&byte| is_word(byte)).count();
    match word {
        0 => &text[..text.chars().next().map_or(0, char::len_utf8)],
        word => &text[..word],
    }
}

/// The token that `text` ends with.
fn last_token(text: &str) -> &str {
    let word = text.bytes().rev().take_while(|&byte| is_word(byte)).count();
    match word {
        0 => &text[text.len() - text.chars().next_back().map_or(0, char::len_utf8)..],
        word => &text[text.len() - word..],
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
