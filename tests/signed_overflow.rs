//! One meaning of C for all engines: signed overflow under each of its meanings, wrap-around that C defines,
//! and other undefined behaviour.

use crate::command::Scratch;

const HEADERS: &str = "#include <assert.h>\n#include <limits.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n";

const ENGINES: [&str; 4] = ["auto", "explore", "scar", "cegar"];
const MEANINGS: [&str; 3] = ["assume", "wrap", "error"];
const FALSE: &str = "Verdict: false(unreach-call)";
const OVERFLOW: &str = "Verdict: false(no-overflow)";
const TRUE: &str = "Verdict: true";

struct Program {
    scratch: Scratch,
}

impl Program {
    fn new(name: &str, text: &str) -> Program {
        Program { scratch: Scratch::new(name).with("p.c", &format!("{HEADERS}{text}")) }
    }

    fn verdict(&self, engine: &str, options: &str) -> String {
        let ran = self.scratch.run(&format!("verify --quiet --engine {engine} {options} p.c"));
        ran.last_line().to_owned()
    }

    /// All engines give the verdict.
    #[track_caller]
    fn check(&self, options: &str, expected: &str) {
        for engine in ENGINES {
            assert_eq!(self.verdict(engine, options), expected, "{engine} {options}");
        }
    }

    /// All engines give these verdicts under the three meanings of overflow.
    #[track_caller]
    fn check_each(&self, expected: [&str; 3]) {
        for (meaning, expected) in MEANINGS.into_iter().zip(expected) {
            self.check(&format!("--signed-overflow {meaning}"), expected);
        }
    }
}

/// The input is too large for `explore` to try all its values, but what it tries decides the rest.
#[test]
fn a_number_is_less_than_its_successor() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); assert(x + 1 > x); }";
    let program = Program::new("successor", text);
    for engine in ["auto", "scar", "cegar"] {
        assert_eq!(program.verdict(engine, ""), TRUE, "{engine}");
    }
    assert!(program.verdict("explore", "").starts_with("Verdict: unknown (inputs too large"));
    program.check("--signed-overflow wrap", FALSE);
    program.check("--signed-overflow error", OVERFLOW);
}

#[test]
fn a_loop_up_to_the_greatest_number() {
    for rounds in [20, 24, 100] {
        let text =
            format!("int main(void) {{ int x = INT_MAX - {rounds}; while (1) {{ x++; assert(x > 0); }} }}");
        let program = Program::new(&format!("loop{rounds}"), &text);
        program.check("", TRUE);
        program.check("--signed-overflow error", OVERFLOW);
        if rounds == 20 {
            program.check("--signed-overflow wrap", FALSE);
        }
    }
}

/// Operators in the words that they are computed in, right at the limits.
#[test]
fn each_operator_overflows() {
    for (name, text) in [
        ("add", "int x = INT_MAX, y = 1; int z = x + y; assert(z != INT_MIN);"),
        ("sub", "int x = INT_MIN, y = 1; int z = x - y; assert(z != INT_MAX);"),
        ("mul", "int x = 65536, y = 65536; int z = x * y; assert(z != 0);"),
        ("neg", "int x = INT_MIN; int z = -x; assert(z != INT_MIN);"),
        ("shl", "int x = 1; int z = x << 31; assert(z != INT_MIN);"),
        ("div", "int x = INT_MIN, y = -1; int z = x / y; assert(z != INT_MIN);"),
        ("rem", "int x = INT_MIN, y = -1; int z = x % y; assert(z != 0);"),
        ("dec", "int x = INT_MIN; x--; assert(x != INT_MAX);"),
        ("compound", "int x = INT_MAX; x += 2; assert(x != INT_MIN + 1);"),
        ("wide", "long x = LONG_MAX, y = 2; long z = x * y; assert(z != -2);"),
        ("widesum", "long x = LONG_MAX, y = __VERIFIER_nondet_bool(); long z = x + y; assert(z > 0);"),
    ] {
        let program = Program::new(name, &format!("int main(void) {{ {text} }}"));
        program.check_each([TRUE, FALSE, OVERFLOW]);
    }
}

/// What C computes in `int` and converts back, atomic operations, and conversions wrap, whatever overflow
/// means.
#[test]
fn what_c_makes_wrap_wraps() {
    for (name, text) in [
        ("short", "short x = 32760; while (1) { x++; assert(x > 0); }"),
        ("char", "signed char x = 120; while (1) { x += 3; assert(x > 0); }"),
        ("bits", "struct { int b : 4; } s = { 5 }; while (1) { s.b++; assert(s.b > 0); }"),
        (
            "fetch",
            "static atomic_int x = INT_MAX - 3; while (1) { int o = atomic_fetch_add(&x, 1); assert(o > 0); }",
        ),
        (
            "builtin",
            "static int x = INT_MIN + 3; while (1) { int o = __atomic_sub_fetch(&x, 1, 5); assert(o < 0); }",
        ),
        (
            "sync",
            "static int x = INT_MAX - 3; while (1) { int o = __sync_add_and_fetch(&x, 1); assert(o > 0); }",
        ),
        ("convert", "unsigned u = __VERIFIER_nondet_uint(); int i = (int)u; assert(i >= 0);"),
        (
            "narrow",
            "int x = __VERIFIER_nondet_int(); signed char c = (signed char)x; if (x > 0) assert(c >= 0);",
        ),
    ] {
        let program = Program::new(name, &format!("int main(void) {{ {text} }}"));
        program.check_each([FALSE; 3]);
    }
}

