//! Floating point: exact where states are enumerated, by a theory where they are not, and never guessed.

use regrain::frontend::DataModel;
use regrain::program::MemoryModel;
use regrain::verify::Engine;

use super::{MODELS, Source, refused, said, two_threads};

/// `explore` has this verdict under every model; `scar` has none, and `cegar` and `impact` do not say
/// otherwise.
#[track_caller]
fn check(name: &str, expected: &str, text: &str) {
    let source = Source::new(name, &format!("#include <math.h>\n{text}"));
    for model in MODELS {
        let program =
            source.load(model, DataModel::Lp64).unwrap_or_else(|message| panic!("{name}: {message}"));
        assert_eq!(said(&program, Engine::Explore, model, 60), expected, "{name}: explore under {model:?}");
    }
    let program = source.load(MemoryModel::Sc, DataModel::Lp64).expect("just loaded");
    for engine in [Engine::Cegar, Engine::Impact, Engine::Scar] {
        let found = said(&program, engine, MemoryModel::Sc, 3);
        assert!(found == expected || found == "unknown", "{name}: {} says {found}", engine.name());
    }
}

/// The verdict of `impact`, which decides inputs of any size.
#[track_caller]
fn decided(name: &str, expected: &str, text: &str) {
    let source = Source::new(name, text);
    let program = source.load(MemoryModel::Sc, DataModel::Lp64).expect("the program is accepted");
    assert_eq!(said(&program, Engine::Impact, MemoryModel::Sc, 120), expected, "{name}");
    assert_eq!(said(&program, Engine::Scar, MemoryModel::Sc, 60), "unknown", "{name}");
}

/// What `main` does with two numbers that are not known before it runs.
fn alone(body: &str) -> String {
    format!(
        "double zero, one = 1; float third; int main(void) {{ zero = 0; one = 1; third = 1.0f / 3; {body} return 0; }}"
    )
}

#[test]
fn rounding_zeros_and_nans() {
    let body = "assert(0.1 + 0.2 * one != 0.3); assert((float)(0.1f + 0.2f * one) != 0.25f);
        assert(one / zero == INFINITY && -one / zero == -INFINITY);
        double nan = zero / zero; assert(nan != nan && !(nan < one) && !(nan >= one) && isnan(nan));
        double minus = -zero; assert(minus == zero && !minus && signbit(minus) && one / minus < 0);
        assert(third * 3 == 1 && third != 1.0 / 3); if (nan) zero = 1; assert(zero);";
    check("float_values", "true", &alone(body));
    check("float_rounded", "false", &alone("assert(0.1 + 0.2 * one == 0.3);"));
    check("float_nan_equal", "false", &alone("double nan = zero / zero; assert(nan == nan);"));
}

#[test]
fn conversions() {
    let body = "int i = 7; i *= 1.5 * one; assert(i == 10); unsigned u = 3000000000.0 * one; assert(u == 3000000000u);
        assert((int)(-2.9 * one) == -2); long big = 16777217; assert((float)big == 16777216.0f && (double)big == 16777217.0);
        unsigned long top = -1ul; assert((double)top == 18446744073709551616.0); float f = one; f++; assert(f-- == 2 && f == 1);
        _Bool b = 0.25 * one; assert(b); b = zero; assert(!b); char c = 65.9 * one; assert(c == 65);
        union { double d; unsigned long long u; } x; x.d = one; assert(x.u == 0x3ff0000000000000ull);
        float h = 0x1.8p1f; assert(h == 3);";
    check("float_conversions", "true", &alone(body));
    check("float_truncated", "false", &alone("int i = 7; i *= 1.5 * one; assert(i == 11);"));
    check("float_too_large", "unknown", &alone("double d = 1e20 * one; int i = (int)d; assert(i || !i);"));
}

#[test]
fn functions_that_are_exact() {
    let body = "assert(fabs(-2.5 * one) == 2.5 && sqrt(2 * one) == 1.4142135623730951 && sqrtf(4.0f * third) > 1);
        assert(floor(-1.5 * one) == -2 && ceil(1.2 * one) == 2 && round(2.5 * one) == 3 && trunc(-1.5 * one) == -1);
        assert(signbit(ceil(-0.5 * one)) && fmax(NAN, one) == 1 && copysign(3, -one) == -3 && isinf(one / zero));";
    check("float_functions", "true", &alone(body));
    let more = "#include <math.h>\ndouble x; int main(void) { x = 1; return pow(x, 0.5) > 0; }";
    refused("float_pow", "`pow` has no body", more);
}

#[test]
fn threads_that_add() {
    let globals = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; double sum;";
    let locked = "pthread_mutex_lock(&m); sum += 0.5; pthread_mutex_unlock(&m);";
    check("float_locked", "true", &two_threads(globals, locked, locked, "assert(sum == 1.0);"));
    check("float_race", "false", &two_threads(globals, "sum += 0.5;", "sum += 0.5;", "assert(sum == 1.0);"));
    let atomic = "_Atomic double sum;";
    check("float_atomic", "true", &two_threads(atomic, "sum += 0.5;", "sum += 0.5;", "assert(sum == 1.0);"));
}

#[test]
fn inputs_by_the_theory() {
    let input = "float nondet_float(void); double nondet_double(void);";
    let range =
        "float x = nondet_float(); if (!(x >= 0 && x <= 10)) return 0; float y = x * 2; int i = (int)x;";
    let text = |asserted: &str| format!("{input} int main(void) {{ {range} {asserted} return 0; }}");
    decided("float_input", "true", &text("assert(y >= x && y <= 20 && i >= 0 && i <= 10);"));
    decided("float_input_unsafe", "false", &text("assert(y < 20);"));
    let absorbed = "double x = nondet_double(); if (x != x) return 0; assert(x + 1 > x);";
    decided("float_absorbed", "false", &format!("{input} int main(void) {{ {absorbed} return 0; }}"));
}

#[test]
fn what_is_not_followed_is_refused() {
    refused("long_double", "long double", "long double x; int main(void) { x = 1; return 0; }");
    refused("float_complex", "_Complex", "double _Complex x; int main(void) { x = 1; return 0; }");
    refused("float_bits", "does not take", "double x; int main(void) { return x % 2; }");
    refused("float_pointer", "cannot be converted", "double x; int main(void) { int *p = x; return !p; }");
}
