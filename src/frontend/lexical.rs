//! The lexical pre-pass: makes text that lang-c takes out of text that compilers take.
//!
//! lang-c parses clean C11 with most GNU extensions, but no comments and not all of GNU C. This pass works on
//! tokens: it blanks what has no meaning for us (comments, pragmas), cuts out attributes (`attribute.rs`),
//! rewrites what has an equal that lang-c knows, and refuses by name what cannot be kept. Rewriting shifts
//! text, so the result carries a table from its byte positions to those of the input; positions inside a
//! rewritten piece map to the piece's start.
//!
//! | input | output |
//! |---|---|
//! | comments, form feeds, `_Pragma(..)`, `__label__ x;`, line continuations | blanks |
//! | attributes, `_Alignas(..)` | blanks, and an entry of [`Cleaned::attributes`] if they matter |
//! | `__thread`, `__CPROVER_thread_local` | `_Thread_local` |
//! | `__int128`, `__float128` | `_Float128`, `_Float128x` (refused later, if used) |
//! | `__CPROVER_bool` | `_Bool` |
//! | `a ?: b` | `a ? __regrain_same : b` |
//! | `__auto_type` | `__typeof__(__regrain_auto)`, which analysis takes from the initialiser |
//! | `_Static_assert(e)` | `_Static_assert(e, "")` |
//! | `(T){}` | `(T){0}` |
//! | `label: }`, `label: int x;` | `label: ; }`, `label: ; int x;` |
//! | `&&label`, `goto *p;` | `__regrain_label(label)`, a block of comparisons with all such labels of the function (`label.rs`) |
//! | `asm inline` | `asm` |
//! | `__builtin_types_compatible_p(T, U)` | a `_Generic` selection |
//! | `__alignof__(e)` | `__alignof__(__typeof__(e))` |
//! | `main() { }` | `int main() { }` |
//! | `\e`, `\u03b1` in literals | `\033`, the character itself |
//! | `a$b`, letters outside ASCII, also by their numbers as gcc's preprocessor writes them | `a_u24_b` |

mod attribute;
mod dialect;
mod label;

pub use attribute::{Attribute, AttributeKind, HARMLESS, MODELLED, Pack};

/// The rewritten text and where its bytes come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cleaned {
    /// Text for the parser.
    pub text: String,
    /// Attributes that were cut out, by position.
    pub attributes: Vec<Attribute>,
    /// What `#pragma pack` says, by position.
    pub packs: Vec<Pack>,
    /// For stretches of the text, in order: where the stretch starts and where its first byte was in the
    /// input.
    origins: Vec<(usize, usize)>,
}

impl Cleaned {
    /// The position in the input of a byte of [`Self::text`].
    pub fn origin(&self, position: usize) -> usize {
        let at = self.origins.partition_point(|&(start, _)| start <= position);
        match at.checked_sub(1).map(|i| self.origins[i]) {
            Some((start, origin)) => origin + (position - start),
            None => position,
        }
    }

    /// Adds text that stands for a piece of the input.
    pub fn append(&mut self, text: &str, origin: usize) {
        self.origins.push((self.text.len(), origin));
        self.text.push_str(text);
    }
}

/// Why a text is refused already here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LexicalError {
    /// Byte position in the input.
    pub position: usize,
    /// Length in bytes.
    pub len: usize,
    /// A sentence naming the construct.
    pub message: String,
    /// Whether the construct is C that we do not support, or not C at all.
    pub kind: super::diagnostic::Kind,
}

