//! The engine `crowd`: which loops make templates, what is proved of them, certificates that somebody
//! damaged, and random templates compared with few threads.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::Claim;
use regrain::frontend::{self, Options, task};
use regrain::program::{LocId, Mark, Program, Renaming};
use regrain::proof::{Certificate, Crowd, Defect, Flaw, check_crowd};
use regrain::smt::IntModel;
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};
use crate::command::Scratch;
use crate::random::Random;

const HEADERS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
    extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n";

/// The program with that text, as engines see it.
fn program(name: &str, text: &str) -> Program {
    let scratch = Scratch::new(&format!("crowd-{name}"));
    let path = scratch.path("p.c");
    std::fs::write(&path, format!("{HEADERS}{text}")).expect("a file");
    frontend::load(&path, &Options::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn limited(milliseconds: u64) -> Settings {
    Settings {
        budget: Budget::unlimited().with_time(Duration::from_millis(milliseconds)),
        ..Settings::default()
    }
}

/// Workers without number, with this text before `main`.
fn workers(name: &str, text: &str) -> Program {
    let main = "int main(void) { pthread_t t; while (1) pthread_create(&t, 0, worker, 0); }";
    program(name, &format!("{text}\n{main}"))
}

/// Whether the engine proves a program.
fn proves(program: &Program) -> bool {
    safety(&answer(program, Engine::Crowd, &limited(10_000))).is_some()
}

const LOCKED: &str = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x = 0;
    void *worker(void *arg) {
        pthread_mutex_lock(&m); x++; assert(x == 1); x--; pthread_mutex_unlock(&m); return 0; }";

/// Proved by two copies.
const SPINNING: &str = "int lock = 0, x = 0;
    void *worker(void *arg) {
        __VERIFIER_atomic_begin(); __VERIFIER_assume(lock == 0); lock = 1; __VERIFIER_atomic_end();
        x = 1; x = 0; assert(x == 0); lock = 0; return 0; }";

/// Proved by one copy and a counter.
const POOL: &str = "int left = 2;
    void *worker(void *arg) {
        __VERIFIER_atomic_begin(); __VERIFIER_assume(left > 0); left = left - 1; __VERIFIER_atomic_end();
        __VERIFIER_atomic_begin(); left = left + 1; assert(left <= 2); __VERIFIER_atomic_end(); return 0; }";

/// Loops whose end nobody knows make a template, others do not.
#[test]
fn creating_loops_without_a_known_end_make_templates() {
    let of = |name: &str, main: &str| {
        let program = program(name, &format!("{LOCKED}\nint main(void) {{ pthread_t t; {main} }}"));
        program.unbounded.map(|unbounded| unbounded.twins.len())
    };
    assert_eq!(of("for-ever", "while (1) pthread_create(&t, 0, worker, 0);"), Some(1));
    let input =
        "int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) pthread_create(&t, 0, worker, 0);";
    assert_eq!(of("input", input), Some(1));
    let after = "do { pthread_create(&t, 0, worker, 0); } while (__VERIFIER_nondet_int());";
    assert_eq!(of("after", after), Some(1));
    let back = "again: pthread_create(&t, 0, worker, 0); if (__VERIFIER_nondet_int()) goto again;";
    assert_eq!(of("goto", back), Some(1));
    assert_eq!(of("known", "for (int i = 0; i < 3; i++) pthread_create(&t, 0, worker, 0);"), None);
    assert_eq!(of("two", "pthread_create(&t, 0, worker, 0); pthread_create(&t, 0, worker, 0);"), None);
}

/// The bounded program is what it was: engines find violations in its instances, and end at the cut.
#[test]
fn instances_stay() {
    let program = workers("instances", LOCKED);
    assert!(program.threads.len() > 8 && program.twins.is_empty());
    assert!(program.locations.iter().any(|location| matches!(location.mark, Some(Mark::Cut(_)))));
    let unbounded = program.unbounded.expect("a template");
    assert!(!unbounded.locations.iter().any(|location| matches!(location.mark, Some(Mark::Cut(_)))));
}

#[test]
fn two_copies_and_counters_prove() {
    assert!(proves(&workers("spinning", SPINNING)));
    assert!(proves(&workers("pool", POOL)));
}

/// Where nothing can go wrong nothing has to be shown.
#[test]
fn a_program_without_targets_is_proved() {
    let own = "static _Thread_local int x; void *worker(void *arg) { x = 1; assert(x == 1); return 0; }";
    assert!(proves(&workers("own", own)));
}

/// Addresses of what is a copy's own, given to others, make copies different: nothing is proved, since here
/// everything would be wrong.
#[test]
fn copies_that_tell_others_who_they_are_are_not_alike() {
    let published =
        "int *p = 0; void *worker(void *arg) { int own = 0; p = &own; if (p != &own) assert(0); return 0; }";
    let program = workers("published", published);
    let unbounded = program.unbounded.as_deref().expect("a template");
    assert!(Renaming::of(unbounded).is_none());
    assert!(!proves(&program));
}

/// Another copy may come between, and has another number.
#[test]
fn copies_have_numbers_of_their_own() {
    let identity = "pthread_t last;
        void *worker(void *arg) { last = pthread_self(); assert(last == pthread_self()); return 0; }";
    assert!(!proves(&workers("identity", identity)));
}

/// Joining one of many waits for nobody: what only waiting makes true is not proved.
#[test]
fn joining_a_copy_does_not_wait() {
    let text = "int x = 0; void *worker(void *arg) { x = 1; x = 0; return 0; }
        int main(void) { pthread_t t; while (__VERIFIER_nondet_int()) {
            pthread_create(&t, 0, worker, 0); pthread_join(t, 0); assert(x == 0); } }";
    assert!(!proves(&program("joined", text)));
}

/// An argument that differs is any value.
#[test]
fn arguments_that_differ_are_any_value() {
    let text =
        "int seen = 0; void *worker(void *arg) { long i = (long)arg; if (i >= 0 && i < 10) seen = (int)i;
            assert(seen < 9); return 0; }
        int main(void) { pthread_t t; for (long i = 0; ; i++) pthread_create(&t, 0, worker, (void *)i); }";
    assert!(!proves(&program("less", text)));
}

/// The certificate of a program that the engine proves.
fn certificate(program: &Program) -> Crowd {
    match answer(program, Engine::Crowd, &limited(60_000)).claim() {
        Claim::Safe(Certificate::Crowd(crowd)) => (**crowd).clone(),
        other => panic!("not proved: {other:?}"),
    }
}

fn checked(program: &Program, crowd: &Crowd) -> Result<(), Flaw> {
    check_crowd(program, crowd, IntModel::Integer, &Budget::unlimited()).map(drop)
}

/// Each damage by itself makes a certificate worthless.
fn damages(program: &Program, crowd: &Crowd) {
    assert_eq!(checked(program, crowd), Ok(()));
    let unbounded = program.unbounded.as_deref().expect("a template");
    let refused = |what: &str, damaged: &Crowd| {
        assert!(checked(program, damaged).is_err(), "{what} is accepted");
    };
    for standing in crowd.regions.keys() {
        let mut damaged = crowd.clone();
        damaged.regions.remove(standing);
        refused("a missing region", &damaged);
    }
    let mut anything = crowd.clone();
    let truth = anything.terms.bool(true);
    anything.regions.values_mut().for_each(|region| *region = truth);
    refused("nothing", &anything);
    let mut one = crowd.clone();
    one.copies = 3 - crowd.copies;
    refused("another number of copies", &one);
    let mut none = crowd.clone();
    none.copies = 0;
    refused("no copies", &none);
    for counter in 0..crowd.counters.len() {
        let mut damaged = crowd.clone();
        let entries = unbounded.twins.iter().map(|twins| unbounded.thread(twins.threads[0]).entry);
        damaged.counters[counter].locations.extend(entries);
        refused("counting the entries", &damaged);
        let mut damaged = crowd.clone();
        damaged.counters[counter].var = regrain::term::VarId::new(0);
        refused("a counter that is a variable of the program", &damaged);
        let mut damaged = crowd.clone();
        damaged.counters[counter].locations = BTreeSet::from([LocId::new(0)]);
        refused("counting something else", &damaged);
    }
    let mut other = program.clone();
    other.unbounded = None;
    assert_eq!(checked(&other, crowd), Err(Flaw::Crowd(Defect::Template)));
    let mut single = program.clone();
    let mut fewer = unbounded.clone();
    fewer.twins.clear();
    single.unbounded = Some(fewer.into());
    assert_eq!(checked(&single, crowd), Err(Flaw::Crowd(Defect::Template)));
}

#[test]
fn damaged_certificates_are_refused() {
    for text in [SPINNING, POOL] {
        let program = workers("damaged", text);
        damages(&program, &certificate(&program));
    }
}

/// A certificate of one program does not prove another one.
#[test]
fn a_certificate_is_for_its_program() {
    let safe = workers("safe", "int x = 0; void *worker(void *arg) { x = 1; assert(x == 1); return 0; }");
    let crowd = certificate(&safe);
    let text = "int x = 0; void *worker(void *arg) { x = 2; assert(x == 1); return 0; }";
    assert!(checked(&workers("unsafe", text), &crowd).is_err());
}

/// Some of the tasks of `benchmarks/templates`: those that take little time.
#[test]
fn templates_get_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/templates");
    for name in ["tas_lock", "monotone_flag", "barrier", "once", "leader", "greatest", "publish", "token"] {
        for (suffix, engine) in [("", Engine::Crowd), ("_unsafe", Engine::Auto)] {
            let task = task::read_task(&folder.join(format!("{name}{suffix}.yml"))).expect("a task");
            let options = Options { property: task.property, ..Options::default() };
            let program = frontend::load(&task.input, &options).expect("a program");
            let found = safety(&answer(&program, engine, &limited(60_000)));
            assert_eq!(found, task.expected, "{name}{suffix}");
        }
    }
}

