//! Inputs that are truth values: failures of a weak compare-exchange for no reason, `_Bool` inputs,
//! unspecified flags.
//!
//! Each program has one verdict under all memory models, and every engine must find it. The ones that expect
//! `false` need both values of the input at once, or the one that is tried last.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::frontend;
use regrain::program::{MemoryModel, Program};
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};

const HEADERS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n\
    extern _Bool __VERIFIER_nondet_bool(void);\nextern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_assume(int);\n";

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

fn load(name: &str, text: &str, memory_model: MemoryModel) -> Program {
    let folder = std::env::temp_dir().join(format!("regrain-truth-inputs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let path = folder.join(name).with_extension("c");
    std::fs::write(&path, format!("{HEADERS}{text}")).expect("the program is written");
    let options = frontend::Options { memory_model, ..Default::default() };
    let program = frontend::load(&path, &options).expect("the front end knows it all");
    std::fs::remove_file(&path).expect("the program is removed");
    program
}

/// Each engine gives its verdict under every memory model that it knows; `scar` unrolls loops twice.
#[track_caller]
fn check_all(name: &str, text: &str, expected: [&str; 3]) {
    for memory_model in MODELS {
        let program = load(name, text, memory_model);
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        let settings = Settings { memory_model, budget, unwind: Some(2), ..Settings::default() };
        let engines = [Engine::Explore, Engine::Scar, Engine::Cegar].into_iter().zip(expected);
        for (engine, expected) in engines.filter(|(engine, _)| engine.knows(memory_model)) {
            let found = match safety(&answer(&program, engine, &settings)) {
                Some(true) => "true",
                Some(false) => "false",
                None => "unknown",
            };
            assert_eq!(found, expected, "{name}: {} under {memory_model:?}", engine.name());
        }
    }
}

#[track_caller]
fn check(name: &str, expected: &str, text: &str) {
    check_all(name, text, [expected; 3]);
}

/// A program whose `main` is this.
#[track_caller]
fn main_is(name: &str, expected: &str, body: &str) {
    check(name, expected, &format!("atomic_int x; int y;\nint main(void) {{ {body} return 0; }}\n"));
}

#[test]
fn a_weak_exchange_succeeds_or_fails() {
    main_is("succeeds", "false", "int o = 0; if (atomic_compare_exchange_weak(&x, &o, 1)) assert(0);");
    main_is("fails", "false", "int o = 0; if (!atomic_compare_exchange_weak(&x, &o, 1)) assert(0);");
    main_is("differs", "true", "int o = 2; if (atomic_compare_exchange_weak(&x, &o, 1)) assert(0);");
    main_is(
        "keeps",
        "true",
        "int o = 0; if (!atomic_compare_exchange_weak(&x, &o, 1)) assert(x == 0 && o == 0);",
    );
    main_is(
        "explicit",
        "false",
        "int o = 0; if (atomic_compare_exchange_weak_explicit(&x, &o, 1, 5, 0)) assert(x != 1);",
    );
    main_is("strong", "true", "int o = 0; if (!atomic_compare_exchange_strong(&x, &o, 1)) assert(0);");
}

#[test]
fn the_builtins_are_weak_when_asked_to_be() {
    let one =
        |name, expected, call| main_is(name, expected, &format!("int o = 0, v = 1; if (!{call}) assert(0);"));
    one("gnu_strong", "true", "__atomic_compare_exchange_n(&y, &o, 1, 0, 5, 5)");
    one("gnu_weak", "false", "__atomic_compare_exchange_n(&y, &o, 1, 1, 5, 5)");
    one("gnu_true", "false", "__atomic_compare_exchange_n(&y, &o, 1, 2 > 1, 5, 5)");
    one("gnu_pointers_strong", "true", "__atomic_compare_exchange(&y, &o, &v, 0, 5, 5)");
    one("gnu_pointers_weak", "false", "__atomic_compare_exchange(&y, &o, &v, 1, 5, 5)");
    one("clang_strong", "true", "__c11_atomic_compare_exchange_strong(&x, &o, 1, 5, 5)");
    one("clang_weak", "false", "__c11_atomic_compare_exchange_weak(&x, &o, 1, 5, 5)");
    one("sync", "true", "__sync_bool_compare_and_swap(&y, 0, 1)");
    one("variable_strong", "true", "__atomic_compare_exchange_n(&y, &o, 1, v == 0, 5, 5)");
    one("variable_weak", "false", "__atomic_compare_exchange_n(&y, &o, 1, v, 5, 5)");
    main_is(
        "either",
        "true",
        "int o = 0; bool w = __VERIFIER_nondet_bool();
        if (!__atomic_compare_exchange_n(&y, &o, 1, w, 5, 5)) assert(w && y == 0);",
    );
}

#[test]
fn a_weak_exchange_is_repeated_until_it_succeeds() {
    let counter = |expected: &str| {
        format!(
            "atomic_int x;
            void *add(void *a) {{
                int o = atomic_load(&x);
                while (!atomic_compare_exchange_weak(&x, &o, o + 1)) ;
                return 0;
            }}
            int main(void) {{
                pthread_t t;
                pthread_create(&t, 0, add, 0);
                add(0);
                pthread_join(t, 0);
                assert(x == {expected});
            }}"
        )
    };
    // A loop that may fail for ever has no bound, so that `scar` cannot answer `true`.
    check_all("counter", &counter("2"), ["true", "unknown", "true"]);
    check("counter_wrong", "false", &counter("1"));
}

#[test]
fn a_weak_exchange_beside_another_thread() {
    let beside = |condition: &str| {
        format!(
            "atomic_int x; int won[2];
            void *take(void *a) {{
                int o = 0;
                won[1] = atomic_compare_exchange_weak(&x, &o, 2);
                return 0;
            }}
            int main(void) {{
                pthread_t t;
                pthread_create(&t, 0, take, 0);
                int o = 0;
                won[0] = atomic_compare_exchange_weak(&x, &o, 1);
                pthread_join(t, 0);
                assert({condition});
            }}"
        )
    };
    check("beside_both", "true", &beside("!(won[0] && won[1])"));
    check("beside_first", "false", &beside("!won[0]"));
    check("beside_second", "false", &beside("!won[1]"));
    check("beside_none", "false", &beside("won[0] || won[1]"));
    check("beside_value", "true", &beside("won[0] ? x == 1 : won[1] ? x == 2 : x == 0"));
}

#[test]
fn a_truth_input_has_two_values() {
    main_is("guard", "false", "if (__VERIFIER_nondet_bool()) assert(0);");
    main_is("negated", "false", "if (!__VERIFIER_nondet_bool()) assert(0);");
    main_is("kept", "false", "bool b = __VERIFIER_nondet_bool(); y = b; if (b) assert(y != 1);");
    main_is(
        "two",
        "false",
        "bool a = __VERIFIER_nondet_bool(), b = __VERIFIER_nondet_bool(); assert(a == b);",
    );
    main_is(
        "other",
        "false",
        "bool a = __VERIFIER_nondet_bool(), b = __VERIFIER_nondet_bool(); assert(a != b);",
    );
    main_is("same", "true", "bool a = __VERIFIER_nondet_bool(), b = a; assert(a == b);");
    main_is("chosen", "false", "bool a = __VERIFIER_nondet_bool(); int i = a ? 5 : 7; assert(i == 7);");
    main_is("chosen_false", "false", "bool a = __VERIFIER_nondet_bool(); int i = a ? 5 : 7; assert(i == 5);");
    main_is("index", "false", "int a[2] = {3, 4}; assert(a[__VERIFIER_nondet_bool()] == 3);");
    main_is("index_first", "false", "int a[2] = {3, 4}; assert(a[__VERIFIER_nondet_bool()] == 4);");
    main_is(
        "index_any",
        "true",
        "int a[2] = {3, 4}; int i = a[__VERIFIER_nondet_bool()]; assert(i == 3 || i == 4);",
    );
    main_is("assumed", "true", "bool b = __VERIFIER_nondet_bool(); __VERIFIER_assume(b); assert(b);");
    main_is("compared", "false", "bool b = __VERIFIER_nondet_int() > 3; if (b) assert(0);");
    main_is(
        "arithmetic",
        "false",
        "y = __VERIFIER_nondet_bool() + __VERIFIER_nondet_bool(); assert(y != 2);",
    );
}
