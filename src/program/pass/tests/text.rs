//! Reads the text form of programs, as `Display` writes it, so that tests of passes are text in, text out.
//!
//! Left out: source places, events, casts. The entry of a thread is its first location. Numbers take the sort
//! of what they are combined with.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use crate::program::{
    Assertion, Barrier, Init, LocId, Mark, Origin, Place, Program, ProgramBuilder, Role, Sources, Span,
    ThreadId, Transition, Update, Variable,
};
use crate::term::{ArraySort, Datum, Sort, TermId, VarId, Word};

/// The program with this text.
pub fn parse(text: &str) -> Program {
    let mut reader = Reader {
        builder: ProgramBuilder::new(Sources::default()),
        variables: BTreeMap::new(),
        locations: BTreeMap::new(),
        thread: None,
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for line in &lines {
        reader.declaration(line);
    }
    let mut at = None;
    for line in &lines {
        match line.strip_prefix("-> ") {
            Some(rest) => reader.transition(at.expect("a location before its transitions"), rest),
            None if line.starts_with('L') => at = Some(reader.locations[location_name(line)]),
            None => {}
        }
    }
    reader.builder.build()
}

struct Reader {
    builder: ProgramBuilder,
    variables: BTreeMap<String, VarId>,
    locations: BTreeMap<String, LocId>,
    thread: Option<(ThreadId, bool)>,
}

fn location_name(line: &str) -> &str {
    line.split([' ', ':']).next().unwrap()
}

impl Reader {
    fn declaration(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("shared ") {
            self.variable(Role::Shared, rest);
        } else if let Some(rest) = line.strip_prefix("private(") {
            let (thread, rest) = rest.split_once(") ").unwrap();
            self.variable(Role::Private(ThreadId::new(thread.parse().unwrap())), rest);
        } else if let Some(rest) = line.strip_prefix("input ") {
            let (name, sort) = rest.split_once(": ").unwrap();
            let var = self.builder.input(name, sort_of_text(sort));
            self.variables.insert(name.into(), var);
        } else if let Some(rest) = line.strip_prefix("thread ") {
            let name = rest.split(' ').nth(1).unwrap();
            self.thread = Some((self.builder.thread(name, Span::NONE), true));
        } else if line.starts_with('L') {
            self.location(line);
        }
    }

    fn variable(&mut self, role: Role, text: &str) {
        let (name, rest) = text.split_once(": ").unwrap();
        let (sort, init) = rest.split_once(" = ").unwrap();
        let sort = sort_of_text(sort);
        let init = if init == "any" { Init::Any } else { Init::Value(value_of_text(init, sort)) };
        let var =
            self.builder.variable(Variable { name: name.into(), sort, role, init, origin: Origin::User });
        self.variables.insert(name.into(), var);
    }

    fn location(&mut self, line: &str) {
        let (thread, first) = self.thread.unwrap();
        self.thread = Some((thread, false));
        let name = location_name(line);
        let (head, mark) = line.split_once(':').unwrap();
        let text = mark.split('`').nth(1).unwrap_or("").to_owned();
        let mark = match mark.trim().split(' ').next().unwrap() {
            "error" => {
                let id = self.builder.assertion(Assertion::new(Span::NONE, text));
                Some(Mark::Error(id))
            }
            "undefined" => Some(Mark::Undefined(text)),
            "cut" => Some(Mark::Cut(text)),
            "end" => Some(Mark::End),
            _ => None,
        };
        let id = match mark {
            _ if first => self.builder.program().thread(thread).entry,
            Some(mark) => self.builder.marked_location(thread, mark, Span::NONE),
            None if head.ends_with("atomic") => self.builder.atomic_location(thread, Span::NONE),
            None => self.builder.location(thread, Span::NONE),
        };
        self.locations.insert(name.into(), id);
    }

    /// `L3 [guard] { x := y + 1; a[i] := 0 } full`
    fn transition(&mut self, from: LocId, text: &str) {
        let (to, mut rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut guard = self.builder.terms().bool(true);
        if let Some(inner) = rest.strip_prefix('[') {
            let end = inner.find("] {").or_else(|| inner.rfind(']')).unwrap();
            guard = self.term(&inner[..end], Some(Sort::Bool));
            rest = inner[end + 1..].trim();
        }
        let mut updates = Vec::new();
        if let Some(inner) = rest.strip_prefix('{') {
            let (inner, after) = inner.split_once('}').unwrap();
            updates = inner.split(';').map(|update| self.update(update.trim())).collect();
            rest = after.trim();
        }
        let barrier = match rest {
            "" => Barrier::None,
            "store-store" => Barrier::StoreStore,
            "full" => Barrier::Full,
            other => panic!("{other}"),
        };
        let to = self.locations[to];
        self.builder.transition(Transition { updates, barrier, ..Transition::silent(from, to, guard) });
    }

    fn update(&mut self, text: &str) -> Update {
        let (place, value) = text.split_once(" := ").unwrap();
        let (name, index) = match place.split_once('[') {
            Some((name, index)) => (name, Some(self.term(index.trim_end_matches(']'), None))),
            None => (place, None),
        };
        let var = self.variables[name];
        let sort = match (self.builder.program().variable(var).sort, index) {
            (Sort::Array(array), Some(_)) => Sort::Word(array.elem),
            (sort, _) => sort,
        };
        Update::whole(Place { var, index }, self.term(value, Some(sort)))
    }

    fn term(&mut self, text: &str, sort: Option<Sort>) -> TermId {
        let mut parser = Parser { chars: text.chars().peekable() };
        let tree = parser.binary(0);
        parser.blank();
        assert!(parser.chars.peek().is_none(), "{text}");
        self.build(&tree, sort)
    }

    /// The sort that a tree has by itself.
    fn sort(&self, tree: &Tree) -> Option<Sort> {
        match tree {
            Tree::Number(_) => None,
            Tree::Name(name) if name == "true" || name == "false" => Some(Sort::Bool),
            Tree::Name(name) => Some(self.builder.program().variable(self.variables[name]).sort),
            Tree::Element(name, _) => match self.builder.program().variable(self.variables[name]).sort {
                Sort::Array(array) => Some(Sort::Word(array.elem)),
                other => panic!("an element of {other}"),
            },
            Tree::Not(_) => Some(Sort::Bool),
            Tree::Binary(operator, a, b) => match operator.as_str() {
                "+" | "-" | "*" | "%" | "/" => self.sort(a).or_else(|| self.sort(b)),
                _ => Some(Sort::Bool),
            },
        }
    }

    fn build(&mut self, tree: &Tree, expected: Option<Sort>) -> TermId {
        match tree {
            Tree::Number(value) => {
                let word = expected.and_then(Sort::as_word).unwrap_or(Word::signed(32));
                self.builder.terms().constant(*value, word)
            }
            Tree::Name(name) if name == "true" || name == "false" => {
                self.builder.terms().bool(name == "true")
            }
            Tree::Name(name) => {
                let var = self.variables[name];
                self.builder.terms().var(var)
            }
            Tree::Element(name, index) => {
                let (var, index) = (self.variables[name], self.build(index, None));
                let terms = self.builder.terms();
                let array = terms.var(var);
                terms.select(array, index)
            }
            Tree::Not(a) => {
                let a = self.build(a, Some(Sort::Bool));
                self.builder.terms().not(a)
            }
            Tree::Binary(operator, a, b) => {
                let operands = match operator.as_str() {
                    "&&" | "||" => Some(Sort::Bool),
                    "+" | "-" | "*" | "/" | "%" => self.sort(tree).or(expected),
                    _ => self.sort(a).or_else(|| self.sort(b)),
                };
                let (a, b) = (self.build(a, operands), self.build(b, operands));
                self.apply(operator, a, b)
            }
        }
    }

    fn apply(&mut self, operator: &str, a: TermId, b: TermId) -> TermId {
        let terms = self.builder.terms();
        match operator {
            "||" => terms.or(&[a, b]),
            "&&" => terms.and(&[a, b]),
            "==" => terms.eq(a, b),
            "!=" => terms.ne(a, b),
            "<=" => terms.le(a, b),
            "<" => terms.lt(a, b),
            "+" => terms.add(a, b),
            "-" => terms.sub(a, b),
            "*" => terms.mul(a, b),
            "/" => terms.div(a, b),
            _ => terms.rem(a, b),
        }
    }
}

fn sort_of_text(text: &str) -> Sort {
    let word = |text: &str| match text.split_at(1) {
        _ if text == "bool" => Word::BOOL,
        ("i", bits) => Word::signed(bits.parse().unwrap()),
        ("u", bits) => Word::unsigned(bits.parse().unwrap()),
        _ => panic!("the sort {text}"),
    };
    match text.split_once('[') {
        _ if text == "truth" => Sort::Bool,
        Some((elem, len)) => {
            Sort::Array(ArraySort { len: len.trim_end_matches(']').parse().unwrap(), elem: word(elem) })
        }
        None => Sort::Word(word(text)),
    }
}

fn value_of_text(text: &str, sort: Sort) -> Datum {
    match (text, sort) {
        (_, Sort::Bool) => Datum::Bool(text == "true"),
        (_, Sort::Word(_)) => Datum::Word(text.parse().unwrap()),
        (_, Sort::Array(array)) => {
            let inner = text.trim_matches(['{', '}']);
            let values: Vec<i128> = match inner.strip_suffix("...") {
                Some(value) => vec![value.parse().unwrap(); array.len as usize],
                None => inner.split(", ").map(|value| value.parse().unwrap()).collect(),
            };
            Datum::Array(values.into())
        }
    }
}

enum Tree {
    Number(i128),
    Name(String),
    Element(String, Box<Tree>),
    Not(Box<Tree>),
    Binary(String, Box<Tree>, Box<Tree>),
}

/// Binary operators, loosest first.
const LEVELS: [&[&str]; 6] = [&["||"], &["&&"], &["==", "!="], &["<=", "<"], &["+", "-"], &["*", "/", "%"]];

struct Parser<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    fn blank(&mut self) {
        while self.chars.next_if(|c| *c == ' ').is_some() {}
    }

    fn eat(&mut self, word: &str) -> bool {
        self.blank();
        let rest: String = self.chars.clone().take(word.len()).collect();
        let found = rest == word && !(word == "<" && self.chars.clone().nth(1) == Some('='));
        if found {
            self.chars.nth(word.len() - 1);
        }
        found
    }

    fn binary(&mut self, level: usize) -> Tree {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1);
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            let right = self.binary(level + 1);
            left = Tree::Binary((*operator).into(), left.into(), right.into());
        }
        left
    }

    fn unary(&mut self) -> Tree {
        if self.eat("!") {
            return Tree::Not(self.unary().into());
        }
        if self.eat("(") {
            let inner = self.binary(0);
            assert!(self.eat(")"), "a closing parenthesis");
            return inner;
        }
        self.blank();
        let mut word = String::new();
        while let Some(c) = self.chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
            word.push(c);
        }
        match word.parse() {
            Ok(number) => Tree::Number(number),
            Err(_) if self.eat("[") => {
                let index = self.binary(0);
                assert!(self.eat("]"), "a closing bracket");
                Tree::Element(word, index.into())
            }
            Err(_) => Tree::Name(word),
        }
    }
}
