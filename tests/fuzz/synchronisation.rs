//! Statements of random concurrent programs: atomic operations, locks and the rest of the library of threads.

use super::ast::{Expr, Function, Init, Int, Place, Stmt, Type};
use super::features::Feature;
use super::generator::{Generator, Kind, Where};
use super::statements::{assign, variable};

/// The orders that an access may have.
const LOADS: [i128; 4] = [0, 2, 5, 5];
const STORES: [i128; 4] = [0, 3, 5, 5];
const CHANGES: [i128; 6] = [0, 2, 3, 4, 5, 5];

impl Generator {
    /// What an operation gives goes to a local variable, or nowhere.
    fn kept(&mut self, operation: Expr) -> Stmt {
        match self.local() {
            Some((name, _)) if !self.one_in(4) => assign(Place::name(&name), operation),
            _ => Stmt::Expr(operation),
        }
    }

    /// An operation of `<stdatomic.h>`.
    pub fn atomic(&mut self, place: Where) -> Option<Stmt> {
        let object = self.object_of(Kind::Atomic)?;
        let (address, value) = (Expr::Address(object.place), self.value(place));
        let explicit = self.one_in(2);
        let call = |name: &str, mut arguments: Vec<Expr>, order: i128| match explicit {
            true => {
                arguments.push(Expr::int(order));
                Expr::call(&format!("{name}_explicit"), arguments)
            }
            false => Expr::call(name, arguments),
        };
        Some(match self.random.below(6) {
            0 => {
                let order = self.random.pick(&STORES);
                Stmt::Expr(call("atomic_store", vec![address, value], order))
            }
            1 => {
                let order = self.random.pick(&LOADS);
                self.kept(call("atomic_load", vec![address], order))
            }
            2 => {
                let order = self.random.pick(&CHANGES);
                self.kept(call("atomic_exchange", vec![address, value], order))
            }
            3 => return self.compare_exchange(place, "strong"),
            _ => {
                let order = self.random.pick(&CHANGES);
                let arithmetic: &[&str] = match object.ty {
                    Int::Bool => &["exchange"],
                    _ => &["fetch_add", "fetch_sub", "fetch_or", "fetch_and", "fetch_xor"],
                };
                let name = format!("atomic_{}", self.random.pick(arithmetic));
                self.kept(call(&name, vec![address, value], order))
            }
        })
    }

    /// An operator on an `_Atomic` object is one step.
    pub fn atomic_operator(&mut self, place: Where) -> Option<Stmt> {
        let object = self.object_of(Kind::Atomic)?;
        let value = self.operand(place);
        let operator = self.random.pick(&["=", "+=", "-=", "|=", "&=", "^="]);
        let operation = Expr::Assign(operator, object.place, Box::new(value));
        Some(Stmt::Expr(operation))
    }

    /// A compare-and-exchange with what it expects in a variable, and what its result makes happen.
    fn compare_exchange(&mut self, place: Where, strength: &str) -> Option<Stmt> {
        let object = self.object_of(Kind::Atomic)?;
        let name = self.fresh("e");
        let expected = variable(&name, Type::Int(object.ty), self.small());
        let mut arguments =
            vec![Expr::Address(object.place), Expr::Address(Place::name(&name)), self.value(place)];
        let name = match self.one_in(2) {
            true => {
                arguments.push(Expr::int(self.random.pick(&CHANGES)));
                arguments.push(Expr::int(self.random.pick(&[0, 2, 5])));
                format!("atomic_compare_exchange_{strength}_explicit")
            }
            false => format!("atomic_compare_exchange_{strength}"),
        };
        let exchange = Expr::call(&name, arguments);
        let rest = match self.one_in(2) {
            true => Stmt::If(exchange, self.inner(place), Vec::new()),
            false => self.kept(exchange),
        };
        Some(Stmt::Block(vec![expected, rest]))
    }

    pub fn weak(&mut self, place: Where) -> Option<Stmt> {
        self.compare_exchange(place, "weak")
    }

