//! Rewrites for C of other times and compilers: functions without a type, gcc's type queries, unusual
//! identifiers.

use super::{Edit, Kind, Token, Tokens, replace};

/// `$` and letters outside ASCII, which lang-c does not take in identifiers, are spelt `_u24_`. What looks like
/// such a spelling but is the user's own has its `u` spelt, so that different identifiers stay different.
pub(super) fn unusual_identifier(token: Token, word: &str, edits: &mut Vec<Edit>) {
    let usual = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // Names of our own and the compiler's stand as they are: `__builtin_uadd_overflow`.
    let reserved = ["__regrain_", "__builtin_"].iter().any(|prefix| word.starts_with(prefix));
    if usual && (!has_spelling(word) || reserved) {
        return;
    }
    let mut spelt = String::new();
    let (mut rest, mut last) = (word, ' ');
    while let Some(c) = rest.chars().next() {
        let (c, length) = universal(rest).unwrap_or((c, c.len_utf8()));
        let looks = last == '_' && c == 'u' && rest[1..].starts_with(|c: char| c.is_ascii_hexdigit());
        match (c.is_ascii_alphanumeric() || c == '_') && !looks {
            true => spelt.push(c),
            false => spelt += &format!("_u{:x}_", u32::from(c)),
        }
        (rest, last) = (&rest[length..], c);
    }
    edits.push(replace(token, &spelt));
}

/// Whether there is something like `_u24_` in a word.
fn has_spelling(word: &str) -> bool {
    let after = |(at, _): (usize, &str)| word[at + 2..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
    word.match_indices("_u").any(|found| {
        let rest = after(found);
        rest.starts_with('_') && rest.len() < word.len() - found.0 - 2
    })
}

/// The letter that a text begins with by its number, `\u00e9` or `\U000000e9`, and the length of that.
pub(super) fn universal(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes() {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let number = text.get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok())?;
    char::from_u32(number).filter(|c| !c.is_ascii()).map(|c| (c, 2 + digits))
}

/// Escape sequences that lang-c does not know: `\e`, and characters by their number.
pub(super) fn escapes(token: Token, text: &str, edits: &mut Vec<Edit>) {
    if !text.contains("\\e") && !text.contains("\\u") && !text.contains("\\U") {
        return;
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out += &rest[..at];
        rest = &rest[at..];
        let second = rest[1..].chars().next().unwrap_or(' ');
        let (with, length) = match universal(rest) {
            Some((c, length)) => (c.to_string(), length),
            None if second == 'e' => ("\\033".to_owned(), 2),
            None => (rest[..1 + second.len_utf8()].to_owned(), 1 + second.len_utf8()),
        };
        out += &with;
        rest = &rest[length..];
    }
    out += rest;
    edits.push(replace(token, &out));
}

/// `__builtin_types_compatible_p(T, U)` as a selection among types; behind a pointer, so that arrays do not
/// decay.
pub(super) fn types_compatible(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) {
    let Some((open, close)) = parentheses(around, at) else { return };
    let mut comma = open + 1;
    while comma < close && around.word(Some(comma)) != "," {
        comma = around.partner[comma].unwrap_or(comma).max(comma) + 1;
    }
    if comma < close {
        edits.push(replace(around.list[at], "_Generic"));
        edits.push(replace(around.list[open], "((__typeof__("));
        edits.push(replace(around.list[comma], ") *)0, __typeof__("));
        edits.push(replace(around.list[close], ") *: 1, default: 0)"));
    }
}

/// `__alignof__(e)`, where `e` may be an expression.
pub(super) fn alignment(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) {
    if let Some((open, close)) = parentheses(around, at) {
        edits.push(replace(around.list[open], "(__typeof__("));
        edits.push(replace(around.list[close], "))"));
    }
}

/// `main() { ... }` and `static f(a) { ... }`: functions without a type return `int`.
pub(super) fn implicit_int(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) {
    let Some((open, _)) = parentheses(around, at) else { return };
    let mut first = at;
    while let Some(before) = around.previous(first)
        && matches!(around.word(Some(before)), "static" | "extern" | "inline" | "__inline" | "__inline__")
    {
        first = before;
    }
    let starts = match around.previous(first) {
        None => true,
        Some(before) => match around.word(Some(before)) {
            ";" => true,
            // The end of a function's body, not of a structure that is the type of what follows.
            "}" => around.partner[before]
                .is_some_and(|open| matches!(around.word(around.previous(open)), ")" | ";")),
            _ => false,
        },
    };
    if starts
        && around.braces[at] == 0
        && is_outermost(around, open)
        && !RESERVED.contains(&around.word(Some(at)))
    {
        let token = around.list[at];
        edits.push(Edit { start: token.start, end: token.start, with: "int ".to_owned() });
    }
}

/// Words that can stand before a parenthesis and name no function.
const RESERVED: [&str; 19] = [
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "_Static_assert",
    "__attribute__",
    "__attribute",
    "asm",
    "__asm__",
    "__asm",
    "_Pragma",
    "__extension__",
    "typeof",
    "__typeof__",
    "__typeof",
    "_Alignas",
    "_Atomic",
];

/// The parentheses that follow a word.
fn parentheses(around: &Tokens<'_>, at: usize) -> Option<(usize, usize)> {
    let open = around.next(at).filter(|&open| around.word(Some(open)) == "(")?;
    Some((open, around.partner[open]?))
}

/// Whether what is in parentheses is followed by a body, a semicolon, or declarations of old-style
/// parameters.
fn is_outermost(around: &Tokens<'_>, open: usize) -> bool {
    let after = around.partner[open].and_then(|close| around.next(close));
    after.is_some_and(|after| {
        matches!(around.word(Some(after)), "{" | ";") || around.list[after].kind == Kind::Word
    })
}
