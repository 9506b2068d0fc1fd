//! Memory that is accessed at several widths. A store to some bytes of a cell waits in the store buffer by
//! itself and touches these alone; a load takes each byte from the youngest store to it, in its thread's
//! buffer or in memory.

use regrain::frontend::DataModel;
use regrain::verify::Engine;

use super::{MODELS, Source, check_data_model, said, two_threads};

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

#[test]
fn neighbours_of_a_byte_are_not_lost() {
    let after = "assert(u.c[0] == 1 && u.c[1] == 1 && u.i == 0x101);";
    check("bytes", ["true"; 3], &two_threads(UNION, "u.c[0] = 1;", "u.c[1] = 1;", after));
    let after = "assert(u.i == 0);";
    check("bytes_unsafe", ["false"; 3], &two_threads(UNION, "u.c[0] = 1;", "u.c[1] = 1;", after));
}

#[test]
fn a_thread_reads_its_own_bytes() {
    let left = "u.c[0] = 1; r = u.c[0];";
    let after = "int i = u.i; assert(r == 1 && i > 0);";
    check("own_byte", ["true"; 3], &two_threads(UNION, left, "u.c[1] = 1;", after));
}

#[test]
fn bytes_overtake_each_other_under_pso() {
    let right = "int flag = u.c[1], data = u.c[0]; assert(!flag || data);";
    let text = two_threads(UNION, "u.c[0] = 1; u.c[1] = 1;", right, "assert(u.i > 0);");
    check("message_in_bytes", ["true", "true", "false"], &text);
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
    check("buffer", ["true"; 3], &text);
}

