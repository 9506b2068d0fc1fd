//! Random litmus tests as C programs, each determined by its seed: two to four threads of a few statements
//! over shared variables, and an outcome that the assertion excludes.
//!
//! Two kinds. A *cycle* has the shape of the classic tests: each thread accesses one variable and then the
//! next, and the outcome says that each thread was before the next one, so that it shows whether the two
//! accesses stay in order; fences, read-modify-writes, dependencies, atomic accesses of every order and other
//! statements come between. A *heap* is statements of all kinds in any order. A third kind has critical
//! sections of mutexes and spin locks, and now and then a thread that does not keep to the rules of locks.
//! The text is preprocessed C, so that no compiler has to be called.

use crate::random::Random;

/// A litmus test in pieces, so that a failing one can be made smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Litmus {
    /// The statements of each thread.
    threads: Vec<Vec<String>>,
    /// The outcome: all of these hold at the end.
    outcome: Vec<String>,
}

/// Registers of each thread.
const REGISTERS: usize = 3;

/// Shared variables.
const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];

impl Litmus {
    /// The test of a seed.
    pub fn random(seed: u64) -> Litmus {
        let mut random = Random::new(seed);
        let threads = random.pick(&[2, 2, 2, 3, 3, 4]);
        match random.below(4) {
            0 => Litmus::heap(&mut random, threads),
            _ => Litmus::cycle(&mut random, threads),
        }
    }

    /// The test with locks of a seed.
    pub fn locked(seed: u64) -> Litmus {
        let mut random = Random::new(seed);
        let count = random.pick(&[2, 2, 3]);
        let threads = (0..count).map(|_| {
            let mut statements = Vec::new();
            for _ in 0..1 + random.below(if count == 2 { 2 } else { 1 }) {
                section(&mut random, &mut statements);
            }
            if random.below(8) == 0 {
                let at = random.below(statements.len() + 1);
                statements.insert(at, against_the_rules(&mut random));
            }
            statements
        });
        let threads = threads.collect();
        let mut outcome = vec![format!("x == {}", random.below(4))];
        for thread in 0..random.below(count + 1) {
            outcome.push(format!("r{thread}[{}] == {}", random.below(2), random.below(3)));
        }
        Litmus { threads, outcome }
    }

    fn heap(random: &mut Random, count: usize) -> Litmus {
        let longest = if count == 2 { 5 } else { 3 };
        let threads = (0..count).map(|_| {
            let length = 2 + random.below(longest - 1);
            (0..length).map(|_| statement(random)).collect()
        });
        let threads = threads.collect();
        let outcome =
            (0..2).map(|thread| format!("r{thread}[{}] == {}", random.below(2), random.pick(&[0, 1, 1, 2])));
        let mut outcome: Vec<String> = outcome.collect();
        if random.below(3) == 0 {
            outcome.push(format!("{} == {}", shared(random), 1 + random.below(2)));
        }
        Litmus { threads, outcome }
    }

    /// Thread `i` accesses variable `i` and then variable `i + 1`. The second access comes before the first
    /// one of the next thread: a read has the old value 0, or the next thread reads the 1 that was written,
    /// or its write of 2 stays.
    fn cycle(random: &mut Random, count: usize) -> Litmus {
        let mut outcome = Vec::new();
        let mut accesses = vec![[Access::Read; 2]; count];
        for thread in 0..count {
            let next = (thread + 1) % count;
            let pair = random.pick(&[
                [Access::Read, Access::Write],
                [Access::Write, Access::Read],
                [Access::Write; 2],
            ]);
            (accesses[thread][1], accesses[next][0]) = (pair[0], pair[1]);
            outcome.push(match pair {
                [Access::Read, _] => format!("r{thread}[1] == 0"),
                [_, Access::Read] => format!("r{next}[0] == 1"),
                _ => format!("{} == 2", VARIABLES[next]),
            });
        }
        let thread = |thread: usize| {
            let [first, second] = accesses[thread];
            let next = (thread + 1) % count;
            let mut statements = vec![first.text(random, VARIABLES[thread], 0, 2)];
            statements.extend(between(random, first));
            statements.push(second.text(random, VARIABLES[next], 1, 1));
            if random.below(4) == 0 {
                let place = random.below(statements.len() + 1);
                statements.insert(place, statement(random));
            }
            statements
        };
        Litmus { threads: (0..count).map(thread).collect(), outcome }
    }

