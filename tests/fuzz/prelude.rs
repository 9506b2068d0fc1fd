//! The declarations and macros of our own headers, preprocessed once for all programs.
//!
//! A program is printed with its macros expanded and gets the declarations that it needs and no others, so
//! that reading it costs neither a process nor the time to read every header.

use std::collections::BTreeSet;
use std::path::Path;

use regrain::frontend::{Options, source};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Int, Program};
use super::print::{self, Dialect};

/// The headers that programs use.
const HEADERS: [&str; 7] =
    ["assert.h", "pthread.h", "semaphore.h", "stdatomic.h", "stdlib.h", "string.h", "errno.h"];

/// Macros with their numbers of arguments.
const MACROS: [(&str, usize); 25] = [
    ("assert", 1),
    ("atomic_init", 2),
    ("atomic_load", 1),
    ("atomic_load_explicit", 2),
    ("atomic_store", 2),
    ("atomic_store_explicit", 3),
    ("atomic_exchange", 2),
    ("atomic_exchange_explicit", 3),
    ("atomic_compare_exchange_strong", 3),
    ("atomic_compare_exchange_strong_explicit", 5),
    ("atomic_compare_exchange_weak", 3),
    ("atomic_compare_exchange_weak_explicit", 5),
    ("atomic_fetch_add", 2),
    ("atomic_fetch_add_explicit", 3),
    ("atomic_fetch_sub", 2),
    ("atomic_fetch_sub_explicit", 3),
    ("atomic_fetch_or", 2),
    ("atomic_fetch_or_explicit", 3),
    ("atomic_fetch_xor", 2),
    ("atomic_fetch_xor_explicit", 3),
    ("atomic_fetch_and", 2),
    ("atomic_fetch_and_explicit", 3),
    ("atomic_thread_fence", 1),
    ("PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP", 0),
    ("PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP", 0),
];

/// What a file of declarations declares at its top.
#[derive(Clone, Debug)]
struct Item {
    text: String,
    declares: Vec<String>,
    mentions: Vec<String>,
}

/// The headers after preprocessing.
#[derive(Clone, Debug)]
pub struct Prelude {
    items: Vec<Item>,
    /// Macros by name: their expansion with arguments called `regrain_p0` and so on.
    macros: FxHashMap<&'static str, String>,
}

/// Stands before each expansion in the preprocessed text.
const EXPANSION: &str = "regrain_expansion";

impl Prelude {
    /// Reads the headers; calls the preprocessor once.
    pub fn new() -> Prelude {
        let folder = std::env::temp_dir().join(format!("regrain-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the headers");
        let path = folder.join("prelude.c");
        std::fs::write(&path, request()).expect("the request is written");
        let text = source::read(&path, &Options::default());
        let _ = std::fs::remove_dir_all(&folder);
        let text = text.unwrap_or_else(|diagnostic| panic!("our headers are C: {diagnostic}"));
        let text: String = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .fold(String::new(), |text, line| text + line + "\n");
        let (declarations, expansions) = text.split_once(EXPANSION).expect("expansions were asked for");
        let expansions = expansions.split(EXPANSION).map(|text| text.trim().trim_end_matches(';').to_owned());
        let macros = MACROS.iter().map(|(name, _)| *name).zip(expansions).collect();
        let items = split(declarations).into_iter().chain(inputs()).collect();
        Prelude { items, macros }
    }

    /// The program as preprocessed text.
    pub fn preprocessed(&self, program: &Program, inputs: Inputs) -> String {
        self.complete(&print::program(program, &Preprocessed { prelude: self, inputs }))
    }

    /// The text with the declarations that it needs before it.
    pub fn complete(&self, text: &str) -> String {
        let mut needed: FxHashSet<&str> = words(text).collect();
        let mut chosen = Vec::new();
        for item in self.items.iter().rev() {
            if item.declares.iter().any(|name| needed.contains(name.as_str())) {
                needed.extend(item.mentions.iter().map(String::as_str));
                chosen.push(item.text.as_str());
            }
        }
        chosen.iter().rev().copied().chain([text]).fold(String::new(), |all, text| all + text + "\n")
    }
}

/// The program as a person would write it, with its headers.
pub fn plain(program: &Program) -> String {
    let text = print::program(program, &Plain);
    let used: BTreeSet<&str> = words(&text).collect();
    let mut out: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    for item in inputs() {
        if item.declares.iter().any(|name| name.starts_with("given_")) {
            continue;
        }
        if item.declares.iter().any(|name| used.contains(name.as_str())) {
            out += &item.text;
            out.push('\n');
        }
    }
    out + &text
}

/// What numbers that may be inputs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inputs {
    /// Numbers.
    Known,
    /// Inputs of which just one value is assumed.
    Assumed,
}