    /// The usual loop around a weak compare-and-exchange.
    pub fn weak_loop(&mut self, _: Where) -> Option<Stmt> {
        let object = self.object_of(Kind::Atomic)?;
        let name = self.fresh("e");
        let seen = Expr::call("atomic_load", vec![Expr::Address(object.place.clone())]);
        let expected = variable(&name, Type::Int(object.ty), seen);
        let sum = Expr::binary("+", Place::name(&name).read(), Expr::int(1));
        let arguments = vec![Expr::Address(object.place), Expr::Address(Place::name(&name)), sum];
        let failed = Expr::Unary("!", Box::new(Expr::call("atomic_compare_exchange_weak", arguments)));
        Some(Stmt::Block(vec![expected, Stmt::While(failed, Vec::new())]))
    }

    /// An atomic builtin of gcc on a plain object.
    pub fn gnu_atomic(&mut self, place: Where) -> Option<Stmt> {
        let object = self.object_of(Kind::Plain)?;
        let (address, value) = (Expr::Address(object.place), self.value(place));
        Some(match self.random.below(5) {
            0 => {
                let order = Expr::int(self.random.pick(&STORES));
                Stmt::Expr(Expr::call("__atomic_store_n", vec![address, value, order]))
            }
            1 => {
                let order = Expr::int(self.random.pick(&LOADS));
                self.kept(Expr::call("__atomic_load_n", vec![address, order]))
            }
            2 => {
                let order = Expr::int(self.random.pick(&CHANGES));
                self.kept(Expr::call("__atomic_exchange_n", vec![address, value, order]))
            }
            3 => {
                let name = self.fresh("e");
                let expected = variable(&name, Type::Int(object.ty), self.small());
                let weak = Expr::int(i128::from(self.has(Feature::Weak)));
                let seen = Expr::Address(Place::name(&name));
                let order = self.random.pick(&CHANGES);
                let orders = [order, 0].map(Expr::int);
                let arguments = [address, seen, value, weak].into_iter().chain(orders).collect();
                let exchange = self.kept(Expr::call("__atomic_compare_exchange_n", arguments));
                Stmt::Block(vec![expected, exchange])
            }
            _ if object.ty == Int::Bool => return None,
            _ => {
                let order = Expr::int(self.random.pick(&CHANGES));
                let names = [
                    "fetch_add",
                    "fetch_sub",
                    "add_fetch",
                    "or_fetch",
                    "fetch_and",
                    "xor_fetch",
                    "fetch_nand",
                ];
                let name = format!("__atomic_{}", self.random.pick(&names));
                self.kept(Expr::call(&name, vec![address, value, order]))
            }
        })
    }

    /// One of gcc's older builtins.
    pub fn sync(&mut self, place: Where) -> Option<Stmt> {
        let object = self.object_of(Kind::Plain).filter(|object| object.ty != Int::Bool)?;
        let (address, value) = (Expr::Address(object.place), self.value(place));
        Some(match self.random.below(4) {
            0 => {
                let name = self.random.pick(&["__sync_bool_compare_and_swap", "__sync_val_compare_and_swap"]);
                let expected = self.small();
                self.kept(Expr::call(name, vec![address, expected, value]))
            }
            1 => self.kept(Expr::call("__sync_lock_test_and_set", vec![address, value])),
            2 => Stmt::Expr(Expr::call("__sync_lock_release", vec![address])),
            _ => {
                let names =
                    ["fetch_and_add", "sub_and_fetch", "or_and_fetch", "fetch_and_xor", "add_and_fetch"];
                let name = format!("__sync_{}", self.random.pick(&names));
                self.kept(Expr::call(&name, vec![address, value]))
            }
        })
    }

    pub fn fence(&mut self, _: Where) -> Option<Stmt> {
        Some(Stmt::Expr(match self.random.below(4) {
            0 => Expr::call("__sync_synchronize", Vec::new()),
            1 => Expr::call("__atomic_thread_fence", vec![Expr::int(self.random.pick(&CHANGES))]),
            _ => Expr::call("atomic_thread_fence", vec![Expr::int(self.random.pick(&CHANGES))]),
        }))
    }

