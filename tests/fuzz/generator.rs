//! Random concurrent programs, each determined by its seed: one to four threads of a few statements over
//! shared objects of many kinds.
//!
//! A program has a handful of features, so that it stays small while all combinations come up over many
//! programs. Values are small, so that threads meet; loops are bounded or wait for somebody. About half of
//! the programs violate an assertion.

use super::ast::{
    End, Expr, Field, Init, Int, Keyword, Place, Program, Record, Start, Stmt, Thread, Type, Variable,
};
use super::features::{Feature, Features};
use crate::random::Random;

/// A shared object of integer type.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub place: Place,
    pub ty: Int,
    pub kind: Kind,
}

/// How a shared object may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Its address may be taken.
    Plain,
    Atomic,
    Bitfield,
}

/// Where statements are being made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Where {
    /// In a thread, at this depth of loops and branches.
    Thread(u32),
    /// In `main`, where no thread runs.
    Alone,
}

pub(super) struct Generator {
    pub random: Random,
    pub features: Features,
    pub program: Program,
    pub shared: Vec<Shared>,
    /// Variables of the function that is being made.
    pub locals: Vec<(String, Int)>,
    /// Number of names made.
    names: u32,
}

/// The program of a seed. `size` is the greatest number of statements of all threads together; four or five
/// give programs of some hundred states.
pub fn concurrent(seed: u64, size: usize, allowed: Features) -> Program {
    let mut random = Random::new(seed);
    let features = allowed.some(&mut random);
    let mut generator = Generator {
        random,
        features,
        program: Program::default(),
        shared: Vec::new(),
        locals: Vec::new(),
        names: 0,
    };
    generator.declare();
    generator.threads(size);
    generator.program
}

impl Generator {
    pub fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.random.below(count) == 0
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// A type of scalars.
    pub fn int(&mut self) -> Int {
        match self.has(Feature::Types) {
            true => self.random.pick(&Int::ALL),
            false => self.random.pick(&[Int::Int, Int::UInt, Int::UInt]),
        }
    }

    pub fn global(&mut self, name: &str, ty: Type, storage: &'static str, init: Option<Init>) {
        let variable = Variable { name: name.to_owned(), ty, storage, init };
        if !self.program.globals.iter().any(|known| known.name == name) {
            self.program.globals.push(variable);
        }
    }

    fn share(&mut self, place: Place, ty: Int, kind: Kind) {
        self.shared.push(Shared { place, ty, kind });
    }

    /// A first value, mostly none.
    fn init(&mut self, ty: Int) -> Option<Init> {
        self.one_in(4).then_some(Init::Value(Expr::Number(1, ty)))
    }

    fn declare(&mut self) {
        for name in ["x", "y"] {
            let ty = self.int();
            let init = self.init(ty);
            let storage = if self.one_in(12) { "volatile" } else { "" };
            self.global(name, Type::Int(ty), storage, init);
            self.share(Place::name(name), ty, Kind::Plain);
        }
        if self.has(Feature::Atomics) || self.has(Feature::Weak) {
            let ty = self.int();
            let init = self.init(ty);
            self.global("v", Type::Atomic(ty), "", init);
            self.share(Place::name("v"), ty, Kind::Atomic);
        }
        if self.has(Feature::ThreadLocal) {
            let ty = self.int();
            let init = self.init(ty);
            self.global("own", Type::Int(ty), "_Thread_local", init);
            self.share(Place::name("own"), ty, Kind::Plain);
        }
        if self.has(Feature::Arrays) || self.has(Feature::Index) {
            let ty = self.int();
            self.global("a", Type::Int(ty).array(2), "", None);
            self.share(Place::name("a").element(Expr::int(0)), ty, Kind::Plain);
            self.share(Place::name("a").element(Expr::int(1)), ty, Kind::Plain);
        }
        self.declare_records();
        self.declare_pointers();
    }

    fn record(&mut self, keyword: Keyword, name: &str, fields: Vec<Field>) {
        self.program.records.push(Record { keyword, name: name.to_owned(), fields, attribute: "" });
    }