/// Cleans a preprocessed text.
///
/// # Errors
/// For unterminated comments and literals, and for constructs that cannot be kept: `asm goto`, code in
/// file-scope `asm`, vector types.
pub fn clean(text: &str) -> Result<Cleaned, LexicalError> {
    let (tokens, blanks, packs) = tokenize(text)?;
    let mut edits: Vec<Edit> = blanks.into_iter().map(|(start, end)| blank(start, end, text)).collect();
    let tokens = Tokens::new(text, tokens);
    let mut attributes = Vec::new();
    for at in 0..tokens.list.len() {
        match tokens.word(Some(at)) {
            "__attribute__" | "__attribute" | "_Alignas" => {
                attribute::attribute(&tokens, at, &mut edits, &mut attributes)?;
            }
            _ => rewrite(&tokens, at, &mut edits)?,
        }
    }
    Ok(Cleaned { attributes, packs, ..apply(text, edits) })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Word,
    Number,
    Text,
    Punctuation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// Tokens, stretches to be blanked, and what `#pragma pack` says.
type Lexed = (Vec<Token>, Vec<Stretch>, Vec<Pack>);

/// Start and end of a piece of the input.
type Stretch = (usize, usize);

/// Replaces `start..end` of the input by a text.
struct Edit {
    start: usize,
    end: usize,
    with: String,
}

// ---- tokens

/// The tokens and what lies between them. `# ...` lines are neither: they stay for their line markers.
fn tokenize(text: &str) -> Result<Lexed, LexicalError> {
    let bytes = text.as_bytes();
    let (mut tokens, mut blanks, mut pragmas) = (Vec::new(), Vec::new(), attribute::Pragmas::default());
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'#' if line_start => {
                at = line_end(bytes, at);
                pragmas.line(&text[start..at], start)?;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = line_end(bytes, at);
                blanks.push((start, at));
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let close = text[at + 2..]
                    .find("*/")
                    .ok_or_else(|| syntax_error(start, 2, "unterminated comment"))?;
                at += close + 4;
                blanks.push((start, at));
                continue;
            }
            b'"' | b'\'' => {
                at = literal_end(bytes, at).ok_or_else(|| syntax_error(start, 1, "unterminated literal"))?;
                Kind::Text
            }
            b'\\' | 0x0c | 0x0b | 0 if dialect::universal(&text[at..]).is_none() => {
                at += 1;
                blanks.push((start, at));
                continue;
            }
            b'0'..=b'9' => {
                at = number_end(bytes, at);
                Kind::Number
            }
            byte if is_word(byte) || byte == b'\\' => {
                loop {
                    match dialect::universal(text.get(at..).unwrap_or("")) {
                        Some((_, length)) => at += length,
                        None if at < bytes.len() && is_word(bytes[at]) => at += 1,
                        None => break,
                    }
                }
                Kind::Word
            }
            _ => {
                at += 1;
                Kind::Punctuation
            }
        };
        line_start = false;
        tokens.push(Token { kind, start, end: at });
    }
    Ok((tokens, blanks, pragmas.packs))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        at += 1;
    }
    at
}

fn literal_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return None,
            byte if byte == bytes[start] => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

fn number_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        let exponent = matches!(bytes[at], b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        if !(is_word(bytes[at]) || bytes[at] == b'.' || exponent) {
            break;
        }
        at += 1;
    }
    at
}

// ---- rewriting

/// The tokens of a text with their bracket structure.
struct Tokens<'a> {
    text: &'a str,
    list: Vec<Token>,
    /// For each bracket, the one that it matches.
    partner: Vec<Option<usize>>,
    /// For each token, how many braces are open around it.
    braces: Vec<u32>,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str, list: Vec<Token>) -> Tokens<'a> {
        let mut partner = vec![None; list.len()];
        let mut braces = Vec::with_capacity(list.len());
        let (mut open, mut depth) = (Vec::new(), 0u32);
        for (at, token) in list.iter().enumerate() {
            let word = &text[token.start..token.end];
            braces.push(depth);
            match word {
                "(" | "[" | "{" => open.push(at),
                ")" | "]" | "}" => {
                    if let Some(start) = open.pop() {
                        (partner[start], partner[at]) = (Some(at), Some(start));
                    }
                }
                _ => {}
            }
            match word {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Tokens { text, list, partner, braces }
    }

    /// The text of a token; nothing outside the list.
    fn word(&self, at: Option<usize>) -> &'a str {
        at.and_then(|at| self.list.get(at)).map_or("", |token| &self.text[token.start..token.end])
    }

    fn next(&self, at: usize) -> Option<usize> {
        (at + 1 < self.list.len()).then_some(at + 1)
    }

    fn previous(&self, at: usize) -> Option<usize> {
        at.checked_sub(1)
    }
}

