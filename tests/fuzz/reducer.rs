//! Makes a program smaller while something stays true of it.
//!
//! Every place of the tree is tried in turn: statements, threads and declarations are dropped, blocks are
//! replaced by what they contain, expressions by their parts and by small numbers, types by `int`. What makes
//! the program worse is undone. It ends when nothing helps any more.

use super::ast::{Case, End, Expr, Init, Int, Place, Program, Start, Stmt, Type, Variable};

/// The smallest program that was found of which `stays` is true; it must be true of the program given.
pub fn reduce(program: &Program, stays: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let before = best.clone();
        let mut at = 0;
        // Each candidate makes one change; after a success the same position is tried again, as something
        // else is there now.
        while let Some(candidate) = change(&best, at) {
            if candidate != best && stays(&candidate) {
                best = candidate;
            } else {
                at += 1;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// The program with its `at`th possible change made, if there are so many.
fn change(program: &Program, at: usize) -> Option<Program> {
    let mut program = program.clone();
    let mut changer = Changer { left: at };
    let done = changer.program(&mut program);
    done.then_some(program)
}

/// Counts possible changes down and makes the one at zero. Every method says whether it has made it.
struct Changer {
    left: usize,
}

impl Changer {
    /// Whether it is this one's turn.
    fn turn(&mut self) -> bool {
        let now = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        now
    }

    fn program(&mut self, program: &mut Program) -> bool {
        self.threads(program)
            || self.drop_one(&mut program.functions)
            || self.drop_one(&mut program.globals)
            || self.drop_one(&mut program.records)
            || self.stmts(&mut program.before)
            || self.stmts(&mut program.meanwhile)
            || self.stmts(&mut program.after)
            || program.bodies.iter_mut().any(|body| self.stmts(body))
            || program.functions.iter_mut().any(|function| self.stmts(&mut function.body))
            || program.globals.iter_mut().any(|global| self.global(global))
            || program.records.iter_mut().any(|record| {
                self.drop_one(&mut record.fields)
                    || (!record.attribute.is_empty() && self.turn() && {
                        record.attribute = "";
                        true
                    })
                    || record.fields.iter_mut().any(|field| self.ty(&mut field.ty))
            })
    }

    fn threads(&mut self, program: &mut Program) -> bool {
        for number in 0..program.threads.len() {
            if self.turn() {
                program.threads.remove(number);
                return true;
            }
        }
        for number in 0..program.threads.len() {
            if program.threads[number].end == End::Left && self.turn() {
                program.threads[number].end = End::Joined;
                return true;
            }
        }
        for number in 0..program.bodies.len() {
            if !program.bodies[number].is_empty() && self.turn() {
                program.bodies[number].clear();
                return true;
            }
        }
        if program.start == Start::AtOnce && self.turn() {
            program.start = Start::Stepwise;
            return true;
        }
        let unused = |body: &usize| program.threads.iter().all(|thread| thread.body != *body);
        let Some(body) = (0..program.bodies.len()).filter(unused).find(|_| self.turn()) else { return false };
        program.bodies.remove(body);
        program.threads.iter_mut().filter(|thread| thread.body > body).for_each(|thread| thread.body -= 1);
        true
    }

    fn drop_one<T>(&mut self, list: &mut Vec<T>) -> bool {
        match (0..list.len()).find(|_| self.turn()) {
            Some(index) => {
                list.remove(index);
                true
            }
            None => false,
        }
    }

    fn stmts(&mut self, stmts: &mut Vec<Stmt>) -> bool {
        for index in 0..stmts.len() {
            if self.turn() {
                stmts.remove(index);
                return true;
            }
            for parts in opened(&stmts[index]) {
                if self.turn() {
                    stmts.splice(index..=index, parts);
                    return true;
                }
            }
        }
        stmts.iter_mut().any(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &mut Stmt) -> bool {
        match stmt {
            Stmt::Expr(expr) | Stmt::Return(Some(expr)) => self.inside(expr),
            Stmt::Declare(variable) => self.variable(variable),
            Stmt::Block(body) => self.stmts(body),
            Stmt::If(condition, then, otherwise) => {
                self.expr(condition) || self.stmts(then) || self.stmts(otherwise)
            }
            Stmt::While(condition, body)
            | Stmt::DoWhile(body, condition)
            | Stmt::Skip(condition, _, body) => self.expr(condition) || self.stmts(body),
            Stmt::For(_, count, body) => {
                if *count > 1 && self.turn() {
                    *count = 1;
                    return true;
                }
                self.stmts(body)
            }
            Stmt::Switch(value, cases) => {
                self.expr(value)
                    || self.drop_one(cases)
                    || cases.iter_mut().any(|Case { body, .. }| self.stmts(body))
            }
            Stmt::Section(open, body, close) => self.inside(open) || self.stmts(body) || self.inside(close),
            Stmt::Break | Stmt::Continue | Stmt::Return(None) => false,
        }
    }

    fn global(&mut self, variable: &mut Variable) -> bool {
        if !variable.storage.is_empty() && self.turn() {
            variable.storage = "";
            return true;
        }
        if variable.init.is_some() && self.turn() {
            variable.init = None;
            return true;
        }
        self.variable(variable)
    }

    /// A variable whose initial value stays one: without it a local variable would hold anything.
    fn variable(&mut self, variable: &mut Variable) -> bool {
        if self.ty(&mut variable.ty) {
            return true;
        }
        match &mut variable.init {
            Some(Init::Value(value)) => self.expr(value),
            Some(Init::List(list)) => self.drop_one(list),
            Some(Init::Macro(_)) | None => false,
        }
    }

    fn ty(&mut self, ty: &mut Type) -> bool {
        match ty {
            Type::Int(int) if *int != Int::Int && self.turn() => *int = Int::Int,
            Type::Atomic(int) if *int != Int::Int && self.turn() => *int = Int::Int,
            Type::Atomic(int) if self.turn() => *ty = Type::Int(*int),
            Type::Pointer(to) => return self.ty(to),
            Type::Array(of, len) => {
                if *len > 1 && self.turn() {
                    *len -= 1;
                    return true;
                }
                return self.ty(of);
            }
            Type::Int(_) | Type::Atomic(_) | Type::Named(_) => return false,
        }
        true
    }

    /// An expression, replaced as a whole or inside.
    fn expr(&mut self, expr: &mut Expr) -> bool {
        for simpler in simpler(expr) {
            if self.turn() {
                *expr = simpler;
                return true;
            }
        }
        self.inside(expr)
    }

    fn inside(&mut self, expr: &mut Expr) -> bool {
        match expr {
            Expr::Number(..) | Expr::Given(..) => false,
            Expr::Read(place) | Expr::Address(place) | Expr::Step(_, place, _) => self.place(place),
            Expr::Unary(_, of) => self.expr(of),
            Expr::Cast(ty, of) => self.ty(ty) || self.expr(of),
            Expr::Binary(_, left, right) => self.expr(left) || self.expr(right),
            Expr::Choice(condition, then, otherwise) => {
                self.expr(condition) || self.expr(then) || self.expr(otherwise)
            }
            Expr::Assign(operator, place, value) => {
                if *operator != "=" && self.turn() {
                    *operator = "=";
                    return true;
                }
                self.place(place) || self.expr(value)
            }
            Expr::Call(_, arguments) => arguments.iter_mut().any(|argument| self.expr(argument)),
            Expr::SizeOf(ty) => self.ty(ty),
        }
    }

    fn place(&mut self, place: &mut Place) -> bool {
        match place {
            Place::Name(_) => false,
            Place::Field(of, _) => self.place(of),
            Place::Element(of, index) => self.place(of) || self.expr(index),
            Place::Target(pointer) => self.expr(pointer),
        }
    }
}

/// What a statement may be replaced by: the parts that it contains.
fn opened(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    match stmt {
        Stmt::Block(body) | Stmt::For(_, _, body) => vec![body.clone()],
        Stmt::While(condition, body) | Stmt::DoWhile(body, condition) | Stmt::Skip(condition, _, body) => {
            vec![body.clone(), vec![Stmt::Expr(condition.clone())]]
        }
        Stmt::If(condition, then, otherwise) => {
            vec![then.clone(), otherwise.clone(), vec![Stmt::Expr(condition.clone())]]
        }
        Stmt::Switch(_, cases) => cases.iter().map(|case| case.body.clone()).collect(),
        Stmt::Section(open, body, close) => {
            let [open, close] = [open, close].map(|end| Stmt::Expr(end.clone()));
            let opened = [open].into_iter().chain(body.clone()).collect();
            let closed = body.iter().cloned().chain([close]).collect();
            vec![body.clone(), opened, closed]
        }
        Stmt::Expr(Expr::Assign(_, _, value)) if matches!(**value, Expr::Call(..)) => {
            vec![vec![Stmt::Expr((**value).clone())]]
        }
        Stmt::Expr(_) | Stmt::Declare(_) | Stmt::Break | Stmt::Continue | Stmt::Return(_) => Vec::new(),
    }
}

/// What an expression may be replaced by.
fn simpler(expr: &Expr) -> Vec<Expr> {
    let numbers = [Expr::int(0), Expr::int(1)];
    match expr {
        Expr::Number(value, ty) => {
            let mut numbers = Vec::new();
            if *value != 0 {
                numbers.push(Expr::int(0));
            }
            if *value != 0 && *value != 1 {
                numbers.extend([Expr::int(1), Expr::Number(value / 2, *ty)]);
            }
            if *ty != Int::Int && i32::try_from(*value).is_ok() {
                numbers.push(Expr::int(*value));
            }
            numbers
        }
        Expr::Given(value, ty) => vec![Expr::Number(*value, *ty)],
        Expr::Unary(_, of) | Expr::Cast(_, of) => [(**of).clone()].into_iter().chain(numbers).collect(),
        Expr::Binary(_, left, right) => {
            [(**left).clone(), (**right).clone()].into_iter().chain(numbers).collect()
        }
        Expr::Choice(condition, then, otherwise) => {
            [then, otherwise, condition].map(|part| (**part).clone()).into_iter().chain(numbers).collect()
        }
        Expr::Call(_, arguments) => arguments.iter().cloned().chain(numbers).collect(),
        Expr::Read(_) => numbers.to_vec(),
        Expr::Address(_) | Expr::Assign(..) | Expr::Step(..) | Expr::SizeOf(_) => Vec::new(),
    }
}
