//! Damaged, deep and large texts: no panic, no hang, whatever they are.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::Library;
use crate::frontend::DataModel;
use crate::frontend::diagnostic::{Diagnostic, Kind};
use crate::frontend::parse::{Origin, parse};
use crate::frontend::tree::Unit;
use crate::frontend::tree_print::print;
use crate::program::Sources;
use crate::random::Random;
use crate::stack::on_large_stack;

/// Far more than any of the texts here needs, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

const SNIPPETS: [&str; 5] = [
    "typedef struct node { struct node *next; union { int v; char c[4]; }; unsigned b : 3; } node;
     static node *head, pool[3] = { [1] = { .v = 2 }, { 0, { 5 } } }; enum kind { A, B = 4, C };
     int push(node *n, enum kind k) { n->next = head; head = n; return k == B ? n->c[1] : n->b++; }",
    "int x, y; int f(int n) { int a[n], *p = a; for (int i = 0; i < n; i++) { if (i % 2) continue; p[i] += sizeof a; }
     switch (n) { case 1: case 3 ... 5: x = 1; break; default: goto out; } do { y--; } while (y); out: return *p; }",
    "long old(a, b) char a; long b; { return a + b; } void (*table[2])(int, ...); int printf(const char *, ...);
     void g(void) { table[0](1, 'c', \"text\"); printf(\"%d\", (int)old('x', 3ul)); g2(({ int t = 1; t + 2; })); }",
    "_Atomic int a; __thread int own; int z; void h(int *p) { a += *p; __atomic_fetch_add(p, 1, 5);
     while (__sync_bool_compare_and_swap(p, 0, 1)) ; asm volatile(\"mfence\" ::: \"memory\");
     z = _Generic(a, int: 1, default: 2) ?: 7; __auto_type q = &own; *q = (int){ 3 } + __builtin_offsetof(struct s, t); }",
    "struct s { int t[2]; double d; } s = { { 1 }, 2.0 }; char w[] = \"a\" \"b\\n\", *v[] = { w, &w[1], 0 };
     typeof(s) *ps = &s; int (*fp(int k))[3]; _Static_assert(sizeof(s) == 16, \"s\"); int m[2][3] = { 1, 2, { 3 } };
     int main(void) { return ps->t[1] && fp(1)[0][1] || !*v[0], ~m[1][2] << 2; }",
];

fn run(text: &str) -> Result<Unit, Diagnostic> {
    let mut sources = Sources::default();
    let user = parse(text, "test.c", Origin::User, &mut sources)?;
    super::analyse(&Library::empty(DataModel::Lp64), &user, &sources)
}

/// Parses and analyses; whatever comes out can also be printed.
#[track_caller]
fn survive(text: &str) {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| match run(text) {
        // Recursion over the tree is for large stacks, as in `load.rs`.
        Ok(unit) => on_large_stack(|| print(&unit).len()),
        Err(diagnostic) => diagnostic.to_string().len(),
    }));
    assert!(result.is_ok(), "panic for {text}");
    assert!(start.elapsed() < PATIENCE, "too slow: {text}");
}

/// Operators of two characters.
const OPERATORS: [&str; 14] =
    ["->", "++", "--", "<<", ">>", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "?:"];

/// The words, numbers, literals and other characters of a text.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("...") => 3,
            _ if OPERATORS.iter().any(|operator| rest.starts_with(operator)) => 2,
            '0'..='9' => rest.find(|c| !word(c) && c != '.').unwrap_or(rest.len()),
            _ if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// One change: a token is deleted, doubled, swapped, replaced, or followed by something foreign; or the text
/// ends early.
fn damage<'t>(tokens: &mut Vec<&'t str>, random: &mut Random, foreign: &[&'t str]) {
    if tokens.is_empty() {
        return;
    }
    let at = random.below(tokens.len());
    let other = random.below(tokens.len());
    match random.below(6) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[at]),
        2 => tokens.swap(at, other),
        3 => tokens[at] = tokens[other],
        4 => tokens.insert(at, foreign[random.below(foreign.len())]),
        _ => tokens.truncate(at),
    }
}

#[test]
fn damaged_texts() {
    let foreign = [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "*",
        "&",
        ",",
        ";",
        "=",
        ":",
        "?",
        "#",
        "\"",
        "'",
        "struct",
        "int",
        "void",
        "sizeof",
        "typedef",
        "static",
        "case",
        "goto",
        "return",
        "...",
        "->",
        ".",
        "0",
        "99999999999",
        "1.5",
        "_Atomic",
        "asm",
        "\\",
        "é",
    ];
    for (number, snippet) in SNIPPETS.iter().enumerate() {
        let original = tokens(snippet);
        for seed in 0..700 {
            let mut random = Random::new(1000 * number as u64 + seed);
            let mut damaged = original.clone();
            for _ in 0..=random.below(3) {
                damage(&mut damaged, &mut random, &foreign);
            }
            survive(&damaged.join(" "));
        }
    }
}

#[test]
fn undamaged_texts_are_fine() {
    for snippet in SNIPPETS {
        let text = tokens(snippet).join(" ");
        match run(&text) {
            Ok(_) => {}
            // Its `struct s` is that of another snippet.
            Err(diagnostic) => {
                assert!(diagnostic.message.contains("`struct s` is incomplete"), "{diagnostic}")
            }
        }
    }
}

