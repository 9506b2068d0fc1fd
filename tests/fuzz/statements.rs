//! Statements of random concurrent programs: plain accesses, control flow, data.

use super::ast::{Case, Expr, Function, Init, Int, Place, Side, Stmt, Type, Variable};
use super::features::Feature;
use super::generator::{Generator, Kind, Where, is_addressable};

/// Makes a statement of some kind, if the program has what it needs.
type Maker = fn(&mut Generator, Where) -> Option<Stmt>;

/// The kinds of statements that need a feature.
const KINDS: [(Feature, Maker); 26] = [
    (Feature::Atomics, Generator::atomic),
    (Feature::Atomics, Generator::atomic_operator),
    (Feature::Weak, Generator::weak),
    (Feature::Weak, Generator::weak_loop),
    (Feature::GnuAtomics, Generator::gnu_atomic),
    (Feature::Sync, Generator::sync),
    (Feature::Fences, Generator::fence),
    (Feature::Mutex, Generator::mutex),
    (Feature::Mutex, Generator::mutex),
    (Feature::Trylock, Generator::trylock),
    (Feature::MutexKinds, Generator::kind_of_mutex),
    (Feature::Condition, Generator::wait),
    (Feature::Condition, Generator::signal),
    (Feature::Semaphore, Generator::semaphore),
    (Feature::Rwlock, Generator::rwlock),
    (Feature::Barrier, Generator::barrier),
    (Feature::Once, Generator::once),
    (Feature::Spin, Generator::spin),
    (Feature::Pointers, Generator::pointer),
    (Feature::Heap, Generator::allocate),
    (Feature::Inputs, Generator::choose),
    (Feature::Loops, Generator::repeat),
    (Feature::Switch, Generator::switch),
    (Feature::Goto, Generator::skip),
    (Feature::Calls, Generator::call),
    (Feature::AtomicSections, Generator::atomic_section),
];

impl Generator {
    /// A statement.
    pub fn stmt(&mut self, place: Where) -> Stmt {
        let mut makers: Vec<Maker> = vec![
            Generator::store,
            Generator::store,
            Generator::load,
            Generator::load,
            Generator::update,
            Generator::compute,
        ];
        if self.one_in(3) {
            makers.extend([Generator::branch as Maker, Generator::assertion]);
        }
        for (feature, maker) in KINDS {
            if self.has(feature) {
                makers.extend([maker, maker, maker]);
            }
        }
        let deep = matches!(place, Where::Thread(depth) if depth > 1);
        if deep {
            makers.truncate(6);
        }
        loop {
            let maker = makers[self.random.below(makers.len())];
            if let Some(stmt) = maker(self, place) {
                return stmt;
            }
        }
    }

    /// A statement or two, one level down.
    pub fn inner(&mut self, place: Where) -> Vec<Stmt> {
        let place = match place {
            Where::Thread(depth) => Where::Thread(depth + 1),
            Where::Alone => place,
        };
        (0..self.random.pick(&[1, 1, 2])).map(|_| self.stmt(place)).collect()
    }

    fn store(&mut self, place: Where) -> Option<Stmt> {
        let (object, value) = (self.object(), self.value(place));
        Some(assign(object.place, value))
    }

    fn load(&mut self, _: Where) -> Option<Stmt> {
        let (local, object) = (self.local()?, self.object());
        Some(assign(Place::name(&local.0), object.place.read()))
    }

    fn update(&mut self, place: Where) -> Option<Stmt> {
        let object = self.object();
        Some(Stmt::Expr(match self.random.below(3) {
            0 => {
                let side = self.random.pick(&[Side::Before, Side::After]);
                let side = match object.ty {
                    Int::Bool if !self.has(Feature::BoolSteps) => Side::Before,
                    _ => side,
                };
                Expr::Step(self.random.pick(&["++", "--"]), object.place, side)
            }
            1 => {
                let value = self.operand(place);
                Expr::Assign(self.random.pick(&["+=", "-=", "|=", "&=", "^="]), object.place, Box::new(value))
            }
            _ => {
                let value = Expr::binary("+", object.place.clone().read(), self.small());
                Expr::Assign("=", object.place, Box::new(value))
            }
        }))
    }

