//! C source with its words marked: keywords, numbers, strings, comments, directives.
//!
//! A scanner, not a parser: it never fails, and text that is not C comes out as it is.

use crate::report::svg::escaped;

const KEYWORDS: [&str; 52] = [
    "_Atomic",
    "_Bool",
    "_Thread_local",
    "__thread",
    "atomic_bool",
    "atomic_int",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "int32_t",
    "int64_t",
    "long",
    "pthread_cond_t",
    "pthread_mutex_t",
    "pthread_t",
    "register",
    "return",
    "sem_t",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "false",
    "true",
];

/// What the scanner is inside of at the end of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Inside {
    #[default]
    Code,
    Comment,
}

/// A line as markup, and what the next line is inside of.
pub(super) fn line(text: &str, mut inside: Inside) -> (String, Inside) {
    let mut out = String::new();
    let mut rest = text;
    if inside == Inside::Code && rest.trim_start().starts_with('#') {
        let end = [rest.find("//"), rest.find("/*")].into_iter().flatten().min().unwrap_or(rest.len());
        out += &span("d", &rest[..end]);
        rest = &rest[end..];
    }
    while !rest.is_empty() {
        let (class, length) = match inside {
            Inside::Comment => ("c", rest.find("*/").map_or(rest.len(), |end| end + 2)),
            Inside::Code => token(rest),
        };
        let (token, after) = rest.split_at(length);
        inside = match class {
            "c" if token.starts_with("//") => Inside::Code,
            "c" if token.ends_with("*/") && (inside == Inside::Comment || token.len() >= 4) => Inside::Code,
            "c" => Inside::Comment,
            _ => Inside::Code,
        };
        out += &span(class, token);
        rest = after;
    }
    (out, inside)
}

/// The class and length of the first token.
fn token(text: &str) -> (&'static str, usize) {
    let first = text.chars().next().expect("there is text");
    let run = |wanted: fn(char) -> bool| text.find(|c| !wanted(c)).unwrap_or(text.len());
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if text.starts_with("//") {
        ("c", text.len())
    } else if let Some(body) = text.strip_prefix("/*") {
        ("c", body.find("*/").map_or(text.len(), |end| end + 4))
    } else if first == '"' || first == '\'' {
        ("s", quoted(text, first))
    } else if first.is_ascii_digit() {
        ("n", run(|c| c.is_alphanumeric() || c == '.'))
    } else if word(first) {
        let length = run(|c| c.is_alphanumeric() || c == '_');
        (if KEYWORDS.contains(&&text[..length]) { "k" } else { "" }, length)
    } else {
        let other = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '"' | '\'' | '/');
        ("", text.find(|c| !other(c)).unwrap_or(text.len()).max(first.len_utf8()))
    }
}

/// The length of a string or character constant; to the end of the line if it is not closed.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

fn span(class: &str, text: &str) -> String {
    match class {
        "" => escaped(text),
        _ => format!("<span class=\"{class}\">{}</span>", escaped(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> String {
        line(text, Inside::Code).0
    }

    #[test]
    fn words_are_marked() {
        assert_eq!(
            marked("int x = 10; // ten"),
            "<span class=\"k\">int</span> x = <span class=\"n\">10</span>; <span class=\"c\">// ten</span>"
        );
        assert_eq!(marked("#include <a.h>"), "<span class=\"d\">#include &lt;a.h&gt;</span>");
        assert_eq!(marked("c = '\\'';"), "c = <span class=\"s\">&#39;\\&#39;&#39;</span>;");
        assert_eq!(marked("a / b"), "a / b");
    }

    #[test]
    fn comments_go_on_over_lines() {
        let (first, inside) = line("x; /* a", Inside::Code);
        assert_eq!(first, "x; <span class=\"c\">/* a</span>");
        let (second, inside) = line("b */ if", inside);
        assert_eq!(second, "<span class=\"c\">b */</span> <span class=\"k\">if</span>");
        assert!(inside == Inside::Code);
        assert!(line("/*/", Inside::Code).1 == Inside::Comment);
    }

    #[test]
    fn markup_in_the_source_stays_text() {
        for text in
            ["</script><script>alert(1)</script>", "\"<img src=x onerror=alert(1)>\"", "/* --> <b> */", "'<"]
        {
            let marked = marked(text);
            let plain = marked.replace("</span>", "");
            let tags: Vec<&str> = plain.match_indices('<').map(|(at, _)| &plain[at..]).collect();
            assert!(tags.iter().all(|tag| tag.starts_with("<span class=\"")), "{marked}");
        }
    }
}