struct Preprocessed<'a> {
    prelude: &'a Prelude,
    inputs: Inputs,
}

impl Dialect for Preprocessed<'_> {
    fn call(&self, name: &str, arguments: &[String]) -> String {
        let Some(expansion) = self.prelude.macros.get(name) else { return Plain.call(name, arguments) };
        let texts = arguments.iter().enumerate();
        texts.fold(expansion.clone(), |text, (i, argument)| text.replace(&format!("regrain_p{i}"), argument))
    }

    fn constant(&self, name: &str) -> String {
        self.prelude.macros.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn given(&self, value: i128, ty: Int) -> String {
        match self.inputs {
            Inputs::Known => Plain.given(value, ty),
            Inputs::Assumed => format!("given_{}({})", ty.short_name(), print::number(value, ty)),
        }
    }
}

/// As a person writes.
pub struct Plain;

impl Dialect for Plain {
    fn call(&self, name: &str, arguments: &[String]) -> String {
        format!("{name}({})", arguments.join(", "))
    }

    fn constant(&self, name: &str) -> String {
        name.to_owned()
    }

    fn given(&self, value: i128, ty: Int) -> String {
        print::number(value, ty)
    }
}

/// The text whose preprocessing gives declarations and then expansions.
fn request() -> String {
    let headers: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    MACROS.iter().fold(headers, |text, (name, arity)| {
        let arguments: Vec<String> = (0..*arity).map(|i| format!("regrain_p{i}")).collect();
        let call = if *arity == 0 { (*name).to_owned() } else { Plain.call(name, &arguments) };
        format!("{text}\n{EXPANSION} {call};")
    })
}

/// Functions of verification tasks, and inputs with an assumed value.
fn inputs() -> Vec<Item> {
    let mut texts = vec![
        "extern void __VERIFIER_assume(int condition);".to_owned(),
        "extern void __VERIFIER_atomic_begin(void);".to_owned(),
        "extern void __VERIFIER_atomic_end(void);".to_owned(),
    ];
    for ty in Int::ALL {
        let (name, short) = (ty.name(), ty.short_name());
        texts.push(format!("extern {name} __VERIFIER_nondet_{short}(void);"));
        texts.push(format!(
            "static {name} given_{short}({name} value) {{ {name} any = __VERIFIER_nondet_{short}(); __VERIFIER_assume(any == value); return any; }}"
        ));
    }
    texts.into_iter().map(Item::new).collect()
}

/// The declarations of a text, one each.
fn split(text: &str) -> Vec<Item> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0u32, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'(' => depth += 1,
            b'}' | b')' => depth -= 1,
            b';' if depth == 0 => {
                items.push(Item::new(text[start..=at].trim().to_owned()));
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

impl Item {
    fn new(text: String) -> Item {
        let mentions: Vec<String> = words(&text).map(str::to_owned).collect();
        let before =
            |end: &str| text.split(end).next().and_then(|text| words(text).last()).map(str::to_owned);
        let declares = if text.starts_with("typedef") {
            match text.split_once("(*") {
                Some((_, rest)) => words(rest).next().map(str::to_owned).into_iter().collect(),
                None => words(&text).last().map(str::to_owned).into_iter().collect(),
            }
        } else if text.starts_with("enum") {
            mentions.clone()
        } else if text.starts_with("struct") && text.contains('{') {
            before("{").into_iter().collect()
        } else {
            before("(").into_iter().collect()
        };
        Item { text, declares, mentions }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Where a program of a number would be, were it a file; its name says that it is preprocessed.
pub fn path() -> &'static Path {
    Path::new("fuzz.i")
}
