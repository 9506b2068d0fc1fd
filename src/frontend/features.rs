//! What of C and its libraries the front end knows, from the tables that it works with.
//!
//! Functions come from the models, the headers and the tables of names that `analyse/` and `lower/` look up;
//! so a function that is listed is accepted, and one that is added is listed. Constructs of the language each
//! have a sample, which the tests feed to the front end: what is said to be supported is accepted, what is
//! said to be refused is refused.

use super::analyse::{atomic_builtins, compiler_builtins};
use super::lower::known_functions;
use super::models::HEADERS;
use super::task::REFUSED_PROPERTIES;

/// Functions that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// What they are for.
    pub name: &'static str,
    /// Their names, sorted.
    pub functions: Vec<String>,
}

/// A part of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Construct {
    /// What it is.
    pub name: &'static str,
    /// Whether we follow it.
    pub support: Support,
    /// A program that uses it.
    pub sample: &'static str,
}

/// Whether something is followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Support {
    /// Yes.
    Full,
    /// As far as `--unwind` says; beyond that the answer is `unknown`.
    Bounded,
    /// No: the program is refused, by name and place.
    Refused,
}

/// The functions that programs may call without defining them.
pub fn functions() -> Vec<Family> {
    let mut families: Vec<Family> =
        FAMILIES.iter().map(|&name| Family { name, functions: Vec::new() }).collect();
    let mut add = |name: &str, function: String| {
        let family = families.iter_mut().find(|family| family.name == name).expect("families are listed");
        family.functions.push(function);
    };
    for name in super::load::model_functions() {
        add(family(&name), name);
    }
    known_functions().for_each(|name| add(family(name), name.to_owned()));
    atomic_macros().for_each(|name| add(ATOMICS, name));
    atomic_builtins().into_iter().for_each(|name| add(BUILTINS, name));
    compiler_builtins().for_each(|name| add(BUILTINS, format!("__builtin_{name}")));
    for family in &mut families {
        family.functions.sort_unstable();
        family.functions.dedup();
    }
    families
}

const THREADS: &str = "POSIX threads";
const C11_THREADS: &str = "C11 threads";
const ATOMICS: &str = "C11 atomics";
const BUILTINS: &str = "builtins of gcc and clang";
const VERIFICATION: &str = "verification tasks";
const LIBRARY: &str = "the rest of the library";
const FAIR: &str = "FairThreads";
const SYSTEMC: &str = "SystemC in C";
const OSEK: &str = "OSEK";
const FAMILIES: [&str; 9] =
    [THREADS, C11_THREADS, ATOMICS, BUILTINS, VERIFICATION, FAIR, SYSTEMC, OSEK, LIBRARY];

fn family(name: &str) -> &'static str {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match name {
        _ if begins(&["pthread_", "sem_"]) => THREADS,
        _ if begins(&["thrd_", "mtx_", "cnd_", "tss_", "call_once"]) => C11_THREADS,
        _ if begins(&["__VERIFIER_", "__CPROVER_", "__ESBMC_", "assume", "reach_error"]) => VERIFICATION,
        _ if begins(&["ft_"]) => FAIR,
        _ if begins(&["sc_"]) => SYSTEMC,
        _ if begins(&["os_"]) || name.starts_with(|first: char| first.is_ascii_uppercase()) => OSEK,
        _ if begins(&["__builtin_", "__sync_", "__atomic_", "__c11_"]) => BUILTINS,
        _ => LIBRARY,
    }
}

/// The macros of `<stdatomic.h>` that are used like functions.
fn atomic_macros() -> impl Iterator<Item = String> {
    let text = HEADERS.iter().find(|(name, _)| *name == "stdatomic.h").map_or("", |(_, text)| text);
    let names = text.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once('('));
    names.map(|(name, _)| name).filter(|name| name.starts_with("atomic_")).map(str::to_owned)
}

/// The headers that stand in for the system's.
pub fn headers() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|(name, _)| *name).filter(|name| !name.starts_with("regrain"))
}

/// Attributes that are followed, and those that change nothing.
pub fn attributes() -> (&'static [&'static str], &'static [&'static str]) {
    (super::lexical::MODELLED, super::lexical::HARMLESS)
}

/// The properties by their names, with whether they are checked.
pub fn properties() -> Vec<(&'static str, Support)> {
    let known = ["unreach-call", "unreach-label", "no-overflow"];
    let mut properties: Vec<_> = known.map(|name| (name, Support::Full)).to_vec();
    for (_, name) in REFUSED_PROPERTIES {
        if properties.iter().all(|(known, _)| *known != name) {
            properties.push((name, Support::Refused));
        }
    }
    properties
}

/// A construct with a sample that is the body of `main`.
macro_rules! body {
    ($text:literal) => {
        concat!("int g; int main(void) { ", $text, " return 0; }")
    };
}

