//! Where functions, calls and conditions are in a C file: as much syntax as locations in witnesses need,
//! found in the text alone.
//!
//! The text is cut into tokens and brackets are matched. Comments, literals and preprocessor lines are
//! skipped. Text that hides brackets in macros can make answers be missing; positions that are given are
//! those of real characters.

use std::ops::Range;

/// A character's place: line from 1, column in bytes from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Position {
    pub line: u32,
    pub column: u32,
}

/// A keyword with a condition in parentheses behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Branching<'a> {
    /// Where the keyword is.
    pub keyword: Position,
    /// The condition as written.
    pub condition: &'a str,
    /// Where the condition begins and ends.
    from: usize,
    to: usize,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    start: usize,
    end: usize,
    /// For a bracket, the token that closes or opens it; itself for others.
    partner: usize,
}

/// A file's text with what was found in it.
#[derive(Debug)]
pub(super) struct Syntax {
    text: String,
    /// Offsets at which lines start.
    lines: Vec<usize>,
    tokens: Vec<Token>,
    /// Names of functions with the bytes of their definitions.
    functions: Vec<(Range<usize>, Range<usize>)>,
}

impl Syntax {
    /// Looks at a text.
    pub fn new(text: String) -> Syntax {
        let mut lines = vec![0];
        lines.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let mut syntax = Syntax { tokens: tokens(&text), text, lines, functions: Vec::new() };
        syntax.match_brackets();
        syntax.find_functions();
        syntax
    }

    /// The name of the function whose definition contains a place.
    pub fn function_at(&self, at: Position) -> Option<&str> {
        let offset = self.offset(at)?;
        let (name, _) = self.functions.iter().find(|(_, whole)| whole.contains(&offset))?;
        self.text.get(name.clone())
    }

    /// The first place in a function's body: behind its opening brace, the first token.
    pub fn first_statement(&self, function: &str) -> Option<Position> {
        let (_, whole) =
            self.functions.iter().find(|(name, _)| self.text.get(name.clone()) == Some(function))?;
        let inside = self.tokens.iter().filter(|token| whole.contains(&token.start));
        let body = inside.skip_while(|token| self.of(token) != "{").nth(1)?;
        Some(self.position(body.start))
    }

    /// The closing parenthesis of the call that begins at a place; at column 0, of the first call of a
    /// function with that name in the line.
    pub fn call_end(&self, at: Position, name: &str) -> Option<Position> {
        let start = match at.column {
            0 => *self.lines.get((at.line as usize).checked_sub(1)?)?,
            _ => self.offset(at)?,
        };
        let end = self.lines.get(at.line as usize).copied().unwrap_or(self.text.len());
        let callee = (0..self.tokens.len()).find(|&i| {
            let token = &self.tokens[i];
            let called = self.tokens.get(i + 1).is_some_and(|next| self.of(next) == "(");
            (start..end).contains(&token.start) && called && self.of(token) == name
        })?;
        let closing = self.tokens[callee + 1].partner;
        (closing != callee + 1).then(|| self.position(self.tokens[closing].start))
    }