    fn compute(&mut self, place: Where) -> Option<Stmt> {
        let (local, value) = (self.local()?, self.value(place));
        Some(assign(Place::name(&local.0), value))
    }

    fn branch(&mut self, place: Where) -> Option<Stmt> {
        let (condition, then) = (self.condition(place), self.inner(place));
        let otherwise = if self.one_in(3) { self.inner(place) } else { Vec::new() };
        Some(Stmt::If(condition, then, otherwise))
    }

    fn assertion(&mut self, place: Where) -> Option<Stmt> {
        let condition = self.condition(place);
        Some(Stmt::Expr(Expr::call("assert", vec![condition])))
    }

    /// An input into a local variable, sometimes with an assumption.
    fn choose(&mut self, _: Where) -> Option<Stmt> {
        let (name, _) = self.local()?;
        let ty = self.int();
        let input = match ty.bits() {
            1 => Expr::call("__VERIFIER_nondet_bool", Vec::new()),
            8 => Expr::call(&format!("__VERIFIER_nondet_{}", ty.short_name()), Vec::new()),
            _ => Expr::binary("+", Expr::call("__VERIFIER_nondet_bool", Vec::new()), Expr::int(1)),
        };
        let chosen = assign(Place::name(&name), input);
        let few = Expr::binary("<", Place::name(&name).read(), Expr::int(3));
        let assumed = Stmt::Expr(Expr::call("__VERIFIER_assume", vec![few]));
        Some(if self.one_in(2) { Stmt::Block(vec![chosen, assumed]) } else { chosen })
    }

    fn repeat(&mut self, place: Where) -> Option<Stmt> {
        let body = self.inner(place);
        let condition = self.condition(place);
        Some(match self.random.below(6) {
            0 => Stmt::While(self.object_condition(), Vec::new()),
            1 => {
                let (name, rounds) = (self.fresh("i"), 1 + self.random.below(2) as i128);
                let declared = variable(&name, Type::Int(Int::Int), Expr::int(0));
                let step = Stmt::Expr(Expr::Step("++", Place::name(&name), Side::After));
                let more = Expr::binary("<", Place::name(&name).read(), Expr::int(rounds));
                let both = Expr::binary("&&", more, condition);
                let body = body.into_iter().chain([step]).collect();
                let rounds = if self.one_in(2) { Stmt::While(both, body) } else { Stmt::DoWhile(body, both) };
                Stmt::Block(vec![declared, rounds])
            }
            2 => {
                let name = self.fresh("i");
                let leave = self.random.pick(&[Leave::Break, Leave::Continue]);
                let leave = Stmt::If(condition, vec![leave.stmt()], Vec::new());
                Stmt::For(name, 2, [leave].into_iter().chain(body).collect())
            }
            _ => Stmt::For(self.fresh("i"), 2, body),
        })
    }

    /// A comparison of a shared object with a number, for waiting.
    fn object_condition(&mut self) -> Expr {
        let (object, value) = (self.object(), self.small());
        Expr::binary(self.random.pick(&["==", "!="]), object.place.read(), value)
    }

    fn switch(&mut self, place: Where) -> Option<Stmt> {
        let value = self.operand(place);
        let mut cases = Vec::new();
        for label in [Some(0), Some(1), None] {
            let mut body = self.inner(place);
            body.truncate(1);
            if !self.one_in(3) {
                body.push(Stmt::Break);
            }
            if !self.one_in(3) {
                cases.push(Case { label, body });
            }
        }
        Some(Stmt::Switch(value, cases))
    }

    fn skip(&mut self, place: Where) -> Option<Stmt> {
        let (condition, label) = (self.condition(place), self.fresh("done"));
        let body = self.inner(place);
        Some(Stmt::Skip(condition, label, body))
    }