    pub fn atomic_section(&mut self, place: Where) -> Option<Stmt> {
        let [open, close] =
            ["begin", "end"].map(|end| Expr::call(&format!("__VERIFIER_atomic_{end}"), Vec::new()));
        let body = vec![self.stmt(deepest(place)), self.stmt(deepest(place))];
        Some(Stmt::Section(open, body, close))
    }

    /// A section of a lock: what acquires it, what releases it.
    fn section(&mut self, place: Where, acquire: &str, release: &str, lock: &str) -> Stmt {
        let [open, close] = [acquire, release].map(|name| Expr::call(name, vec![address(lock)]));
        let body = self.inner(place);
        match self.random.below(12) {
            0 => Stmt::Block([Stmt::Expr(open)].into_iter().chain(body).collect()),
            1 => Stmt::Block(body.into_iter().chain([Stmt::Expr(close)]).collect()),
            _ => Stmt::Section(open, body, close),
        }
    }

    /// A section that is entered only if the lock is free.
    fn attempt(&mut self, place: Where, acquire: &str, release: &str, lock: &str) -> Stmt {
        let free = Expr::binary("==", Expr::call(acquire, vec![address(lock)]), Expr::int(0));
        let mut body = self.inner(place);
        body.push(Stmt::Expr(Expr::call(release, vec![address(lock)])));
        let otherwise = if self.one_in(3) { self.inner(place) } else { Vec::new() };
        Stmt::If(free, body, otherwise)
    }

    pub fn mutex(&mut self, place: Where) -> Option<Stmt> {
        self.global("lock", Type::named("pthread_mutex_t"), "", None);
        Some(self.section(place, "pthread_mutex_lock", "pthread_mutex_unlock", "lock"))
    }

    pub fn trylock(&mut self, place: Where) -> Option<Stmt> {
        self.global("lock", Type::named("pthread_mutex_t"), "", None);
        Some(self.attempt(place, "pthread_mutex_trylock", "pthread_mutex_unlock", "lock"))
    }

    /// A recursive or error-checking mutex, sometimes locked twice; what locking returns may matter.
    pub fn kind_of_mutex(&mut self, place: Where) -> Option<Stmt> {
        let kinds = ["PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP", "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP"];
        let init = Init::Macro(self.random.pick(&kinds));
        self.global("special", Type::named("pthread_mutex_t"), "", Some(init));
        let [lock, unlock] = ["pthread_mutex_lock", "pthread_mutex_unlock"]
            .map(|name| Expr::call(name, vec![address("special")]));
        let mut stmts = vec![Stmt::Expr(lock.clone())];
        if self.one_in(2) {
            let again = self.kept(lock);
            stmts.push(again);
            stmts.extend(self.inner(deepest(place)));
            stmts.push(Stmt::Expr(unlock.clone()));
        }
        stmts.extend(self.inner(deepest(place)));
        let released = self.kept(unlock);
        stmts.push(released);
        Some(Stmt::Block(stmts))
    }

    fn declare_condition(&mut self) {
        self.global("lock", Type::named("pthread_mutex_t"), "", None);
        self.global("changed", Type::named("pthread_cond_t"), "", None);
        self.global("ready", Type::Int(Int::Int), "", None);
    }

    /// Waits for a condition variable, mostly in a loop.
    pub fn wait(&mut self, place: Where) -> Option<Stmt> {
        self.declare_condition();
        let not_yet = Expr::Unary("!", Box::new(Place::name("ready").read()));
        let wait = Stmt::Expr(Expr::call("pthread_cond_wait", vec![address("changed"), address("lock")]));
        let wait = match self.random.below(4) {
            0 => Stmt::If(not_yet, vec![wait], Vec::new()),
            _ => Stmt::While(not_yet, vec![wait]),
        };
        let [open, close] = ["pthread_mutex_lock", "pthread_mutex_unlock"]
            .map(|name| Expr::call(name, vec![address("lock")]));
        let body = [wait].into_iter().chain(self.inner(deepest(place))).collect();
        Some(Stmt::Section(open, body, close))
    }