/// An operand that is not computed does not overflow.
#[test]
fn conditions_keep_operands_from_overflowing() {
    let text = "int main(void) {\n\
        int x = __VERIFIER_nondet_int();\n\
        int y = x < INT_MAX && x + 1 > x;\n\
        int z = x < INT_MAX ? x + 1 : 7;\n\
        if ((x == INT_MIN || -x <= INT_MAX) && z == 7) z = 8;\n\
        assert(x != INT_MAX || y);\n}";
    let program = Program::new("conditions", text);
    program.check("--signed-overflow assume", FALSE);
    program.check("--signed-overflow wrap", FALSE);
    let held = text.replace("|| y", "|| z == 8");
    let program = Program::new("conditions-held", &held);
    for meaning in MEANINGS {
        for engine in ["scar", "cegar"] {
            assert_eq!(program.verdict(engine, &format!("--signed-overflow {meaning}")), TRUE, "{meaning}");
        }
    }
}

/// A run ends at the overflow: what comes after it in the thread is not considered, what others see before it
/// is.
#[test]
fn others_see_what_was_written_before_an_overflow() {
    let text = |asserted: &str| {
        format!(
            "int flag, z = INT_MAX;\n\
             void *t(void *a) {{ flag = 1; z++; flag = 2; return 0; }}\n\
             int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); assert({asserted}); }}"
        )
    };
    Program::new("before", &text("flag != 1")).check("", FALSE);
    let after = Program::new("after", &text("flag != 2"));
    after.check("", TRUE);
    after.check("--signed-overflow wrap", FALSE);
}

/// Counters that nobody reads are sliced away. A violation is told if it is there before they overflow.
#[test]
fn violations_beyond_an_overflow_in_what_nobody_reads_are_not_told() {
    let text = |limit: u32| {
        format!(
            "int main(void) {{ unsigned n = 0; int k = 1; while (1) {{ k = k * 2; n++; assert(n < {limit}); }} }}"
        )
    };
    Program::new("sliced-near", &text(20)).check("", FALSE);
    let far = Program::new("sliced-far", &text(40));
    for engine in ENGINES {
        let verdict = far.verdict(engine, "");
        let expected = "Verdict: unknown (a violation may need signed overflow at p.c:";
        assert!(verdict.starts_with(expected), "{engine}: {verdict}");
    }
    far.check("--signed-overflow wrap", FALSE);
}

#[test]
fn the_assumption_is_named_where_it_matters() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); assert(x + 1 > x); }";
    let program = Program::new("named", text);
    let ran = program.scratch.run("verify --quiet --engine scar p.c");
    assert!(ran.stdout.ends_with("Assuming: no signed overflow\nVerdict: true\n"), "{}", ran.stdout);
    let ran = program.scratch.run("verify --quiet --engine scar --format json p.c");
    assert!(ran.stdout.contains("\"assuming\": [\n    \"no signed overflow\"\n  ]"), "{}", ran.stdout);
    let ran = program.scratch.run("verify --quiet --engine explore p.c");
    assert!(ran.stdout.contains("Signed overflow: reachable at p.c:8:"), "{}", ran.stdout);
    let plain =
        Program::new("plain", "int main(void) { short x = __VERIFIER_nondet_int(); assert(x + 1 > x); }");
    let ran = plain.scratch.run("verify --quiet --engine scar p.c");
    assert!(!ran.stdout.contains("Assuming") && ran.last_line() == TRUE, "{}", ran.stdout);
}

#[test]
fn a_property_file_asks_for_overflow() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0) assert(0); x = x * 3; }";
    let program = Program::new("property", text);
    let property = "CHECK( init(main()), LTL(G ! overflow) )\n";
    let program = Program { scratch: program.scratch.with("no-overflow.prp", property) };
    program.check("--property no-overflow.prp", OVERFLOW);
}

#[test]
fn undefined_behaviour_ends_runs_where_it_is_assumed_away() {
    let text = "int d;\n\
        void *t(void *a) { d = 1; d = 0; return 0; }\n\
        int main(void) { pthread_t p; d = 2; pthread_create(&p, 0, t, 0); int x = d; int y = 8 / x; assert(y >= 4); }";
    let program = Program::new("undefined", text);
    for engine in ENGINES {
        let ran = program.scratch.run(&format!("verify --quiet --engine {engine} p.c"));
        let expected = "Verdict: unknown (undefined behaviour is reachable: division by zero at p.c:10";
        assert!(ran.last_line().starts_with(expected), "{engine}: {}", ran.stdout);
        // The run is shown.
        let first = "undefined behaviour: division by zero at p.c:10, in thread main\n";
        assert!(ran.stdout.starts_with(first), "{engine}: {}", ran.stdout);
        assert!(ran.stdout.contains("reads d = 0 from t line 9"), "{engine}: {}", ran.stdout);
    }
    program.check("--undefined-behaviour assume", TRUE);
    let program = Program::new("defined", &text.replace("y >= 4", "y == 4"));
    program.check("--undefined-behaviour assume", FALSE);
}
