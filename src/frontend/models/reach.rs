//! Which functions of the models a program can reach: only these are parsed, since the whole library costs
//! more than most programs.
//!
//! A function counts as reached if its name stands where it could be called or its address taken: inside
//! braces or in an initialiser, in the user's text or in what is reached already. A declaration alone does
//! not count, so that a header reaches nothing. What is not a function is always there. The text that is left
//! keeps its lines and columns.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::TEXT;

/// Functions that the front end calls by itself.
const ALWAYS: &[&str] = &["__regrain_at_exit", "__regrain_thread_end"];

/// Whether a function may be called.
type Called = fn(&str) -> bool;

/// Words that make the front end call functions with other names.
const IMPLIED: &[(&str, Called)] = &[
    ("__int128", is_wide),
    ("__int128_t", is_wide),
    ("__uint128_t", is_wide),
    ("__builtin_add_overflow", is_overflow),
    ("__builtin_sub_overflow", is_overflow),
    ("__builtin_mul_overflow", is_overflow),
    ("__builtin_isinf_sign", |name| name == "isinf"),
];

fn is_wide(name: &str) -> bool {
    name.starts_with("__regrain_i128_") || name.starts_with("__regrain_u128_")
}

fn is_overflow(name: &str) -> bool {
    name.ends_with("_overflow")
}

/// A set of functions of the models.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reached(BTreeSet<usize>);

impl Reached {
    /// Every function.
    pub fn all() -> Reached {
        Reached((0..items().functions.len()).collect())
    }

    /// What a program reaches whose preprocessed text this is; `also` names functions that are asked for by
    /// other means.
    pub fn from(text: &str, also: &[&str]) -> Reached {
        let items = items();
        let (mut reached, mut pending) = (BTreeSet::new(), Vec::new());
        let mut note = |name: &str, pending: &mut Vec<usize>| {
            for function in items.named(name) {
                if reached.insert(function) {
                    pending.push(function);
                }
            }
        };
        for name in ALWAYS.iter().chain(also) {
            note(name, &mut pending);
        }
        mentions(text, |name| note(name, &mut pending));
        mentions(&items.rest, |name| note(name, &mut pending));
        while let Some(function) = pending.pop() {
            mentions(&TEXT[items.functions[function].text.clone()], |name| note(name, &mut pending));
        }
        Reached(reached)
    }

    /// Whether all of these are in it.
    pub fn contains(&self, other: &Reached) -> bool {
        other.0.is_subset(&self.0)
    }

    /// The models with these functions alone, each at its place.
    pub fn text(&self) -> String {
        without(items().functions.iter().enumerate().filter(|(at, _)| !self.0.contains(at)).map(|(_, it)| it))
    }
}

/// The models without some functions, whose lines stay.
fn without<'f>(functions: impl Iterator<Item = &'f Function>) -> String {
    let (mut text, mut at) = (String::with_capacity(TEXT.len()), 0);
    for function in functions {
        text.push_str(&TEXT[at..function.text.start]);
        text.extend(TEXT[function.text.clone()].matches('\n'));
        at = function.text.end;
    }
    text.push_str(&TEXT[at..]);
    text
}

/// A function that the models define.
struct Function {
    name: &'static str,
    /// Where its definition is in [`TEXT`].
    text: Range<usize>,
}

struct Items {
    /// In the order of the text.
    functions: Vec<Function>,
    by_name: FxHashMap<&'static str, usize>,
    /// All that is not a function.
    rest: String,
}

impl Items {
    /// The functions that a word stands for.
    fn named(&self, word: &str) -> Vec<usize> {
        let plain = word.strip_prefix("__builtin_");
        let mut found: Vec<usize> = [Some(word), plain]
            .into_iter()
            .flatten()
            .filter_map(|name| self.by_name.get(name).copied())
            .collect();
        if let Some((_, implied)) = IMPLIED.iter().find(|(implying, _)| *implying == word) {
            found.extend((0..self.functions.len()).filter(|&at| implied(self.functions[at].name)));
        }
        found
    }
}

fn items() -> &'static Items {
    static ITEMS: OnceLock<Items> = OnceLock::new();
    ITEMS.get_or_init(|| {
        let functions = definitions();
        let by_name = functions.iter().enumerate().map(|(at, function)| (function.name, at)).collect();
        let rest = without(functions.iter());
        Items { functions, by_name, rest }
    })
}