#[test]
fn packed_members_that_straddle() {
    let globals = "union { struct { short a; int b; } __attribute__((packed)) s; int c; } u;";
    let text = two_threads(globals, "u.s.a = 1;", "u.s.b = 1;", "assert(u.s.a == 1 && u.s.b == 1 && u.c);");
    check("straddle", ["true"; 3], &text);
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
fn narrow_loads_take_bytes_of_wide_stores() {
    let left = "u.i = 0x102; r = u.c[0] + u.c[1];";
    check("forward", ["true"; 3], &two_threads(UNION, left, "u.c[3] = 1;", "assert(r == 3);"));
    let left = "u.i = 0x102; u.c[0] = 5; r = u.i & 0xffff;";
    check("forward_both", ["true"; 3], &two_threads(UNION, left, "u.c[3] = 1;", "assert(r == 0x105);"));
}

#[test]
fn a_wide_load_mixes_the_buffer_with_memory() {
    let globals = "union { int i; char c[4]; } u; int r, s;";
    let text =
        two_threads(globals, "u.c[0] = 1; r = u.i;", "u.c[1] = 1; s = u.i;", "assert(r == 257 || s == 257);");
    check("mixed", ["true", "false", "false"], &text);
    let left = "u.c[0] = 1; __sync_synchronize(); r = u.i;";
    let right = "u.c[1] = 1; __sync_synchronize(); s = u.i;";
    check("mixed_fences", ["true"; 3], &two_threads(globals, left, right, "assert(r == 257 || s == 257);"));
}

#[test]
fn a_wide_store_reaches_memory_as_one() {
    let globals = "union { int i; short h[2]; char c[4]; } u;";
    let right = "int i = u.i; assert((i & 0xff) == (i >> 8 & 0xff));";
    check(
        "whole_store",
        ["true"; 3],
        &two_threads(globals, "u.h[0] = 0x101; u.h[0] = 0x202;", right, "u.c[0] = 1;"),
    );
    check("torn_by_bytes", ["false"; 3], &two_threads(globals, "u.c[0] = 1; u.c[1] = 1;", right, ""));
}

/// Under PSO stores with a common byte stay in order, and so do those on both sides of a store that overlaps
/// both.
#[test]
fn a_wide_store_keeps_narrow_ones_in_order() {
    let globals = "union { int i; short h[2]; char c[4]; } u; int r;";
    let left = "u.c[0] = 1; u.h[0] = 0x202; u.c[1] = 3;";
    let right = "int i = u.i; assert((i >> 8 & 0xff) != 3 || (i & 0xff) == 2);";
    check("chain", ["true"; 3], &two_threads(globals, left, right, ""));
    let left = "u.c[0] = 1; if (r) u.h[0] = 0x202; u.c[1] = 3;";
    let right = "int i = u.i; assert((i >> 8 & 0xff) != 3 || i & 0xff); r = 1;";
    check("chain_with_a_choice", ["true", "true", "false"], &two_threads(globals, left, right, ""));
    let left = "u.c[0] = 1; u.h[1] = 0x202; u.c[1] = 3;";
    check("no_chain", ["true", "true", "false"], &two_threads(globals, left, right, ""));
}

#[test]
fn bytes_at_indices_that_only_the_run_tells() {
    let globals = "union { int i[2]; char c[8]; } u; unsigned r; unsigned __VERIFIER_nondet_uint(void);";
    let left = "unsigned k = __VERIFIER_nondet_uint(); if (k < 8) { u.c[k] = 1; r = u.c[k]; } else r = 1;";
    let after = "assert(r == 1);";
    check("index", ["true"; 3], &two_threads(globals, left, "u.i[1] = 0x1010101;", after));
    let right = "u.c[5] = 1;";
    let after = "assert(u.i[0] == 0 || u.i[1] == 0x100);";
    check("index_other", ["true"; 3], &two_threads(globals, left, right, after));
}

#[test]
fn bit_fields_beside_bytes() {
    let globals = "union { struct { unsigned char a : 4, b : 4, c; } s; unsigned short w; } u;";
    let after = "assert(u.s.c == 7 && u.w >> 8 == 7);";
    check("unit_and_byte", ["true"; 3], &two_threads(globals, "u.s.a = 1;", "u.s.c = 7;", after));
    let after = "assert(u.w == 0x21);";
    check("one_unit", ["false"; 3], &two_threads(globals, "u.s.a = 1;", "u.s.b = 2;", after));
}

/// On a machine with words of 32 bits, and on one with wider ones.
#[track_caller]
fn check_words(name: &str, narrow: &str, wide: &str, text: &str) {
    check_data_model(&format!("{name}_ilp32"), DataModel::Ilp32, [narrow; 3], text);
    check_data_model(&format!("{name}_lp64"), DataModel::Lp64, [wide; 3], text);
}

#[test]
fn wide_integers_are_two_words_of_a_narrow_machine() {
    let globals = "long long x; pthread_mutex_t m;";
    let store = "x = 0x100000001;";
    let look = |unseen: &str| format!("long long seen = x; assert(seen != {unseen});");
    check_words("low_half", "false", "true", &two_threads(globals, store, &look("1"), ""));
    check_words("high_half", "false", "true", &two_threads(globals, store, &look("0x100000000"), ""));
    check_words(
        "neither",
        "true",
        "true",
        &two_threads(globals, store, &look("2"), "assert(x == 0x100000001);"),
    );
    let left = "pthread_mutex_lock(&m); x = 0x100000001; pthread_mutex_unlock(&m);";
    let right = format!("pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);", look("1"));
    check_words("locked", "true", "true", &two_threads(globals, left, &right, ""));
}

#[test]
fn plain_loads_and_stores_tear_atomic_ones_do_not() {
    let right = "long long seen = x; assert(seen == 0 || seen == 0x100000001);";
    let left = "__atomic_store_n(&x, 0x100000001, __ATOMIC_RELAXED);";
    check_words("torn_load", "false", "true", &two_threads("long long x;", left, right, ""));
    let right =
        "long long seen = __atomic_load_n(&x, __ATOMIC_RELAXED); assert(seen == 0 || seen == 0x100000001);";
    check_words("atomic_functions", "true", "true", &two_threads("long long x;", left, right, ""));
    check_words("torn_store", "false", "true", &two_threads("long long x;", "x = 0x100000001;", right, ""));
    let right = "long long seen = x; assert(seen == 0 || seen == 0x100000001);";
    check_words(
        "atomic",
        "true",
        "true",
        &two_threads("_Atomic long long x;", "x = 0x100000001;", right, ""),
    );
    let text = two_threads(
        "struct { char c; long long v[2]; } s;",
        "s.v[1]--;",
        "long long r = s.v[1]; assert(r == 0 || r == -1);",
        "",
    );
    check_words("member", "false", "true", &text);
}
