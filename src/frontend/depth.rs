//! A quick scan that refuses text nested too deeply for recursive parsing and analysis.
//!
//! Guarantee: in a text that [`check`] accepts, no node of the syntax tree is deeper than `MAX_DEPTH` plus a
//! constant (each level needs a token that no `;`, `,` or brace separates from the levels around), and at
//! most `MAX_TYPES` parentheses that start with a type name are open at once: lang-c parses what is inside
//! them twice at every level.

use rustc_hash::FxHashSet;

/// Brackets that may be open at once; clang's limit is 256.
const MAX_BRACKETS: usize = 200;
/// Tokens that may hang together, summed over all open brackets.
const MAX_DEPTH: usize = 10_000;
/// Nested parentheses that may start with a type name.
const MAX_TYPES: usize = 8;

/// `Err` with the byte offset where the text becomes too deep.
pub(super) fn check(text: &str) -> Result<(), usize> {
    let mut scan = Scan { levels: vec![Level::default()], ..Scan::default() };
    let mut tokens = Tokens { text, offset: 0 }.peekable();
    while let Some((offset, token)) = tokens.next() {
        scan.take(token, tokens.peek().map_or("", |&(_, next)| next));
        if scan.is_too_deep() {
            return Err(offset);
        }
    }
    Ok(())
}

/// An open bracket, or the text as a whole.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Tokens that hang together in the levels around.
    outside: usize,
    /// Tokens since the last separator in this level.
    tokens: usize,
    /// Open parentheses with type names up to here.
    types: usize,
}

#[derive(Default)]
struct Scan<'a> {
    levels: Vec<Level>,
    before: &'a str,
    /// Whether a statement may have ended: then the next token separates, unless it is `else`.
    ended: bool,
    /// Whether a `typedef` is being read, which makes all its names types.
    typedef: bool,
    types: FxHashSet<&'a str>,
}

impl<'a> Scan<'a> {
    fn take(&mut self, token: &'a str, next: &'a str) {
        let level = self.levels.last_mut().expect("the outermost level stays open");
        if self.ended && token != "else" {
            level.tokens = 0;
        }
        self.ended = matches!(token, ";" | "}");
        level.tokens += usize::from(!token.starts_with('"'));
        match token {
            "(" | "[" | "{" => {
                let typed = token == "("
                    && (takes_type(self.before) || starts_type(next) || self.types.contains(next));
                let inner = Level {
                    outside: level.outside + level.tokens,
                    tokens: 0,
                    types: level.types + usize::from(typed),
                };
                self.levels.push(inner);
            }
            "," => level.tokens = 0,
            ")" | "]" | "}" if self.levels.len() > 1 => drop(self.levels.pop()),
            "typedef" => self.typedef = true,
            ";" => self.typedef = false,
            name if self.typedef => drop(self.types.insert(name)),
            _ => {}
        }
        self.before = token;
    }

    fn is_too_deep(&self) -> bool {
        let level = self.levels.last().expect("the outermost level stays open");
        self.levels.len() > MAX_BRACKETS
            || level.outside + level.tokens > MAX_DEPTH
            || level.types > MAX_TYPES
    }
}

/// Whether a type name can follow in parentheses.
fn takes_type(word: &str) -> bool {
    matches!(
        word,
        "sizeof"
            | "typeof"
            | "__typeof"
            | "__typeof__"
            | "_Alignof"
            | "__alignof"
            | "__alignof__"
            | "_Alignas"
            | "_Atomic"
    )
}

/// Whether a type name can start with this word.
fn starts_type(word: &str) -> bool {
    takes_type(word)
        || matches!(
            word.trim_matches('_'),
            "void"
                | "char"
                | "short"
                | "int"
                | "long"
                | "float"
                | "double"
                | "signed"
                | "unsigned"
                | "Bool"
                | "struct"
                | "union"
                | "enum"
                | "const"
                | "volatile"
                | "restrict"
                | "extension"
                | "attribute"
                | "Complex"
                | "complex"
        )
}

/// The tokens of C, roughly: words and numbers, literals, and single characters; markers and white space are
/// skipped.
struct Tokens<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.offset)?;
            if byte.is_ascii_whitespace() {
                self.offset += 1;
            } else if byte == b'#' {
                self.offset += bytes[self.offset..].iter().take_while(|&&byte| byte != b'\n').count();
            } else {
                break;
            }
        }
        let start = self.offset;
        let length = match bytes[start] {
            quote @ (b'"' | b'\'') => literal(&bytes[start..], quote),
            byte if is_word(byte) => bytes[start..].iter().take_while(|&&byte| is_word(byte)).count(),
            _ => 1,
        };
        self.offset += length;
        Some((start, self.text.get(start..self.offset).unwrap_or("")))
    }
}

/// Length of the literal that `bytes` start with; an open one ends with its line.
fn literal(bytes: &[u8], quote: u8) -> usize {
    let mut length = 1;
    while let Some(&byte) = bytes.get(length) {
        length += match byte {
            b'\\' if length + 1 < bytes.len() => 2,
            b'\n' => return length,
            _ => 1,
        };
        if byte == quote {
            break;
        }
    }
    length
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_limit(limit: usize, text: impl Fn(usize) -> String) {
        assert_eq!(check(&text(limit)), Ok(()));
        assert!(check(&text(limit + 1)).is_err());
    }

    #[test]
    fn brackets() {
        check_limit(MAX_BRACKETS - 1, |n| format!("int x = {}1{};", "(".repeat(n), ")".repeat(n)));
    }

    #[test]
    fn chains() {
        check_limit((MAX_DEPTH - 5) / 2, |n| format!("int x = 1{};", "+1".repeat(n)));
        check_limit(MAX_DEPTH - 5, |n| format!("int x = {}1;", "-".repeat(n)));
        check_limit((MAX_DEPTH - 2) / 5, |n| format!("{{ {} }}", "if (a) b; else ".repeat(n)));
    }

    #[test]
    fn types_in_parentheses() {
        check_limit(MAX_TYPES, |n| format!("int x = {}1{};", "sizeof(int[".repeat(n), "])".repeat(n)));
        check_limit(MAX_TYPES, |n| {
            format!("typedef int t; int x = {}1{};", "(t[".repeat(n), "])1".repeat(n))
        });
    }

    #[test]
    fn separated_things_are_not_deep() {
        assert_eq!(check(&"x = 1; ".repeat(MAX_DEPTH)), Ok(()));
        assert_eq!(check(&format!("int a[] = {{ {} }};", "1, ".repeat(MAX_DEPTH))), Ok(()));
        assert_eq!(check(&"if (a) { b; } ".repeat(MAX_DEPTH)), Ok(()));
        assert_eq!(check(&"\"text\" ".repeat(2 * MAX_DEPTH)), Ok(()));
        assert_eq!(check(&"void f(void) { } ".repeat(MAX_DEPTH)), Ok(()));
    }

    #[test]
    fn broken_text_is_scanned_to_its_end() {
        for text in ["\"", "'\\", ")))", "é$", "\"a\n(", "#", "'\\é'"] {
            assert_eq!(check(text), Ok(()));
        }
    }
}