#[test]
fn texts_cut_anywhere() {
    for snippet in SNIPPETS {
        for end in (0..snippet.len()).step_by(3).filter(|&end| snippet.is_char_boundary(end)) {
            survive(&snippet[..end]);
        }
    }
}

#[test]
fn deep_texts() {
    let pairs = [
        ("(", ")"),
        ("(int)(", ")"),
        ("f(", ")"),
        ("a[", "]"),
        ("sizeof(int[", "])"),
        ("sizeof(typeof(", "))"),
        ("(struct { int a[", "]; } *)1"),
        ("({ int b = ", "; b; })"),
        ("({ t (", "); 1; })"),
        ("(int[]){ ", " }"),
        ("-!~", ""),
        ("(t)", ""),
        ("a ? ", " : 1"),
        ("a = ", ""),
        ("1 + ", ""),
        ("", " + 1"),
        ("1, ", ""),
        ("*&", ""),
        ("a && (", ")"),
        ("_Generic(", ", default: 1)"),
        ("_Generic(1, default: ", ")"),
    ];
    for (open, close) in pairs {
        for depth in [5, 8, 60, 199, 1000, 20_000] {
            let expression = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            survive(&format!("typedef int t; int a[9]; int f(int x) {{ return {expression}; }}"));
        }
    }
}

#[test]
fn deep_statements_and_declarations() {
    let bodies =
        [("{", "}"), ("if (x) ", ";"), ("if (x) ; else ", ";"), ("while (x) {", "}"), ("case 1: ", ";")];
    for depth in [50, 190, 700, 20_000] {
        for (open, close) in bodies {
            survive(&format!(
                "void f(int x) {{ switch (x) {{ {} ; {} }} }}",
                open.repeat(depth),
                close.repeat(depth)
            ));
        }
        for (open, close) in
            [("*", ""), ("(", ")"), ("(*", ")(int)"), ("", "[1]"), ("", "[2]"), ("", "()"), ("(*", ")[1]")]
        {
            survive(&format!("int {}x{};", open.repeat(depth), close.repeat(depth)));
        }
        survive(&format!("{} int x; {}", "struct {".repeat(depth), "} y;".repeat(depth)));
        survive(&format!("int x = {}1{};", "{".repeat(depth), "}".repeat(depth)));
        survive(&format!("int x[2] = {{ {}0 = 1 }};", "[0]".repeat(depth)));
        let chain = (0..depth).map(|i| format!("typedef t{i} t{}[1]; ", i + 1));
        survive(&format!("typedef int t0; {} t{depth} x;", chain.collect::<String>()));
        let chain = (0..depth).map(|i| format!("struct t{} {{ struct t{i} x; }}; ", i + 1));
        survive(&format!("struct t0 {{ int x; }}; {}", chain.collect::<String>()));
    }
}

#[test]
fn texts_that_are_too_deep_say_so() {
    let diagnostic = run(&format!("int x = {}1;", "(".repeat(1000))).expect_err("it is too deep");
    assert_eq!(diagnostic.kind, Kind::TooLarge);
    assert_eq!(diagnostic.to_string(), "test.c:1:208: error: the text is nested too deeply here");
}

#[test]
fn large_numbers_and_sizes() {
    for text in [
        "int a[1ull << 62];",
        "int a[0x7fffffffffffffff][0x7fffffffffffffff];",
        "struct { char a[1ull << 39], b[1ull << 39], c[1ull << 39]; } x;",
        "int a[] = { [0xffffffffffffffff] = 1 };",
        "int a[] = { [0 ... 0xfffffffff] = 1 };",
        "char a[] = { [1 << 30] = 1 };",
        "int x = 1 << 64, y = 1 >> -1, z = 1 / 0, w = -9223372036854775807 - 1;",
        "enum { A = 0xffffffffffffffff, B };",
        "struct { int a : 65; } x;",
        "struct { int a : -1; } x;",
        "int f(void) { switch (1) { case 0xffffffffffffffff: return -(-2147483647 - 1); } }",
        "char c = '\\xffffffffffffffffff', d = '', e = 'abcdefgh', f = '\\u12';",
        "long x = (long)&((struct s *)0xffffffffffffffff)[1];",
        "_Float99999999999999999999 x;",
    ] {
        survive(text);
    }
}

#[test]
fn large_programs_are_analysed() {
    let function = |i: usize| {
        format!(
            "struct s{i} {{ int a; struct s{i} *next; char name[{len}]; }};\nstatic struct s{i} g{i} = {{ {i}, 0, \"n{i}\" }};\n\
             int f{i}(struct s{i} *p, unsigned n) {{\n  for (unsigned k = 0; k < n; k++) {{\n    if (p->a > (int)k && p->next) p = p->next;\n\
             \x20   else p->name[k % {len}] = (char)(k * 3 + n);\n  }}\n  switch (n & 3) {{ case 0: return g{i}.a; case 1: return f{i}(p, n - 1); }}\n\
             \x20 return p ? p->a : -{i};\n}}\n",
            len = i % 7 + 3,
        )
    };
    let text: String = (0..900).map(function).collect();
    assert!(text.len() > 300_000, "{} bytes", text.len());
    let unit = match run(&text) {
        Ok(unit) => unit,
        Err(diagnostic) => panic!("{diagnostic}"),
    };
    assert_eq!(unit.functions.len(), 900);
}