fn rewrite(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) -> Result<(), LexicalError> {
    let token = around.list[at];
    let word = around.word(Some(at));
    let next = around.next(at);
    match (token.kind, word) {
        (Kind::Word, "__thread" | "__CPROVER_thread_local") => edits.push(replace(token, "_Thread_local")),
        // What lang-c has for neither stands for the integer; the floats get names that are refused.
        (Kind::Word, "__int128" | "__int128_t") => edits.push(replace(token, "_Float128")),
        (Kind::Word, "__uint128_t") => edits.push(replace(token, "unsigned _Float128")),
        (Kind::Word, "__float128" | "_Float128") => edits.push(replace(token, "_Float128x")),
        (Kind::Word, "__CPROVER_bool") => edits.push(replace(token, "_Bool")),
        (Kind::Word, "_Pragma") => blank_call(around, at, edits)?,
        (Kind::Word, "__label__") => {
            let end = (at..around.list.len().min(at + 256)).find(|&i| around.word(Some(i)) == ";");
            let end = end.ok_or_else(|| syntax_error(token.start, word.len(), "`__label__` without `;`"))?;
            edits.push(blank(token.start, around.list[end].end, around.text));
        }
        (Kind::Word, "__auto_type") => edits.push(replace(token, "__typeof__(__regrain_auto)")),
        (Kind::Word, "_Static_assert") => static_assert(around, at, edits),
        (Kind::Word, "goto") if around.word(next) == "*" => label::computed_goto(around, at, edits)?,
        (Kind::Word, "asm" | "__asm__" | "__asm") => assembly(around, at, edits)?,
        (Kind::Word, "__builtin_types_compatible_p") => dialect::types_compatible(around, at, edits),
        (Kind::Word, "__alignof__" | "__alignof" | "_Alignof") => dialect::alignment(around, at, edits),
        (Kind::Word, _) => {
            dialect::implicit_int(around, at, edits);
            dialect::unusual_identifier(token, word, edits);
        }
        (Kind::Text, _) => dialect::escapes(token, word, edits),
        (Kind::Punctuation, "?") if around.word(next) == ":" => {
            edits.push(replace(token, "? __regrain_same"))
        }
        (Kind::Punctuation, "&") if label::is_address(around, at) => label::address(around, at, edits),
        (Kind::Punctuation, "{") if around.word(next) == "}" => empty_literal(around, at, edits),
        (Kind::Punctuation, ":") => label_before_no_statement(around, at, edits),
        _ => {}
    }
    Ok(())
}

/// Blanks `word ( ... )`.
fn blank_call(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) -> Result<(), LexicalError> {
    let token = around.list[at];
    let close =
        around.next(at).filter(|&open| around.word(Some(open)) == "(").and_then(|open| around.partner[open]);
    let Some(close) = close else {
        let message = format!("`{}` without its parentheses", around.word(Some(at)));
        return Err(syntax_error(token.start, token.end - token.start, &message));
    };
    let inside = around.word(around.next(at + 1)).trim_matches('"').trim();
    // The preprocessor makes `#pragma` of it, except inside directives; here only those are left that say
    // nothing to us.
    if attribute::Pragmas::default().pragma(inside, token.start, token.end - token.start).is_err()
        || inside.starts_with("pack")
    {
        return Err(unsupported(token, &format!("`_Pragma(\"{inside}\")` is not supported")));
    }
    edits.push(blank(token.start, around.list[close].end, around.text));
    Ok(())
}

fn static_assert(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) {
    let Some(open) = around.next(at) else { return };
    let Some(close) = around.partner[open] else { return };
    let mut i = open + 1;
    let mut has_text = false;
    while i < close {
        has_text |= around.word(Some(i)) == ",";
        i = around.partner[i].unwrap_or(i).max(i) + 1;
    }
    if !has_text {
        let end = around.list[close];
        edits.push(replace(end, ", \"\")"));
    }
}

fn assembly(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) -> Result<(), LexicalError> {
    let token = around.list[at];
    let mut open = around.next(at);
    while let Some(i) = open.filter(|&i| around.list[i].kind == Kind::Word) {
        match around.word(Some(i)) {
            "goto" => return Err(unsupported(token, "`asm goto` is not supported")),
            "inline" | "__inline" | "__inline__" => edits.push(replace(around.list[i], "")),
            _ => {}
        }
        open = around.next(i);
    }
    let before = around.word(around.previous(at));
    if !matches!(before, "" | ";" | "}") || around.braces[at] > 0 {
        return Ok(());
    }
    let close = open.and_then(|open| around.partner[open]);
    let Some(close) = close else { return Ok(()) };
    let code = &around.text[around.list[open.expect("found above")].end..around.list[close].start];
    let code = code.trim_matches(|c: char| c == '"' || c.is_whitespace());
    if !code.is_empty() && !code.starts_with('.') {
        return Err(unsupported(token, "`asm` with code outside a function is not supported"));
    }
    let end = around.next(close).filter(|&i| around.word(Some(i)) == ";").unwrap_or(close);
    edits.push(blank(token.start, around.list[end].end, around.text));
    Ok(())
}