    /// The program.
    pub fn text(&self) -> String {
        let mut text = format!("typedef unsigned long pthread_t;\nint {}, a[2], l;\n", VARIABLES.join(", "));
        text += "typedef union { char size[40]; long align; } pthread_mutex_t;\npthread_mutex_t m;\n";
        for thread in 0..self.threads.len() {
            text += &format!("int r{thread}[{REGISTERS}];\n");
        }
        for (thread, statements) in self.threads.iter().enumerate() {
            text += &format!("void *t{thread}(void *argument)\n{{\n    int r[{REGISTERS}] = {{0}};\n");
            statements.iter().for_each(|statement| text += &format!("    {statement}\n"));
            let results =
                (0..REGISTERS).map(|register| format!("    r{thread}[{register}] = r[{register}];\n"));
            text += &format!("{}    return 0;\n}}\n", results.collect::<String>());
        }
        text += &format!("int main(void)\n{{\n    pthread_t t[{}];\n", self.threads.len());
        for thread in 0..self.threads.len() {
            text += &format!("    pthread_create(&t[{thread}], 0, t{thread}, 0);\n");
        }
        for thread in 0..self.threads.len() {
            text += &format!("    pthread_join(t[{thread}], 0);\n");
        }
        let outcome = if self.outcome.is_empty() { "1".to_owned() } else { self.outcome.join(" && ") };
        text + &format!("    if ({outcome}) reach_error();\n    return 0;\n}}\n")
    }

    /// The smallest test with a property that can be got by leaving out statements and parts of the outcome
    /// one by one.
    pub fn smallest(self, still: impl Fn(&Litmus) -> bool) -> Litmus {
        let mut best = self;
        while let Some(smaller) = best.smaller().into_iter().find(&still) {
            best = smaller;
        }
        best
    }

    /// All tests with one piece less.
    fn smaller(&self) -> Vec<Litmus> {
        let mut all = Vec::new();
        for thread in 0..self.threads.len() {
            for statement in 0..self.threads[thread].len() {
                let mut smaller = self.clone();
                smaller.threads[thread].remove(statement);
                all.push(smaller);
            }
        }
        for part in 0..self.outcome.len() {
            let mut smaller = self.clone();
            smaller.outcome.remove(part);
            all.push(smaller);
        }
        all
    }
}

/// An access of a cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Access {
    /// The access as a statement: plain, atomic, or a read-modify-write.
    fn text(self, random: &mut Random, place: &str, register: usize, value: usize) -> String {
        match (self, random.below(6)) {
            (Access::Read, 0) => format!("r[{register}] = __atomic_fetch_add(&{place}, 0, 0);"),
            (Access::Read, 1) => {
                format!("r[{register}] = __atomic_load_n(&{place}, {});", random.pick(&[0, 2, 5]))
            }
            (Access::Read, _) => format!("r[{register}] = {place};"),
            (Access::Write, 0) => format!("__atomic_exchange_n(&{place}, {value}, 0);"),
            (Access::Write, 1) => {
                format!("__atomic_store_n(&{place}, {value}, {});", random.pick(&[0, 3, 5]))
            }
            // The register read before, if any, has one of two values; the written one depends on it.
            (Access::Write, 2) => format!("{place} = (r[0] & 4) + {value};"),
            (Access::Write, 3) => format!("if (r[0] < 3) {place} = {value};"),
            (Access::Write, _) => format!("{place} = {value};"),
        }
    }
}

/// What comes between the two accesses of a thread.
fn between(random: &mut Random, first: Access) -> Vec<String> {
    let text = match random.below(10) {
        0 => "__atomic_thread_fence(5);",
        1 => "__atomic_thread_fence(3);",
        2 => "__atomic_thread_fence(2);",
        3 => "a[0] = 1;",
        4 => "r[2] = a[0];",
        5 => "__sync_fetch_and_add(&a[1], 1);",
        6 if first == Access::Read => "r[2] = a[r[0] & 1];",
        _ => return Vec::new(),
    };
    vec![text.to_owned()]
}