/// The functions that the models define: blocks outside all others that come after a parenthesis.
fn definitions() -> Vec<Function> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    let (mut name, mut last, mut is_function) = ("", "", false);
    for range in Tokens::new(TEXT) {
        let token = &TEXT[range.clone()];
        if depth == 0 && start == usize::MAX {
            (start, name) = (range.start, "");
        }
        match token {
            "{" => {
                is_function |= depth == 0 && last == ")";
                depth += 1;
            }
            "}" => depth -= 1,
            "(" if depth == 0 && name.is_empty() => name = last,
            _ => {}
        }
        let ends = depth == 0 && (token == ";" || token == "}" && is_function);
        if ends && is_function {
            found.push(Function { name, text: start..range.end });
        }
        if ends {
            (start, is_function) = (usize::MAX, false);
        }
        last = token;
    }
    found
}

/// Calls `note` for every name that stands inside braces or in an initialiser.
fn mentions(text: &str, mut note: impl FnMut(&str)) {
    let (mut depth, mut initialiser) = (0_usize, false);
    for range in Tokens::new(text) {
        match &text[range] {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "=" => initialiser |= depth == 0,
            ";" => initialiser &= depth > 0,
            word if depth > 0 || initialiser => note(word),
            _ => {}
        }
    }
}

/// The words and single characters of C text, without comments, literals and lines for the preprocessor.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    fn new(text: &'t str) -> Tokens<'t> {
        Tokens { text, at: 0 }
    }

    /// Where a comment, a literal or a line for the preprocessor ends that begins here.
    fn skipped(&self) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.at..];
        let after = |end: Option<usize>, len| Some(self.at + end.map_or(rest.len(), |end| end + len));
        match rest {
            [b'/', b'*', inner @ ..] => after(find(inner, b"*/"), 4),
            [b'/', b'/', ..] | [b'#', ..] => after(find(rest, b"\n"), 1),
            [quote @ (b'"' | b'\''), inner @ ..] => {
                let mut escaped = false;
                let close = inner.iter().position(|&byte| {
                    let closes = byte == *quote && !escaped;
                    escaped = byte == b'\\' && !escaped;
                    closes
                });
                after(close, 2)
            }
            [byte, ..] if byte.is_ascii_whitespace() => Some(self.at + 1),
            _ => None,
        }
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some(end) = self.skipped() {
            self.at = end;
        }
        let rest = &self.text.as_bytes()[self.at..];
        let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        // A character outside ASCII is one of a literal, or part of a name that is none of ours.
        let len = word.max(self.text[self.at..].chars().next()?.len_utf8());
        let start = self.at;
        self.at += len;
        Some(start..self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::load::model_functions;

    fn names(reached: &Reached) -> Vec<&'static str> {
        reached.0.iter().map(|&at| items().functions[at].name).collect()
    }

    #[test]
    fn every_function_is_found() {
        let found: BTreeSet<&str> = items().functions.iter().map(|function| function.name).collect();
        let known = model_functions();
        assert!(known.len() > 200);
        for name in &known {
            assert!(found.contains(name.as_str()), "{name}");
        }
        assert_eq!(found.iter().filter(|name| !name.starts_with("__regrain_")).count(), known.len());
    }

    #[test]
    fn all_is_the_text_and_nothing_keeps_its_lines() {
        assert_eq!(Reached::all().text(), TEXT);
        let nothing = Reached::default().text();
        assert_eq!(nothing.lines().count(), TEXT.lines().count());
        assert!(nothing.contains("struct __regrain_mutex {") && !nothing.contains("int pthread_mutex_lock("));
    }

    #[test]
    fn uses_reach_and_declarations_do_not() {
        let reached = |text: &str| names(&Reached::from(text, &[]));
        let nothing = reached("");
        assert_eq!(reached("int strlen(const char *);\n# 1 \"strlen.c\"\nint x /* = strlen */;"), nothing);
        assert_eq!(reached("int main(void) { return \"strlen\"[0] == 'strlen'; }"), nothing);
        for text in [
            "int main(void) { strlen(0); }",
            "int (*p)(const char *) = strlen;",
            "void f() { __builtin_strlen(0); }",
        ] {
            assert!(reached(text).contains(&"strlen"), "{text}");
        }
        let all = reached("int main(void) { pthread_mutex_lock(0); }");
        assert!(all.contains(&"pthread_mutex_lock") && all.len() < nothing.len() + 20, "{all:?}");
    }

    #[test]
    fn what_the_front_end_calls_by_itself_is_reached() {
        let text = "int main(void) { unsigned __int128 x = 1; return __builtin_isinf_sign(1.0); }";
        let reached = names(&Reached::from(text, &["atexit"]));
        for name in ["__regrain_u128_mul", "__regrain_i128_less", "isinf", "atexit", "__regrain_at_exit"] {
            assert!(reached.contains(&name), "{name}");
        }
    }
}