    fn declare_records(&mut self) {
        if self.has(Feature::Structs) {
            let (first, second) = (self.int(), self.int());
            self.record(
                Keyword::Struct,
                "S",
                vec![field("f", Type::Int(first)), field("g", Type::Int(second))],
            );
            let nested = self.one_in(3);
            if nested {
                let outer = vec![field("h", Type::Int(Int::UInt)), field("in", Type::named("struct S"))];
                self.record(Keyword::Struct, "N", outer);
            }
            let (ty, base) = match nested {
                true => ("struct N", Place::name("s").field("in")),
                false => ("struct S", Place::name("s")),
            };
            self.global("s", Type::named(ty), "", None);
            self.share(base.clone().field("f"), first, Kind::Plain);
            self.share(base.field("g"), second, Kind::Plain);
        }
        if self.has(Feature::Unions) {
            let wide = self.random.pick(&[Int::UInt, Int::UShort, Int::Int]);
            let bytes = Type::Int(Int::UChar).array(wide.bits() as usize / 8);
            self.record(Keyword::Union, "U", vec![field("w", Type::Int(wide)), field("b", bytes)]);
            self.global("u", Type::named("union U"), "", None);
            self.share(Place::name("u").field("w"), wide, Kind::Plain);
            for byte in 0..2 {
                let byte = Place::name("u").field("b").element(Expr::int(byte));
                self.share(byte, Int::UChar, Kind::Plain);
            }
        }
        if self.has(Feature::Bitfields) {
            let mut fields = Vec::new();
            for name in ["p", "q"] {
                let ty = self.random.pick(&[Int::UInt, Int::UInt, Int::Int, Int::UChar, Int::Bool]);
                let bits = 1 + self.random.below(ty.bits().min(5) as usize) as u32;
                fields.push(Field { name: name.to_owned(), ty: Type::Int(ty), bits: Some(bits) });
                self.share(Place::name("bits").field(name), ty, Kind::Bitfield);
            }
            self.record(Keyword::Struct, "B", fields);
            self.global("bits", Type::named("struct B"), "", None);
        }
    }

    fn declare_pointers(&mut self) {
        if self.has(Feature::Pointers) {
            let targets: Vec<Shared> =
                self.shared.iter().filter(|shared| is_addressable(shared)).cloned().collect();
            let target = targets[self.random.below(targets.len())].clone();
            let init = Some(Init::Value(Expr::Address(target.place)));
            self.global("p", Type::Int(target.ty).pointer(), "", init);
            self.share(Place::Target(Box::new(Place::name("p").read())), target.ty, Kind::Plain);
        }
        if self.has(Feature::Heap) {
            let ty = self.int();
            self.global("heap", Type::Int(ty).pointer(), "", None);
            let memory = Expr::call("malloc", vec![Expr::SizeOf(Type::Int(ty))]);
            let target = Place::Target(Box::new(Place::name("heap").read()));
            self.program.before.push(Stmt::Expr(Expr::Assign("=", Place::name("heap"), Box::new(memory))));
            if !self.one_in(8) {
                let zero = Box::new(Expr::Number(0, ty));
                self.program.before.push(Stmt::Expr(Expr::Assign("=", target.clone(), zero)));
            }
            self.share(target, ty, Kind::Plain);
        }
    }