// ---- random templates

/// The text of a worker over three shared truth values and one of its own.
fn random_worker(random: &mut Random) -> String {
    let mut text = "_Bool a = 0, b = 0, c = 0;\nvoid *worker(void *arg) { _Bool l = 0;\n".to_owned();
    let shared = ["a", "b", "c"];
    let statements = 3 + random.below(4);
    let asserted = random.below(statements);
    for at in 0..statements {
        let (g, h) = (random.pick(&shared), random.pick(&shared));
        let (k, other) = (random.below(2), random.below(2));
        let _ = match random.below(7) {
            _ if at == asserted => writeln!(text, "if (l == {k}) assert({g} == {other});"),
            0 => writeln!(text, "{g} = {k};"),
            1 => writeln!(text, "{g} = {h};"),
            2 => writeln!(text, "l = {g};"),
            3 => writeln!(text, "if (l) {g} = {k}; else {h} = {other};"),
            4 => writeln!(text, "if ({g} == {k}) return 0;"),
            _ => writeln!(
                text,
                "__VERIFIER_atomic_begin(); __VERIFIER_assume({g} == {k}); {h} = {other}; {g} = !{g}; __VERIFIER_atomic_end();"
            ),
        };
    }
    text + "return 0; }\n"
}

/// What is proved for any number of threads holds of one to four.
#[test]
fn random_templates_agree_with_few_threads() {
    let mut random = Random::new(14);
    let (mut proved, mut violated) = (0, 0);
    for round in 0..40 {
        let text = random_worker(&mut random);
        let many = workers(&format!("many-{round}"), &text);
        let found = safety(&answer(&many, Engine::Crowd, &limited(2_000)));
        assert_ne!(found, Some(false), "{text}");
        proved += usize::from(found == Some(true));
        let few = (1..=4).find(|&count| {
            let create = "pthread_create(&t, 0, worker, 0); ".repeat(count);
            let few = program(
                &format!("few-{round}"),
                &format!("{text}int main(void) {{ pthread_t t; {create} }}"),
            );
            safety(&answer(&few, Engine::Explore, &Settings::default())) == Some(false)
        });
        violated += usize::from(few.is_some());
        assert!(found.is_none() || few.is_none(), "proved, but violated by {few:?} threads:\n{text}");
    }
    assert!(proved > 3 && violated > 3, "{proved} proved, {violated} violated");
}