    /// The innermost `if`, `while` or `for` whose condition contains a place.
    pub fn branching_at(&self, at: Position) -> Option<Branching<'_>> {
        let offset = self.offset(at)?;
        let mut candidates = (0..self.tokens.len()).rev().filter_map(|i| self.branching(i));
        candidates.find(|found| (found.from..found.to).contains(&offset))
    }

    /// Whether a place is directly between braces, as statements are.
    pub fn is_in_block(&self, at: Position) -> bool {
        let Some(offset) = self.offset(at) else { return false };
        let innermost = (0..self.tokens.len()).rev().find(|&i| {
            let token = &self.tokens[i];
            token.partner > i && token.start < offset && self.tokens[token.partner].start > offset
        });
        innermost.is_some_and(|open| self.of(&self.tokens[open]) == "{")
    }

    /// Where the statement begins that a place is the first interesting one of: a declaration begins with its
    /// type. `None` for a further declarator, before which others have been executed.
    pub fn statement_start(&self, at: Position) -> Option<Position> {
        let offset = self.offset(at)?;
        let mut first = self.tokens.iter().position(|token| token.start == offset)?;
        while let Some(before) = first.checked_sub(1) {
            match self.of(&self.tokens[before]) {
                "else" | "do" | ";" | "{" | "}" | ":" | ")" => break,
                "," => return None,
                word if word == "*" || is_name(word) => first = before,
                _ => return Some(at),
            }
        }
        Some(self.position(self.tokens[first].start))
    }

    /// Whether a place is inside a condition.
    pub fn is_inside(&self, branching: &Branching<'_>, at: Position) -> bool {
        self.offset(at).is_some_and(|offset| (branching.from..branching.to).contains(&offset))
    }

    /// The word at a place.
    pub fn word_at(&self, at: Position) -> Option<&str> {
        let offset = self.offset(at)?;
        self.tokens.iter().find(|token| token.start == offset).map(|token| self.of(token))
    }

    /// The offset of a place.
    pub fn offset(&self, at: Position) -> Option<usize> {
        let start = *self.lines.get((at.line as usize).checked_sub(1)?)?;
        Some(start + (at.column as usize).checked_sub(1)?).filter(|&offset| offset <= self.text.len())
    }

    /// The text of a line.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.lines().nth((line as usize).checked_sub(1)?)
    }

    fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|&start| start <= offset);
        let column = offset - self.lines[line - 1] + 1;
        Position { line: small(line), column: small(column) }
    }

    fn of(&self, token: &Token) -> &str {
        &self.text[token.start..token.end]
    }

    fn branching(&self, keyword: usize) -> Option<Branching<'_>> {
        let (token, open) = (&self.tokens[keyword], self.tokens.get(keyword + 1)?);
        let close = open.partner;
        if !matches!(self.of(token), "if" | "while" | "for") || self.of(open) != "(" || close == keyword + 1 {
            return None;
        }
        let (mut from, mut to) = (open.end, self.tokens[close].start);
        if self.of(token) == "for" {
            let separators = self.separators(keyword + 1, close);
            let [first, second] = separators[..] else { return None };
            (from, to) = (self.tokens[first].end, self.tokens[second].start);
        }
        let condition = self.text.get(from..to)?.trim();
        Some(Branching { keyword: self.position(token.start), condition, from, to })
    }

    /// The semicolons directly between two brackets.
    fn separators(&self, open: usize, close: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = open + 1;
        while at < close {
            if self.of(&self.tokens[at]) == ";" {
                found.push(at);
            }
            at = self.tokens[at].partner.max(at) + 1;
        }
        found
    }

    fn match_brackets(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for i in 0..self.tokens.len() {
            match self.of(&self.tokens[i]) {
                "(" | "[" | "{" => open.push(i),
                closing @ (")" | "]" | "}") => {
                    let fits = |&start: &usize| {
                        matches!(
                            (self.of(&self.tokens[start]), closing),
                            ("(", ")") | ("[", "]") | ("{", "}")
                        )
                    };
                    if let Some(start) = open.pop().filter(fits) {
                        self.tokens[start].partner = i;
                        self.tokens[i].partner = start;
                    }
                }
                _ => {}
            }
        }
    }

    /// A definition is, outside all brackets, a name with parentheses behind it and later a brace.
    fn find_functions(&mut self) {
        let mut functions = Vec::new();
        let (mut begin, mut name, mut at) = (0, None, 0);
        while at < self.tokens.len() {
            let token = self.tokens[at];
            let next_opens = self.tokens.get(at + 1).is_some_and(|next| self.of(next) == "(");
            match self.of(&token) {
                ";" => (begin, name) = (at + 1, None),
                "{" => {
                    let end = self.tokens[token.partner].end;
                    let start = self.tokens[begin].start;
                    functions.extend(name.take().map(|name: Range<usize>| (name, start..end)));
                    begin = token.partner.max(at) + 1;
                }
                "=" => name = None,
                word if next_opens && name.is_none() && is_name(word) && !word.starts_with("__attribute") => {
                    name = Some(token.start..token.end);
                }
                _ => {}
            }
            at = token.partner.max(at) + 1;
        }
        self.functions = functions;
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The tokens of a text, as bytes from to; numbers and names are one token, every other character is one of
/// its own.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found: Vec<Token> = Vec::new();
    let (mut at, mut line_start) = (0, true);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let start = at;
        if rest.starts_with(b"//") || line_start && rest[0] == b'#' {
            at += logical_line(rest);
            continue;
        } else if rest.starts_with(b"/*") {
            at +=
                2 + rest[2..].windows(2).position(|pair| pair == b"*/").map_or(rest.len() - 2, |end| end + 2);
            continue;
        } else if rest[0].is_ascii_whitespace() {
            line_start |= rest[0] == b'\n';
            at += 1;
            continue;
        } else if rest[0] == b'"' || rest[0] == b'\'' {
            at += literal(rest);
        } else if is_word(rest[0]) {
            at += rest.iter().take_while(|&&byte| is_word(byte)).count();
        } else {
            at += 1;
        }
        line_start = false;
        found.push(Token { start, end: at, partner: found.len() });
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Length of a line with the lines that a backslash joins to it.
fn logical_line(rest: &[u8]) -> usize {
    let end = (0..rest.len()).find(|&i| rest[i] == b'\n' && (i == 0 || rest[i - 1] != b'\\'));
    end.unwrap_or(rest.len())
}

/// Length of a string or character constant.
fn literal(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != rest[0] && rest[at] != b'\n' {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
#include <pthread.h>
#define BEGIN {
/* int f(void) { */
struct s { int x; };
static int a[] = { 1, 2 };
__attribute__((noinline)) void *work(void *arg)
{
    for (int i = 0; i < a[0] && work(0); i++) { x = '}'; }
    while (!done && (y || \"(\"[0])) ;
    return 0;
}
int main(void) { pthread_create(&t, 0, work, f(1, 2)); if (x == 1) return 1; }
";

    fn at(syntax: &Syntax, text: &str) -> Position {
        syntax.position(TEXT.find(text).expect("it is there"))
    }

    #[test]
    fn functions_are_found() {
        let syntax = Syntax::new(TEXT.to_owned());
        assert_eq!(syntax.function_at(at(&syntax, "i < a[0]")), Some("work"));
        assert_eq!(syntax.function_at(at(&syntax, "noinline")), Some("work"));
        assert_eq!(syntax.function_at(at(&syntax, "return 1")), Some("main"));
        assert_eq!(syntax.function_at(at(&syntax, "int x;")), None);
        assert_eq!(syntax.function_at(at(&syntax, "1, 2 }")), None);
        assert_eq!(syntax.first_statement("main"), Some(at(&syntax, "pthread_create(")));
        assert_eq!(syntax.first_statement("missing"), None);
    }

    #[test]
    fn calls_end_at_their_own_parenthesis() {
        let syntax = Syntax::new(TEXT.to_owned());
        let call = at(&syntax, "pthread_create(");
        let end = syntax.call_end(call, "pthread_create").expect("the call ends");
        assert!(TEXT[syntax.offset(end).expect("a place")..].starts_with("); if"));
        assert_eq!(syntax.call_end(Position { column: 0, ..call }, "pthread_create"), Some(end));
        assert_eq!(syntax.call_end(call, "pthread_join"), None);
    }

    #[test]
    fn conditions_belong_to_their_keyword() {
        let syntax = Syntax::new(TEXT.to_owned());
        let check = |place: &str, keyword: &str, condition: &str| {
            let found = syntax.branching_at(at(&syntax, place)).expect("a condition");
            assert_eq!((found.keyword, found.condition), (at(&syntax, keyword), condition));
            assert!(syntax.is_inside(&found, at(&syntax, place)));
        };
        check("i < a[0]", "for (int", "i < a[0] && work(0)");
        check("y || ", "while (!done", "!done && (y || \"(\"[0])");
        check("x == 1", "if (x", "x == 1");
        for outside in ["int i = 0", "i++", "x = '}'"] {
            assert_eq!(syntax.branching_at(at(&syntax, outside)), None, "{outside}");
        }
    }

    #[test]
    fn statements_are_between_braces() {
        let syntax = Syntax::new(TEXT.to_owned());
        for (place, inside) in
            [("return 0", true), ("x = '}'", true), ("int i = 0", false), ("static", false)]
        {
            assert_eq!(syntax.is_in_block(at(&syntax, place)), inside, "{place}");
        }
    }

    #[test]
    fn declarations_begin_with_their_type() {
        let text = "void f(void) { const int *p = 0, q = 1; if (x) y = 1; else z = 2; l: *w = 3; }";
        let syntax = Syntax::new(text.to_owned());
        let start = |place: &str| {
            let found = syntax.statement_start(syntax.position(text.find(place).expect("it is there")));
            found.and_then(|at| syntax.offset(at)).map(|offset| &text[offset..offset + 4])
        };
        assert_eq!([start("p = 0"), start("q = 1"), start("y = 1")], [Some("cons"), None, Some("y = ")]);
        assert_eq!([start("z = 2"), start("*w = 3")], [Some("z = "), Some("*w =")]);
    }

    #[test]
    fn damaged_text_gives_no_answer() {
        for text in ["", "if (", "f) {", "{ } }", "/*", "\"", "'\\", "for (;;", "# \\\n x"] {
            let syntax = Syntax::new(text.to_owned());
            let first = Position { line: 1, column: 1 };
            assert_eq!((syntax.branching_at(first), syntax.call_end(first, "f")), (None, None), "{text}");
        }
    }
}
