//! Attributes, `_Alignas` and pragmas: lang-c takes them in some places only, so they are cut out of the text
//! here.
//!
//! What changes the meaning of a program is kept in a list beside the text, with the places of the tokens
//! before and behind; analysis looks them up there (`analyse/attribute.rs`), and refuses what nobody has
//! asked for. What is about warnings, optimisation or linking is dropped. Everything else is refused by name.

use super::{Edit, Kind, LexicalError, Tokens, blank, syntax_error, unsupported};

/// An attribute that means something to us.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// Which.
    pub kind: AttributeKind,
    /// Its argument where that is an expression, or for `_Alignas` a type.
    pub argument: Option<String>,
    /// Byte position of its name in the input.
    pub position: usize,
    /// Length of its name.
    pub len: usize,
    /// Where the token before all attributes here ends.
    pub previous: usize,
    /// Where the token behind all attributes here begins.
    pub next: usize,
}

/// Attributes that mean something to us.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeKind {
    /// `packed`
    Packed,
    /// `aligned` or `aligned(n)`
    Aligned,
    /// `_Alignas(n)` or `_Alignas(type)`
    Alignas,
    /// `mode(SI)`; the mode without underscores.
    Mode(String),
    /// `cleanup(function)`
    Cleanup(String),
    /// `constructor` or `constructor(priority)`
    Constructor,
    /// `destructor` or `destructor(priority)`
    Destructor,
    /// `weak`
    Weak,
}

/// Where `#pragma pack` changes the greatest alignment of members, and to what.
pub type Pack = (usize, Option<u64>);

/// Attributes that are followed.
pub const MODELLED: &[&str] = &["packed", "aligned", "mode", "cleanup", "constructor", "destructor", "weak"];

/// Attributes that change nothing of what a program does: they are about warnings, optimisation, linking,
/// debugging and calling conventions.
pub const HARMLESS: &[&str] = &[
    "access",
    "acquire_capability",
    "acquire_shared_capability",
    "acquired_after",
    "acquired_before",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "analyzer_noreturn",
    "annotate",
    "artificial",
    "assert_capability",
    "assume_aligned",
    "capability",
    "cdecl",
    "cold",
    "common",
    "const",
    "counted_by",
    "deprecated",
    "designated_init",
    "error",
    "exclusive_lock_function",
    "exclusive_locks_required",
    "externally_visible",
    "fallthrough",
    "fastcall",
    "fd_arg",
    "fd_arg_read",
    "fd_arg_write",
    "flag_enum",
    "flatten",
    "format",
    "format_arg",
    "gcc_struct",
    "gnu_inline",
    "guarded_by",
    "hot",
    "leaf",
    "locks_excluded",
    "lockable",
    "malloc",
    "may_alias",
    "maybe_unused",
    "ms_abi",
    "no_address_safety_analysis",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_protector",
    "no_thread_safety_analysis",
    "nocf_check",
    "noclone",
    "nocommon",
    "nodiscard",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "noplt",
    "noreturn",
    "nothrow",
    "optimize",
    "patchable_function_entry",
    "pt_guarded_by",
    "pure",
    "regparm",
    "release_capability",
    "release_shared_capability",
    "requires_capability",
    "retain",
    "returns_nonnull",
    "returns_twice",
    "scoped_lockable",
    "section",
    "sentinel",
    "shared_lock_function",
    "shared_locks_required",
    "simd",
    "sseregparm",
    "stack_protect",
    "stdcall",
    "symver",
    "sysv_abi",
    "tainted_args",
    "target",
    "target_clones",
    "thiscall",
    "tls_model",
    "transparent_union",
    "unavailable",
    "unlock_function",
    "unused",
    "used",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused_result",
    "warning",
    "zero_call_used_regs",
];

/// Cuts out `__attribute__((...))` or `_Alignas(...)` at a token.
pub(super) fn attribute(
    around: &Tokens<'_>,
    at: usize,
    edits: &mut Vec<Edit>,
    found: &mut Vec<Attribute>,
) -> Result<(), LexicalError> {
    let token = around.list[at];
    let Some(close) = close(around, at) else {
        let message = format!("`{}` without its parentheses", around.word(Some(at)));
        return Err(syntax_error(token.start, token.end - token.start, &message));
    };
    let (previous, next) = neighbours(around, at);
    let mut push = |kind, argument, name: usize| {
        let token = around.list[name];
        let (position, len) = (token.start, token.end - token.start);
        found.push(Attribute { kind, argument, position, len, previous, next });
    };
    if around.word(Some(at)) == "_Alignas" {
        push(AttributeKind::Alignas, Some(inside(around, at + 1, close)), at);
    } else {
        for (name, arguments) in items(around, at + 1, close) {
            if let Some(kind) = known(around, name, arguments)? {
                let argument = match kind {
                    AttributeKind::Aligned | AttributeKind::Constructor | AttributeKind::Destructor => {
                        arguments.map(|(open, close)| inside(around, open, close))
                    }
                    _ => None,
                };
                push(kind, argument.filter(|argument| !argument.trim().is_empty()), name);
            }
        }
    }
    // An attribute alone is a statement; its semicolon stays as the empty statement.
    edits.push(blank(token.start, around.list[close].end, around.text));
    Ok(())
}