    pub fn signal(&mut self, place: Where) -> Option<Stmt> {
        self.declare_condition();
        let [open, close] = ["pthread_mutex_lock", "pthread_mutex_unlock"]
            .map(|name| Expr::call(name, vec![address("lock")]));
        let mut body = self.inner(deepest(place));
        body.push(assign(Place::name("ready"), Expr::int(1)));
        let name = self.random.pick(&["pthread_cond_signal", "pthread_cond_broadcast"]);
        body.push(Stmt::Expr(Expr::call(name, vec![address("changed")])));
        Some(Stmt::Section(open, body, close))
    }

    pub fn semaphore(&mut self, place: Where) -> Option<Stmt> {
        self.global("sem", Type::named("sem_t"), "", None);
        self.once_before("sem_init", vec![address("sem"), Expr::int(0), Expr::int(1)]);
        Some(match self.random.below(4) {
            0 => self.attempt(place, "sem_trywait", "sem_post", "sem"),
            _ => self.section(place, "sem_wait", "sem_post", "sem"),
        })
    }

    pub fn rwlock(&mut self, place: Where) -> Option<Stmt> {
        self.global("rw", Type::named("pthread_rwlock_t"), "", None);
        let unlock = "pthread_rwlock_unlock";
        Some(match self.random.below(5) {
            0 => self.attempt(place, "pthread_rwlock_tryrdlock", unlock, "rw"),
            1 => self.attempt(place, "pthread_rwlock_trywrlock", unlock, "rw"),
            2 => self.section(place, "pthread_rwlock_wrlock", unlock, "rw"),
            _ => self.section(place, "pthread_rwlock_rdlock", unlock, "rw"),
        })
    }

    pub fn barrier(&mut self, _: Where) -> Option<Stmt> {
        self.global("bar", Type::named("pthread_barrier_t"), "", None);
        let count = Expr::int(self.random.pick(&[1, 2, 2, 2]));
        self.once_before("pthread_barrier_init", vec![address("bar"), Expr::int(0), count]);
        Some(self.kept_call("pthread_barrier_wait", "bar"))
    }

    fn kept_call(&mut self, name: &str, object: &str) -> Stmt {
        let call = Expr::call(name, vec![address(object)]);
        self.kept(call)
    }

    pub fn once(&mut self, _: Where) -> Option<Stmt> {
        self.global("once", Type::named("pthread_once_t"), "", None);
        let locals = std::mem::take(&mut self.locals);
        if !self.program.functions.iter().any(|function| function.name == "first") {
            let body = self.inner(Where::Thread(2));
            self.define(Function { name: "first".to_owned(), result: None, parameters: Vec::new(), body });
        }
        self.locals = locals;
        let call = Expr::call("pthread_once", vec![address("once"), Place::name("first").read()]);
        Some(Stmt::Expr(call))
    }

    pub fn spin(&mut self, place: Where) -> Option<Stmt> {
        self.global("spin", Type::named("pthread_spinlock_t"), "", None);
        self.once_before("pthread_spin_init", vec![address("spin"), Expr::int(0)]);
        Some(match self.random.below(3) {
            0 => self.attempt(place, "pthread_spin_trylock", "pthread_spin_unlock", "spin"),
            _ => self.section(place, "pthread_spin_lock", "pthread_spin_unlock", "spin"),
        })
    }

    /// A call that `main` makes once, before there are threads.
    fn once_before(&mut self, name: &str, arguments: Vec<Expr>) {
        let made = |stmt: &Stmt| matches!(stmt, Stmt::Expr(Expr::Call(known, _)) if known == name);
        if !self.program.before.iter().any(made) {
            self.program.before.push(Stmt::Expr(Expr::call(name, arguments)));
        }
    }
}

fn address(name: &str) -> Expr {
    Expr::Address(Place::name(name))
}

/// Where only plain statements are made.
fn deepest(place: Where) -> Where {
    match place {
        Where::Thread(_) => Where::Thread(2),
        Where::Alone => place,
    }
}