/// `(T){}` to `(T){0}`; leaves empty blocks and function bodies alone.
fn empty_literal(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) {
    let Some(close) = around.previous(at).filter(|&i| around.word(Some(i)) == ")") else { return };
    let Some(open) = around.partner[close] else { return };
    let before = around.previous(open);
    let is_literal = match before {
        Some(i) if around.list[i].kind == Kind::Word => around.word(before) == "return",
        Some(_) => matches!(around.word(before), "=" | "(" | "," | "?" | ":" | "&"),
        None => false,
    };
    if is_literal {
        edits.push(replace(around.list[at], "{0"));
    }
}

/// A label needs a statement: C23 lets it stand before `}` or a declaration.
fn label_before_no_statement(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) {
    const TYPE_WORDS: [&str; 17] = [
        "int", "char", "short", "long", "unsigned", "signed", "_Bool", "struct", "union", "enum", "const",
        "volatile", "static", "register", "_Atomic", "float", "double",
    ];
    let Some(label) = around.previous(at) else { return };
    let before = around.word(around.previous(label));
    let is_label = around.list[label].kind == Kind::Word
        && matches!(before, ";" | "{" | "}" | ":" | ")" | "else" | "do");
    let is_case = around.word(Some(label)) == "default" || before == "case" || is_case_label(around, label);
    let next = around.word(around.next(at));
    if (is_label || is_case) && (next == "}" || TYPE_WORDS.contains(&next)) {
        edits.push(replace(around.list[at], ": ;"));
    }
}

/// Whether a `case` begins the statement that the token before a colon ends.
fn is_case_label(around: &Tokens<'_>, mut at: usize) -> bool {
    for _ in 0..64 {
        match around.word(Some(at)) {
            "case" => return true,
            ";" | "{" | "}" | "?" => return false,
            _ => {}
        }
        match around.previous(at) {
            Some(previous) => at = previous,
            None => return false,
        }
    }
    false
}

// ---- edits

fn replace(token: Token, with: &str) -> Edit {
    Edit { start: token.start, end: token.end, with: with.to_owned() }
}