/// The kind of an attribute, if it means something to us.
fn known(
    around: &Tokens<'_>,
    name: usize,
    arguments: Option<(usize, usize)>,
) -> Result<Option<AttributeKind>, LexicalError> {
    let token = around.list[name];
    let plain = plain(around.word(Some(name)));
    let word = || arguments.map_or(String::new(), |(open, _)| around.word(around.next(open)).to_owned());
    Ok(Some(match plain {
        "packed" => AttributeKind::Packed,
        "aligned" => AttributeKind::Aligned,
        "mode" => AttributeKind::Mode(self::plain(&word()).to_owned()),
        "cleanup" => AttributeKind::Cleanup(word()),
        "constructor" => AttributeKind::Constructor,
        "destructor" => AttributeKind::Destructor,
        "weak" => AttributeKind::Weak,
        "vector_size" => return Err(unsupported(token, "a vector type (`vector_size`) is not supported")),
        _ if HARMLESS.contains(&plain) => return Ok(None),
        _ => return Err(unsupported(token, &format!("attribute `{plain}` is not supported"))),
    }))
}

/// An attribute's name without the underscores that keep it apart from macros.
fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name)
}

/// The last token of `word ( ... )`.
fn close(around: &Tokens<'_>, at: usize) -> Option<usize> {
    around.next(at).filter(|&open| around.word(Some(open)) == "(").and_then(|open| around.partner[open])
}

fn is_attribute(word: &str) -> bool {
    matches!(word, "__attribute__" | "__attribute" | "_Alignas")
}

/// Where the tokens before and behind a row of attributes end and begin.
fn neighbours(around: &Tokens<'_>, at: usize) -> (usize, usize) {
    let mut first = at;
    while let Some(before) = around.previous(first)
        && around.word(Some(before)) == ")"
        && let Some(open) = around.partner[before]
        && let Some(name) = around.previous(open)
        && is_attribute(around.word(Some(name)))
    {
        first = name;
    }
    let mut behind = Some(at);
    while let Some(here) = behind
        && is_attribute(around.word(Some(here)))
    {
        behind = close(around, here).and_then(|close| around.next(close));
    }
    let previous = around.previous(first).map_or(0, |before| around.list[before].end);
    (previous, behind.map_or(around.text.len(), |behind| around.list[behind].start))
}

/// The attributes of `(( ... ))`: their names, and the parentheses of their arguments.
fn items(around: &Tokens<'_>, open: usize, close: usize) -> Vec<(usize, Option<(usize, usize)>)> {
    let mut items = Vec::new();
    let (mut at, end) = (open + 2, close.saturating_sub(1));
    while at < end {
        if around.list[at].kind == Kind::Word {
            let arguments = around.next(at).filter(|&next| next < end && around.word(Some(next)) == "(");
            let arguments = arguments.and_then(|open| Some((open, around.partner[open]?)));
            items.push((at, arguments));
            at = arguments.map_or(at, |(_, close)| close);
        }
        at += 1;
    }
    items
}

/// The text between parentheses.
fn inside(around: &Tokens<'_>, open: usize, close: usize) -> String {
    around.text[around.list[open].end..around.list[close].start].to_owned()
}

/// Reads the pragmas of a text, in order.
#[derive(Default)]
pub(super) struct Pragmas {
    pub packs: Vec<Pack>,
    now: Option<u64>,
    stack: Vec<(Option<String>, Option<u64>)>,
}

impl Pragmas {
    /// Takes note of a line that begins with `#`.
    pub fn line(&mut self, line: &str, position: usize) -> Result<(), LexicalError> {
        let Some(pragma) = line.trim_start_matches('#').trim_start().strip_prefix("pragma") else {
            return Ok(());
        };
        self.pragma(pragma.trim(), position, line.len())
    }

    /// Takes note of what is behind `#pragma` or inside `_Pragma`.
    pub fn pragma(&mut self, text: &str, position: usize, len: usize) -> Result<(), LexicalError> {
        let word = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        let refused = |what: &str| LexicalError {
            position,
            len,
            message: format!("{what} is not supported"),
            kind: crate::frontend::diagnostic::Kind::Unsupported,
        };
        match word {
            "pack" => {
                let arguments = text["pack".len()..].trim();
                let inner = arguments.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                let done = inner.and_then(|inner| self.pack(inner));
                done.ok_or_else(|| refused("this `#pragma pack`"))?;
                self.packs.push((position, self.now));
                Ok(())
            }
            "weak" | "redefine_extname" | "scalar_storage_order" | "ms_struct" => {
                Err(refused(&format!("`#pragma {word}`")))
            }
            _ => Ok(()),
        }
    }

    fn pack(&mut self, arguments: &str) -> Option<()> {
        let mut parts = arguments.split(',').map(str::trim);
        let first = parts.next().unwrap_or("");
        match first {
            "" => self.now = None,
            "push" => {
                let (mut name, mut bytes) = (None, self.now);
                for part in parts {
                    match part.starts_with(|c: char| c.is_ascii_digit()) {
                        true => bytes = alignment(part)?,
                        false => name = Some(part.to_owned()),
                    }
                }
                self.stack.push((name, self.now));
                self.now = bytes;
            }
            "pop" => {
                let name = parts.next();
                let at = match name {
                    Some(name) => self.stack.iter().rposition(|(pushed, _)| pushed.as_deref() == Some(name)),
                    None => self.stack.len().checked_sub(1),
                };
                // gcc warns of a `pop` without its `push`, and does nothing.
                if let Some(at) = at {
                    self.now = self.stack[at].1;
                    self.stack.truncate(at);
                }
            }
            bytes => self.now = alignment(bytes)?,
        }
        Some(())
    }
}

/// The number of bytes in `#pragma pack(n)`; 0 is the default.
fn alignment(text: &str) -> Option<Option<u64>> {
    match text.parse() {
        Ok(0) => Some(None),
        Ok(bytes @ (1 | 2 | 4 | 8 | 16)) => Some(Some(bytes)),
        _ => None,
    }
}