    fn threads(&mut self, size: usize) {
        self.program.start =
            self.random.pick(&[Start::AtOnce, Start::AtOnce, Start::AtOnce, Start::Stepwise]);
        let count = self.random.pick(&[1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4]);
        let mut more = (1 + self.random.below(size)).saturating_sub(count);
        for number in 0..count {
            if number > 0 && self.has(Feature::SharedBodies) && self.one_in(2) {
                self.start(self.program.bodies.len() - 1);
                continue;
            }
            let extra = self.random.below(more + 1);
            more -= extra;
            let body = self.body(1 + extra);
            self.program.bodies.push(body);
            self.start(self.program.bodies.len() - 1);
        }
        self.locals.clear();
        if self.one_in(6) {
            let stmt = self.stmt(Where::Thread(2));
            self.program.meanwhile.push(stmt);
        }
        if self.has(Feature::Heap) && !self.one_in(4) {
            let free = Stmt::Expr(Expr::call("free", vec![Place::name("heap").read()]));
            self.program.after.push(free);
            self.shared.retain(
                |shared| !matches!(&shared.place, Place::Target(of) if **of == Place::name("heap").read()),
            );
        }
        let outcome = self.outcome();
        self.program.after.push(outcome);
    }

    fn start(&mut self, body: usize) {
        let end = if self.has(Feature::Unjoined) && self.one_in(2) { End::Left } else { End::Joined };
        self.program.threads.push(Thread { body, end });
    }

    /// The body of a thread: locals, statements, and what it has seen as a global.
    fn body(&mut self, length: usize) -> Vec<Stmt> {
        self.locals.clear();
        let mut stmts = Vec::new();
        for _ in 0..self.random.pick(&[1, 1, 1, 2]) {
            let (name, ty) = (self.fresh("l"), self.int());
            let value = self.first_value(ty);
            stmts.push(Stmt::Declare(Variable {
                name: name.clone(),
                ty: Type::Int(ty),
                storage: "",
                init: Some(Init::Value(value)),
            }));
            self.locals.push((name, ty));
        }
        for _ in 0..length {
            let stmt = self.stmt(Where::Thread(0));
            stmts.push(stmt);
        }
        if !self.one_in(3) {
            let (result, seen) = (self.fresh("r"), self.locals[0].clone());
            self.global(&result, Type::Int(seen.1), "", None);
            let value = Box::new(Place::name(&seen.0).read());
            stmts.push(Stmt::Expr(Expr::Assign("=", Place::name(&result), value)));
            self.share(Place::name(&result), seen.1, Kind::Plain);
        }
        stmts
    }

    /// What a local begins with: a number, an input, or the argument of the thread.
    fn first_value(&mut self, ty: Int) -> Expr {
        match self.random.below(6) {
            0..=2 if self.has(Feature::Inputs) => self.input(ty),
            0 if self.has(Feature::SharedBodies) => Expr::Cast(
                Type::Int(ty),
                Box::new(Expr::Cast(Type::Int(Int::Long), Box::new(Place::name("argument").read()))),
            ),
            _ => Expr::Number(self.random.below(2) as i128, ty),
        }
    }

    /// An input: of a small type as it is, of a large one mostly cut down.
    fn input(&mut self, ty: Int) -> Expr {
        let input = Expr::call(&format!("__VERIFIER_nondet_{}", ty.short_name()), Vec::new());
        match (ty.bits(), self.random.below(6)) {
            (1, _) | (_, 0) => input,
            (8, 1..=3) => Expr::binary("&", input, Expr::int(3)),
            _ => Expr::call("__VERIFIER_nondet_bool", Vec::new()),
        }
    }

    /// The assertion at the end of `main`: one outcome does not happen.
    fn outcome(&mut self) -> Stmt {
        let mut condition = self.comparison(Where::Alone);
        for _ in 0..self.random.below(3) {
            let other = self.comparison(Where::Alone);
            condition = Expr::binary(self.random.pick(&["&&", "&&", "||"]), condition, other);
        }
        let condition = if self.one_in(2) { Expr::Unary("!", Box::new(condition)) } else { condition };
        Stmt::Expr(Expr::call("assert", vec![condition]))
    }
}

/// Whether a pointer may point to it.
pub(super) fn is_addressable(shared: &Shared) -> bool {
    let own = matches!(&shared.place, Place::Name(name) if name == "own");
    shared.kind == Kind::Plain && !own && !matches!(shared.place, Place::Target(_))
}

fn field(name: &str, ty: Type) -> Field {
    Field { name: name.to_owned(), ty, bits: None }
}
