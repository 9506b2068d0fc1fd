//! Memory that is accessed at several widths. Under TSO and PSO what a store to some bytes of a shared cell does is not followed: there may be no
//! answer then, neither a right nor a wrong one.

use regrain::engine::Claim;
use regrain::frontend::DataModel;
use regrain::program::MemoryModel;
use regrain::verify::{Engine, Settings};

use super::{MODELS, Source, answer, said, two_threads};

const UNION: &str = "union { int i; char c[4]; } u; int r = 1;";

/// The verdict of each engine under SC, TSO and PSO.
#[track_caller]
fn check(name: &str, expected: [&str; 3], text: &str) {
    let source = Source::new(name, text);
    for (model, expected) in MODELS.into_iter().zip(expected) {
        let program =
            source.load(model, DataModel::Lp64).unwrap_or_else(|message| panic!("{name}: {message}"));
        for engine in [Engine::Explore, Engine::Scar, Engine::Auto] {
            let found = said(&program, engine, model, 60);
            assert_eq!(found, expected, "{name}: {} under {model:?}", engine.name());
        }
    }
}

/// Decided under SC alone.
fn sc_alone(expected: &str) -> [&str; 3] {
    [expected, "unknown", "unknown"]
}

#[test]
fn neighbours_of_a_byte_are_not_lost() {
    let after = "assert(u.c[0] == 1 && u.c[1] == 1 && u.i == 0x101);";
    check("bytes", sc_alone("true"), &two_threads(UNION, "u.c[0] = 1;", "u.c[1] = 1;", after));
    let after = "assert(u.i == 0);";
    check("bytes_unsafe", sc_alone("false"), &two_threads(UNION, "u.c[0] = 1;", "u.c[1] = 1;", after));
}

#[test]
fn a_thread_reads_its_own_bytes() {
    let left = "u.c[0] = 1; r = u.c[0];";
    let after = "int i = u.i; assert(r == 1 && i > 0);";
    check("own_byte", sc_alone("true"), &two_threads(UNION, left, "u.c[1] = 1;", after));
}

#[test]
fn bytes_overtake_each_other_under_pso() {
    let right = "int flag = u.c[1], data = u.c[0]; assert(!flag || data);";
    let text = two_threads(UNION, "u.c[0] = 1; u.c[1] = 1;", right, "assert(u.i > 0);");
    check("message_in_bytes", sc_alone("true"), &text);
}

#[test]
fn buffers_of_bytes() {
    let globals = "char *buffer; int r;";
    let text = format!(
        "{globals}
         void *worker(void *arg) {{ buffer[1] = 1; return 0; }}
         int main(void) {{
             buffer = malloc(8);
             *(int *)buffer = 0;
             pthread_t a;
             pthread_create(&a, 0, worker, 0);
             buffer[0] = 1;
             pthread_join(a, 0);
             assert(*(int *)buffer == 0x101);
         }}"
    );
    check("buffer", sc_alone("true"), &text);
}

#[test]
fn packed_members_that_straddle() {
    let globals = "union { struct { short a; int b; } __attribute__((packed)) s; int c; } u;";
    let text = two_threads(globals, "u.s.a = 1;", "u.s.b = 1;", "assert(u.s.a == 1 && u.s.b == 1 && u.c);");
    check("straddle", sc_alone("true"), &text);
}

#[test]
fn what_one_thread_uses_is_decided() {
    let left = "u.c[0] = 1; u.c[1] = 1; assert(u.i == 0x101);";
    check("private", ["true"; 3], &two_threads(UNION, left, "r = 0;", "assert(r == 0);"));
    let left = "u.c[0] = 1; u.c[1] = 1; assert(u.i == 1);";
    check("private_unsafe", ["false"; 3], &two_threads(UNION, left, "r = 0;", "assert(r == 0);"));
}

#[test]
fn main_is_alone_until_it_creates_a_thread() {
    let text = |expected: &str| {
        format!(
            "{UNION}
             void *reader(void *arg) {{ assert(u.i == {expected}); return 0; }}
             int main(void) {{
                 u.c[0] = 1; u.c[1] = 1;
                 pthread_t a, b;
                 pthread_create(&a, 0, reader, 0);
                 pthread_create(&b, 0, reader, 0);
             }}"
        )
    };
    check("alone", ["true"; 3], &text("0x101"));
    check("alone_unsafe", ["false"; 3], &text("1"));
}

#[test]
fn stores_of_whole_cells_are_decided() {
    let after = "assert(u.c[0] == 1 || u.c[0] == 2);";
    check("whole", ["true"; 3], &two_threads(UNION, "u.i = 1;", "u.i = 2;", after));
    let right = "int flag = r, data = u.c[0]; assert(flag || data);";
    check("whole_message", ["true", "true", "false"], &two_threads(UNION, "u.i = 1; r = 0;", right, ""));
}

#[test]
fn a_bit_field_with_a_unit_of_its_own_is_decided() {
    let field = "struct { unsigned a : 4, b : 4; } s;";
    let after = "assert(s.a == 1 && s.b == 1);";
    check("unit", ["false"; 3], &two_threads(field, "s.a = 1;", "s.b = 1;", after));
    check("unit_read", ["true"; 3], &two_threads(field, "s.a = 1; assert(s.a == 1);", "(void)s.b;", ""));
}

#[test]
fn atomic_bytes_work_on_memory() {
    let left = "__atomic_fetch_add(&u.c[0], 1, __ATOMIC_SEQ_CST);";
    let right = "__atomic_fetch_add(&u.c[1], 1, __ATOMIC_SEQ_CST);";
    check("atomic_bytes", ["true"; 3], &two_threads(UNION, left, right, "assert(u.i == 0x101);"));
}

#[test]
fn a_violation_before_such_a_store_counts() {
    let text = two_threads(UNION, "r = 0; u.c[0] = 1;", "assert(r);", "u.c[1] = 1;");
    check("before", ["false"; 3], &text);
}

#[test]
fn the_reason_names_object_and_line() {
    let source = Source::new("reason", &two_threads(UNION, "u.c[0] = 1;", "u.c[1] = 1;", "assert(u.i);"));
    let program = source.load(MemoryModel::Tso, DataModel::Lp64).expect("a program");
    let settings = Settings { memory_model: MemoryModel::Tso, ..Settings::default() };
    for engine in [Engine::Explore, Engine::Scar] {
        let found = answer(&program, engine, &settings);
        let Claim::Unknown(reason) = found.claim() else { panic!("{} decides", engine.name()) };
        assert!(reason.summary.contains("some bytes of `u.i`"), "{}", reason.summary);
        assert!(reason.summary.contains("reason.c:6"), "{}", reason.summary);
    }
}