/// A critical section: acquiring, what is done inside, releasing.
fn section(random: &mut Random, statements: &mut Vec<String>) {
    let [lock, unlock] = random.pick(&[
        ["pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"],
        ["pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"],
        ["while (!__sync_bool_compare_and_swap(&l, 0, 1)) ;", "l = 0;"],
        ["while (__atomic_exchange_n(&l, 1, 5)) ;", "__atomic_store_n(&l, 0, 3);"],
        ["__VERIFIER_assume(__atomic_exchange_n(&l, 2, 5) == 0);", "__atomic_store_n(&l, 0, 5);"],
    ]);
    let inside = |random: &mut Random| match random.below(6) {
        0 => "x = x + 1;".to_owned(),
        1 => format!("r[{}] = x;", random.below(2)),
        2 => format!("x = r[{}] + 1;", random.below(2)),
        3 => format!("y = {};", 1 + random.below(2)),
        4 => format!("r[{}] = y;", random.below(2)),
        _ => format!("if (r[{}]) y = 0; else x = 2;", random.below(2)),
    };
    match random.below(6) {
        0 => statements
            .push(format!("if (__sync_bool_compare_and_swap(&l, 0, 1)) {{ {} l = 0; }}", inside(random))),
        1 => {
            statements.push(format!("{lock} {}", inside(random)));
            let [one, other] = [inside(random), inside(random)];
            statements.push(format!("if (r[0]) {{ {one} {unlock} }} else {{ {unlock} {other} }}"));
        }
        2 => {
            statements.push(lock.to_owned());
            statements.push(format!("while (r[1] < 1) {{ {unlock} r[1] = r[1] + 1; {lock} }}"));
            statements.push(inside(random));
            statements.push(unlock.to_owned());
        }
        3 => {
            let waiting = random.pick(&["x == 0", "y == 0", "x < 2", "y == r[0]"]);
            statements.push(format!("{lock} while ({waiting}) {{ {unlock} {lock} }}"));
            statements.push(inside(random));
            statements.push(unlock.to_owned());
        }
        4 => {
            let done = random.pick(&["x", "y", "x > 1"]);
            let inside = inside(random);
            statements.push(format!(
                "while (r[2] == 0) {{ {lock} if ({done}) {{ {inside} r[2] = 1; }} {unlock} }}"
            ));
        }
        _ => {
            statements.push(lock.to_owned());
            (0..1 + random.below(2)).for_each(|_| statements.push(inside(random)));
            statements.push(unlock.to_owned());
        }
    }
    if random.below(3) == 0 {
        statements.push(inside(random));
    }
}

/// What a thread should not do with a lock.
fn against_the_rules(random: &mut Random) -> String {
    let text = random.pick(&[
        "l = 0;",
        "l = 1;",
        "pthread_mutex_unlock(&m);",
        "if (x) pthread_mutex_unlock(&m);",
        "if (r[0]) l = 0;",
        "__atomic_fetch_add(&l, 1, 5);",
        "r[0] = l;",
    ]);
    text.to_owned()
}

/// A shared variable, one of few, so that threads meet.
fn shared(random: &mut Random) -> &'static str {
    random.pick(&["x", "x", "y", "y", "a[0]"])
}

/// A statement of any kind.
fn statement(random: &mut Random) -> String {
    let (place, other) = (shared(random), shared(random));
    let register = format!("r[{}]", random.below(2));
    let value = 1 + random.below(2);
    match random.below(24) {
        0..=4 => format!("{place} = {value};"),
        5..=9 => format!("{register} = {place};"),
        10 => format!("{place} = {register} + {value};"),
        11 => format!("if ({register} == {value}) {place} = {value};"),
        12 => format!("if ({register}) {register} = {place}; else {other} = {value};"),
        13 => format!("{register} = a[{register} & 1];"),
        14 => format!("a[{register} & 1] = {value};"),
        15 => "__atomic_thread_fence(5);".to_owned(),
        16 => "__atomic_thread_fence(3);".to_owned(),
        17 => format!("{register} = __atomic_fetch_add(&{place}, {value}, {});", random.pick(&[0, 5])),
        18 => format!("{register} = __atomic_exchange_n(&{place}, {value}, {});", random.pick(&[0, 4])),
        19 => format!("{register} = __sync_bool_compare_and_swap(&{place}, {}, {value});", random.below(2)),
        20 => format!("__atomic_store_n(&{place}, {value}, {});", random.pick(&[0, 3, 5])),
        21 => format!("{register} = __atomic_load_n(&{place}, {});", random.pick(&[0, 2, 5])),
        22 => format!(
            "__VERIFIER_atomic_begin(); {place} = {value}; {register} = {other}; __VERIFIER_atomic_end();"
        ),
        _ => format!("{register} = {place} + {other};"),
    }
}
