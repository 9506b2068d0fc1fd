//! The lives of locals: using an address after the function or block is left is undefined.

use super::check;

#[test]
fn addresses_of_locals_dangle_when_the_function_has_returned() {
    check(
        "returned_address",
        "unknown",
        "static int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { int *p = f(); assert(*p == 1); }",
    );
    check(
        "returned_parameter",
        "unknown",
        "static int *f(int x) { return &x; } int main(void) { *f(3) = 4; }",
    );
    check(
        "kept_by_the_caller",
        "true",
        "static int *f(int *p) { return p; } int main(void) { int x = 1; int *p = f(&x); *p = 2; assert(x == 2); }",
    );
    check(
        "stored_address",
        "unknown",
        "int *g; static void f(void) { int a[2] = {1, 2}; g = a; } int main(void) { f(); return g[1]; }",
    );
    check(
        "static_local",
        "true",
        "static int *f(void) { static int x = 1; return &x; } int main(void) { *f() = 2; assert(*f() == 2); }",
    );
}

#[test]
fn addresses_of_locals_dangle_when_the_block_is_left() {
    check("block_left", "unknown", "int main(void) { int *p; { int x = 1; p = &x; } assert(*p == 1); }");
    check("block_not_left", "true", "int main(void) { int *p; { int x = 1; p = &x; assert(*p == 1); } }");
    check(
        "each_round_anew",
        "true",
        "int main(void) { for (int i = 0; i < 3; i++) { int x = i; int *p = &x; (*p)++; assert(x == i + 1); } }",
    );
    check(
        "left_by_goto",
        "unknown",
        "int main(void) { int *p; { int x = 1; p = &x; goto out; } out: return *p; }",
    );
    check(
        "parameter_of_each_call",
        "true",
        "int g; static void f(int x) { int *p = &x; *p += 1; g += *p; }
         int main(void) { for (int i = 0; i < 2; i++) f(i); assert(g == 3); }",
    );
    check(
        "record_of_each_call",
        "true",
        "struct s { int v; }; int g; static void f(struct s x) { struct s *p = &x; p->v += 1; g += p->v; }
         int main(void) { for (int i = 0; i < 2; i++) f((struct s){i}); assert(g == 3); }",
    );
    check(
        "compound_literal",
        "unknown",
        "int main(void) { int *p; { p = &(int){3}; assert(*p == 3); } return *p; }",
    );
}

#[test]
fn a_thread_outlives_what_it_was_given() {
    let worker = "int total; void *worker(void *arg) { int v = *(int *)arg; total = v; return 0; }";
    check(
        "argument_gone",
        "unknown",
        &format!(
            "{worker} static pthread_t start(int n) {{ pthread_t t; pthread_create(&t, 0, worker, &n); return t; }}
             int main(void) {{ pthread_t t = start(4); pthread_join(t, 0); assert(total == 4); }}"
        ),
    );
    check(
        "argument_kept",
        "true",
        &format!(
            "{worker} static void run(int n) {{ pthread_t t; pthread_create(&t, 0, worker, &n); pthread_join(t, 0); }}
             int main(void) {{ run(4); assert(total == 4); }}"
        ),
    );
    check(
        "argument_changed",
        "false",
        &format!(
            "{worker} static void run(int n) {{ pthread_t t; pthread_create(&t, 0, worker, &n); n = 5; pthread_join(t, 0); }}
             int main(void) {{ run(4); assert(total == 4); }}"
        ),
    );
    check(
        "loop_variable",
        "unknown",
        &format!(
            "{worker} int main(void) {{ pthread_t t[2];
                 for (int i = 0; i < 2; i++) {{ int arg = i; pthread_create(&t[i], 0, worker, &arg); }}
                 pthread_join(t[0], 0); pthread_join(t[1], 0); }}"
        ),
    );
    check(
        "locals_of_an_ended_thread",
        "unknown",
        "int *g; void *worker(void *arg) { int x = 3; g = &x; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); pthread_join(t, 0); return *g; }",
    );
    check(
        "locals_of_main",
        "true",
        "void *worker(void *arg) { assert(*(int *)arg == 3); return 0; }
         int main(void) { int x = 3; pthread_t t; pthread_create(&t, 0, worker, &x); pthread_exit(0); }",
    );
}