/// Parts of C, with samples.
pub const CONSTRUCTS: &[Construct] = &[
    construct(
        "integers of 8 to 64 bits, signed and unsigned, _Bool, enum",
        Support::Full,
        body!("long long x = g; unsigned char c = x; _Bool b = c; enum { A } e = A; g = b + e;"),
    ),
    construct(
        "pointers, arrays, pointer arithmetic, multi-dimensional arrays",
        Support::Full,
        body!("int a[2][3], *p = &a[1][0]; p++; *p = 1; g = a[1][1];"),
    ),
    construct(
        "struct, union, nested, assigned and passed whole",
        Support::Full,
        body!("struct s { int x; struct { int y; } in; } a = { 1, { 2 } }, b; b = a; g = b.in.y;"),
    ),
    construct(
        "bit-fields, which share storage units with their neighbours",
        Support::Full,
        body!("struct { unsigned x : 3, y : 2; } a; a.x = 5; g = a.x;"),
    ),
    construct(
        "attributes that matter (listed below), #pragma pack",
        Support::Full,
        "static void f(int *p) { } int main(void) { int x __attribute__((cleanup(f))) = 1; return x; }",
    ),
    construct(
        "initialisers with designators, compound literals",
        Support::Full,
        body!("int a[3] = { [1] = 2 }; struct p { int x; } q = (struct p){ .x = a[1] }; g = q.x;"),
    ),
    construct(
        "if, switch, while, do, for, break, continue, goto",
        Support::Full,
        body!("switch (g) { case 1: break; default: goto out; } do { g++; } while (g < 3); out: ;"),
    ),
    construct(
        "functions, function pointers",
        Support::Full,
        "int f(int x) { return x; } int main(void) { int (*p)(int) = f; return p(1); }",
    ),
    construct(
        "recursion",
        Support::Bounded,
        "int f(int n) { return n ? f(n - 1) : 0; } int main(void) { return f(3); }",
    ),
    construct(
        "malloc, calloc, free; in loops",
        Support::Bounded,
        "void *malloc(unsigned long); void free(void *); int main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }",
    ),
    construct(
        "variable-length arrays of known lengths, in any dimension",
        Support::Full,
        body!("int n = 3; int a[n][n + 1]; a[0][2] = 1; g = a[0][2];"),
    ),
    construct(
        "volatile, _Atomic, _Thread_local and __thread variables",
        Support::Full,
        "volatile int v; _Atomic int a; __thread int t; int main(void) { v = 1; a++; t = a; return 0; }",
    ),
    construct(
        "statement expressions, typeof, __auto_type, a ?: b, case ranges",
        Support::Full,
        body!(
            "__auto_type x = ({ int y = g; y; }); typeof(x) z = x ?: 2; switch (z) { case 1 ... 3: g = 1; }"
        ),
    ),
    construct(
        "_Generic, _Static_assert, _Alignas",
        Support::Full,
        body!(
            "_Static_assert(sizeof(int) == 4, \"\"); _Alignas(8) int x = _Generic(g, int: 1, default: 2); g = x;"
        ),
    ),
    construct("string literals", Support::Full, body!("const char *s = \"text\"; g = s[1];")),
    construct(
        "inline assembly of x86: barriers, locked and plain arithmetic, exchanges, bits, ports",
        Support::Full,
        body!(
            "__asm__ volatile(\"mfence\" ::: \"memory\"); __asm__ volatile(\"lock; incl %0\" : \"+m\"(g));"
        ),
    ),
    construct(
        "threads created in loops with a known bound",
        Support::Full,
        "#include <pthread.h>\nvoid *f(void *a) { return a; } int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0); return 0; }",
    ),
    construct(
        "threads created in other loops",
        Support::Bounded,
        "#include <pthread.h>\nint nondet_int(void); void *f(void *a) { return a; } int main(void) { pthread_t t; while (nondet_int()) pthread_create(&t, 0, f, 0); return 0; }",
    ),
    construct(
        "float and double, IEEE 754; not in engine scar",
        Support::Full,
        body!("double d = g; float f = d * 2.0; g = f > 1e3f;"),
    ),
    construct("long double, _Complex", Support::Refused, body!("long double d = g; g = d * 2.0;")),
    construct(
        "attributes that are not listed",
        Support::Refused,
        "int x; extern int y __attribute__((alias(\"x\"))); int main(void) { return y; }",
    ),
    construct(
        "128-bit integers; not with initialisers of static variables or floating point",
        Support::Full,
        body!("unsigned __int128 x = g; x = x * x << 70; g = x >> 71 == 0;"),
    ),
    construct(
        "setjmp and longjmp",
        Support::Refused,
        "int setjmp(void *); int main(void) { int b[8]; return setjmp(b); }",
    ),
    construct(
        "clean-up handlers, deferred cancellation, destructors of thread-specific data",
        Support::Full,
        "#include <pthread.h>\nvoid h(void *a) {} void *f(void *a) { pthread_cleanup_push(h, 0); pthread_testcancel(); pthread_cleanup_pop(1); return 0; } int main(void) { pthread_t t; pthread_key_t k; pthread_key_create(&k, h); pthread_create(&t, 0, f, 0); pthread_cancel(t); return 0; }",
    ),
    construct(
        "asynchronous cancellation",
        Support::Refused,
        "#include <pthread.h>\nint main(void) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); return 0; }",
    ),
    construct(
        "memset and memcpy of a size that only the run tells",
        Support::Full,
        "void *memset(void *, int, unsigned long); int n; int a[4]; int main(void) { n = 2; memset(a, 0, n * sizeof(int)); return a[0]; }",
    ),
    construct(
        "functions with variable arguments that read them",
        Support::Full,
        "#include <stdarg.h>\nint f(int n, ...) { va_list l; va_start(l, n); return va_arg(l, int); } int main(void) { return f(1, 2); }",
    ),
    construct("other inline assembly", Support::Refused, body!("__asm__(\"cpuid\" : \"=a\"(g) : \"0\"(g));")),
    construct("computed goto", Support::Full, body!("void *p = &&out; goto *p; out: ;")),
    construct(
        "functions without body or model (see --undefined)",
        Support::Refused,
        "int unknown(int); int main(void) { return unknown(1); }",
    ),
];

const fn construct(name: &'static str, support: Support, sample: &'static str) -> Construct {
    Construct { name, support, sample }
}