    /// A call of a function of the program: one that computes, or one that changes what it is given by its
    /// address.
    fn call(&mut self, place: Where) -> Option<Stmt> {
        let object = self.object_of(Kind::Plain).filter(is_addressable)?;
        if self.one_in(2) {
            let name = format!("change_{}", object.ty.short_name());
            let target = Place::Target(Box::new(Place::name("at").read()));
            let sum = Expr::binary("+", target.clone().read(), Place::name("by").read());
            let parameters = vec![
                (Type::Int(object.ty).pointer(), "at".to_owned()),
                (Type::Int(object.ty), "by".to_owned()),
            ];
            let body = vec![assign(target, sum)];
            self.define(Function { name: name.clone(), result: None, parameters, body });
            let by = self.value(place);
            return Some(Stmt::Expr(Expr::call(&name, vec![Expr::Address(object.place), by])));
        }
        let (local, ty) = self.local()?;
        let name = format!("choose_{}", ty.short_name());
        let [first, second] = ["first", "second"].map(|name| Place::name(name).read());
        let greater = Expr::binary(">", first.clone(), second.clone());
        let early = Stmt::If(greater, vec![Stmt::Return(Some(first))], Vec::new());
        let body = vec![early, Stmt::Return(Some(second))];
        let parameters = ["first", "second"].map(|name| (Type::Int(ty), name.to_owned())).to_vec();
        self.define(Function { name: name.clone(), result: Some(ty), parameters, body });
        let arguments = vec![self.value(place), self.operand(place)];
        Some(assign(Place::name(&local), Expr::call(&name, arguments)))
    }

    pub fn define(&mut self, function: Function) {
        if !self.program.functions.iter().any(|known| known.name == function.name) {
            self.program.functions.push(function);
        }
    }

    /// A pointer that is moved, or a new one that is used at once.
    fn pointer(&mut self, place: Where) -> Option<Stmt> {
        let object = self.object_of(Kind::Plain).filter(is_addressable)?;
        let known = self.program.globals.iter().find(|global| global.name == "p")?;
        if known.ty == Type::Int(object.ty).pointer() && self.one_in(2) {
            return Some(assign(Place::name("p"), Expr::Address(object.place)));
        }
        let same = |other: &super::generator::Shared| other.ty == object.ty && is_addressable(other);
        let second = self.shared.iter().find(|other| same(other) && other.place != object.place).cloned();
        let address = match second {
            Some(second) => Expr::Choice(
                Box::new(self.condition(place)),
                Box::new(Expr::Address(object.place)),
                Box::new(Expr::Address(second.place)),
            ),
            None => Expr::Address(object.place),
        };
        let name = self.fresh("q");
        let target = Place::Target(Box::new(Place::name(&name).read()));
        let declared = variable(&name, Type::Int(object.ty).pointer(), address);
        let used = match self.local() {
            Some((local, _)) if self.one_in(2) => assign(Place::name(&local), target.read()),
            _ => assign(target, self.value(place)),
        };
        Some(Stmt::Block(vec![declared, used]))
    }

    /// Memory of one's own, mostly given back.
    fn allocate(&mut self, place: Where) -> Option<Stmt> {
        let (name, ty) = (self.fresh("m"), self.int());
        let pointer = Place::name(&name).read();
        let memory = Expr::call("malloc", vec![Expr::SizeOf(Type::Int(ty))]);
        let target = Place::Target(Box::new(pointer.clone()));
        let mut stmts = vec![variable(&name, Type::Int(ty).pointer(), memory)];
        stmts.push(assign(target.clone(), self.value(place)));
        match self.local() {
            Some((local, _)) => stmts.push(assign(Place::name(&local), target.read())),
            None => stmts.push(assign(self.object().place, target.read())),
        }
        if !self.one_in(5) {
            stmts.push(Stmt::Expr(Expr::call("free", vec![pointer])));
        }
        Some(Stmt::Block(stmts))
    }
}

/// How a round of a loop is left.
#[derive(Clone, Copy)]
enum Leave {
    Break,
    Continue,
}

impl Leave {
    fn stmt(self) -> Stmt {
        match self {
            Leave::Break => Stmt::Break,
            Leave::Continue => Stmt::Continue,
        }
    }
}

/// `place = value;`
pub(super) fn assign(place: Place, value: Expr) -> Stmt {
    Stmt::Expr(Expr::Assign("=", place, Box::new(value)))
}

/// The declaration of a local variable.
pub(super) fn variable(name: &str, ty: Type, value: Expr) -> Stmt {
    Stmt::Declare(Variable { name: name.to_owned(), ty, storage: "", init: Some(Init::Value(value)) })
}