/// Blanks that keep the lines.
fn blank(start: usize, end: usize, text: &str) -> Edit {
    let with = text[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    Edit { start, end, with }
}

fn apply(text: &str, mut edits: Vec<Edit>) -> Cleaned {
    edits.sort_by_key(|edit| (edit.start, usize::MAX - edit.end));
    let mut cleaned = Cleaned {
        text: String::with_capacity(text.len() + 64),
        attributes: Vec::new(),
        packs: Vec::new(),
        origins: vec![(0, 0)],
    };
    let mut at = 0;
    for edit in edits {
        // An edit inside one already made (an attribute inside a blanked asm) has nothing left to change.
        if edit.start < at {
            continue;
        }
        cleaned.text.push_str(&text[at..edit.start]);
        if edit.with.len() != edit.end - edit.start {
            // Bytes of the replacement keep the place where the edit starts, as far as they go.
            cleaned.origins.push((cleaned.text.len(), edit.start));
            cleaned.text.push_str(&edit.with);
            cleaned.origins.push((cleaned.text.len(), edit.end));
        } else {
            cleaned.text.push_str(&edit.with);
        }
        at = edit.end;
    }
    cleaned.text.push_str(&text[at..]);
    cleaned
}

fn syntax_error(position: usize, len: usize, message: &str) -> LexicalError {
    LexicalError { position, len, message: message.to_owned(), kind: super::diagnostic::Kind::Syntax }
}

fn unsupported(token: Token, message: &str) -> LexicalError {
    LexicalError {
        position: token.start,
        len: token.end - token.start,
        message: message.to_owned(),
        kind: super::diagnostic::Kind::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expected: &str) {
        assert_eq!(clean(input).expect("accepted").text, expected);
    }

    #[track_caller]
    fn refused(input: &str, message: &str) {
        assert_eq!(clean(input).expect_err("refused").message, message);
    }

    #[test]
    fn comments_become_blanks_and_keep_lines() {
        check("a /* b\nc */ d // e\nf", "a     \n     d     \nf");
        check("\"/* no */\" '\"' // x", "\"/* no */\" '\"'     ");
    }

    #[test]
    fn gnu_words_get_equals() {
        check("__thread int x;", "_Thread_local int x;");
        check("unsigned __int128 x;", "unsigned _Float128 x;");
        check("y = a ?: b;", "y = a ? __regrain_same: b;");
        check("__auto_type p = (&x, y);", "__typeof__(__regrain_auto) p = (&x, y);");
        check("_Static_assert(f(1, 2));", "_Static_assert(f(1, 2), \"\");");
        check("_Static_assert(1, \"t\");", "_Static_assert(1, \"t\");");
    }

    #[test]
    fn attributes_and_assembly_go() {
        check("int x __attribute__ ( (aligned (8)) );", "int x                                ;");
        check("asm(\".symver a\");\nint x;", "                 \nint x;");
        check("void f(void) { asm volatile(\"mfence\"); }", "void f(void) { asm volatile(\"mfence\"); }");
        refused("asm(\"nop\");", "`asm` with code outside a function is not supported");
    }

    #[test]
    fn labels_as_values() {
        let operators =
            "void f(void) { p = a &&b; q = a-- && b; r = *a++ &&b && (a) &&b; x = a ? &&y : b; b: ; }";
        check(operators, operators);
        check(
            "void f(void) { p = &&a; goto *p; a: ; }",
            "void f(void) { p = __regrain_label(a); { void *__regrain_to = (void *)( p); if (__regrain_to == \
             __regrain_label(a)) goto a; __regrain_undefined(\"`goto` to something that is no label\"); } a: ; }",
        );
    }

    #[test]
    fn functions_without_a_type_return_int() {
        check(
            "main() { f(); } g(a) int a; { } static h();",
            "int main() { f(); } int g(a) int a; { } static int h();",
        );
        check("struct s { int a; } f(void) { g(); }", "struct s { int a; } f(void) { g(); }");
        check(
            "t x; _Static_assert(1, \"\"); int f(int (*g)());",
            "t x; _Static_assert(1, \"\"); int f(int (*g)());",
        );
    }

    #[test]
    fn queries_and_names() {
        check(
            "__builtin_types_compatible_p(int[f(1, 2)], t)",
            "_Generic((__typeof__(int[f(1, 2)]) *)0, __typeof__( t) *: 1, default: 0)",
        );
        check("\"\\e[0m \\\\e \\u03b1 \\u12\"", "\"\\033[0m \\\\e \u{3b1} \\u12\"");
        check("__alignof__(x + 1)", "__alignof__(__typeof__(x + 1))");
        check("int a$b, \u{e9};", "int a_u24_b, _ue9_;");
        check(
            "int a_u24_b, a_u24_u24_, _u24$, x_udp;",
            "int a__u75_24_b, a__u75_24__u75_24_, __u75_24_u24_, x_udp;",
        );
        check("int \\u00e9t\\U000000e9;", "int _ue9_t_ue9_;");
    }

    #[test]
    fn empty_literals_but_not_empty_blocks() {
        check(
            "void f(){} void g(void){ x = (struct s){}; if (x) {} }",
            "void f(){} void g(void){ x = (struct s){0}; if (x) {} }",
        );
    }

    #[test]
    fn labels_get_a_statement() {
        check("{ out: }", "{ out: ; }");
        check("switch (x) { case 1: int y; default: }", "switch (x) { case 1: ; int y; default: ; }");
        check("{ x = c ? a : b; again: x = 1; }", "{ x = c ? a : b; again: x = 1; }");
    }

    #[test]
    fn positions_map_back() {
        let input = "__thread int x; y = a ?: b;";
        let cleaned = clean(input).expect("accepted");
        for word in ["x;", "y =", "a ?", "b;"] {
            let position = cleaned.text.find(word).expect("kept");
            assert_eq!(cleaned.origin(position), input.find(word).expect("there"), "{word}");
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for piece in ["){}", "_Static_assert(", "__auto_type x = (", "/**/", "case 1:", "? :", "asm (", "\\"]
        {
            let _ = clean(&piece.repeat(200_000));
        }
    }

    #[test]
    fn unterminated_things_are_errors() {
        refused("int x; /* ", "unterminated comment");
        refused("char *s = \"a\n\";", "unterminated literal");
    }
}
