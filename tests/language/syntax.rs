//! What C allows to write and few programs do.

use regrain::program::MemoryModel;
use regrain::verify::Engine;

use super::{DataModel, Source, check, said};

#[test]
fn identifiers_outside_ascii() {
    let text = "int größe = 3; struct ñ { int π; };
                int 変数(int été) { return été + größe; }
                int main(void) { struct ñ v = { 4 }; assert(変数(1) == v.π); return 0; }";
    check("utf8", "true", text);
    check("utf8_unsafe", "false", &text.replace("größe = 3", "größe = 2"));
}

#[test]
fn parameters_may_have_the_names_of_types() {
    let text = "typedef int T; typedef unsigned long size;
                int f(int T, size size) { T = T + 1; return T + (int)size; }
                int g(T T) { return T * 2; }
                int main(void) { assert(f(1, 2) + g(2) == 8); { int T = 3; assert(T * T == 9); } T x = 1; assert(x); }";
    check("shadowed", "true", text);
    check("shadowed_unsafe", "false", &text.replace("== 8", "== 7"));
}

#[test]
fn arrays_in_values() {
    let text = "struct S { int a[3]; struct { char c[2][2]; } in; };
                struct S f(int k) {
                    struct S s = { { k, k + 1, k + 2 }, { { { 1, 2 }, { 3, 4 } } } };
                    return s;
                }
                int main(void) {
                    int i = 1;
                    struct S t;
                    assert(f(5).a[i] == 6 && *f(7).a == 7 && f(0).in.c[i][1] == 4);
                    assert((i ? f(3) : f(4)).a[0] == 3 && (t = f(9)).a[i] == 10);
                    return 0;
                }";
    check("array_in_value", "true", text);
    check("array_in_value_unsafe", "false", &text.replace("== 6", "== 5"));
}

#[test]
fn steps_of_truth_values() {
    let text = "struct { _Bool b; _Bool e[2]; _Bool f : 1; } s;
                _Bool a[3], *p = &a[1];
                int main(void) {
                    _Bool first = a[0]++, second = a[0]++, third = a[0]--, fourth = a[0]--;
                    assert(!first && second && third && !fourth && a[0]);
                    first = s.b--; second = s.e[1]++; third = (*p)--; fourth = s.f++;
                    assert(!first && !second && !third && !fourth && s.b && s.e[1] == 1 && *p && s.f);
                    assert(s.f-- && !s.f && ++s.e[0] == 1 && --s.e[0] == 0);
                    return 0;
                }";
    check("bool_steps", "true", text);
    check("bool_steps_unsafe", "false", &text.replace("&& !s.f &&", "&& s.f &&"));
}

#[test]
fn expressions_of_two_thousand_operands() {
    let sum = vec!["a"; 2_000].join(" + ");
    for (name, total, expected) in [("long_sum", 2_000, "true"), ("long_sum_unsafe", 1_999, "false")] {
        let text = format!("int main(void) {{ unsigned a = 1; assert({sum} == {total}); return 0; }}");
        let program = Source::new(name, &text).load(MemoryModel::Sc, DataModel::Lp64).expect("a program");
        for engine in [Engine::Explore, Engine::Scar] {
            assert_eq!(said(&program, engine, MemoryModel::Sc, 60), expected, "{name}: {}", engine.name());
        }
    }
}

#[test]
fn dollars_and_their_spellings_differ() {
    let text = "int a$b = 1, a_u24_b = 2, a__u75_24_b = 3, $ = 4, _u24_ = 5; int main(void) { a$b++; assert(a$b == 2 && a_u24_b == 2 && a__u75_24_b == 3 && $ == 4 && _u24_ == 5); }";
    check("dollars", "true", text);
    check("dollars_unsafe", "false", &text.replace("a_u24_b == 2 &&", "a_u24_b == 3 &&"));
}

#[test]
fn arrays_of_several_variable_dimensions() {
    let text = "int f(int n, int m) { int a[n][m], s = 0; m = 9;
                    for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) a[i][j] = 10 * i + j;
                    for (int i = 0; i < n; i++) s += a[i][2];
                    assert(sizeof a == n * 3 * sizeof(int) && sizeof a[0] == 12 && &a[1] - &a[0] == 1 && sizeof(int[n][m]) == n * 36ul);
                    return s; }
                int g(int n, int m, int a[n][m], int (*b)[m]) { m = 0; return a[1][2] + b[0][1] + (a + 1)[0][0] + *(*(b + 1)); }
                int h(int m, int a[][2][m]) { return a[1][1][0]; }
                int main(void) {
                    assert(f(2, 3) == 2 + 12);
                    int b[2][3] = {{1, 2, 3}, {4, 5, 6}}, c[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, n = 2, m = 2;
                    assert(g(2, 3, b, b) == 6 + 2 + 4 + 4 && h(m, c) == 7);
                    int (*p)[m] = malloc(n * sizeof *p); p[1][1] = 4; p[0][1] = 3; assert(p[1][1] == 4 && p[0][1] == 3 && sizeof *p == 8);
                    typedef int row[m]; m = 5; row r[2]; r[1][1] = 3; assert(sizeof(row) == 8 && sizeof r == 16 && r[1][1] == 3);
                    int k[3][n]; k[2][1] = 1; assert(sizeof k == 24 && k[2][1] == 1);
                    assert(((int (*)[n])b)[2][1] == 6); }";
    check("variable_dimensions", "true", text);
    check("variable_dimensions_unsafe", "false", &text.replace("p[0][1] == 3 &&", "p[0][1] == 4 &&"));
    check(
        "beyond_the_end",
        "unknown",
        "int main(void) { int n = 2; if (n) n = 3; int a[n][2]; a[3][0] = 1; return 0; }",
    );
}

#[test]
fn more_than_128_threads() {
    let text = "void *work(void *arg) { return 0; }
                int main(void) {
                    pthread_t all[130];
                    for (int i = 0; i < 130; i++) pthread_create(&all[i], 0, work, 0);
                    assert(all[0] != all[129]);
                    return 0;
                }";
    let program =
        Source::new("threads", text).load(MemoryModel::Sc, DataModel::Lp64).expect("so many are allowed");
    assert_eq!(said(&program, Engine::Scar, MemoryModel::Sc, 60), "true");
}
