//! Attributes, `_Alignas` and `#pragma pack`: what is followed, what is dropped, what is refused.

use super::{check, refused, two_threads};

#[test]
fn constructors_and_destructors_run() {
    check(
        "constructor",
        "true",
        "int x, order;
         __attribute__((constructor(200))) static void second(void) { order = order * 10 + 2; }
         static void first(void) __attribute__((constructor(101)));
         static void first(void) { order = order * 10 + 1; x = 5; }
         __attribute__((constructor)) void last(void) { order = order * 10 + 3; }
         int main(void) { assert(x == 5 && order == 123); }",
    );
    check(
        "constructor_unsafe",
        "false",
        "int x; __attribute__((__constructor__)) static void init(void) { x = 5; }
         int main(void) { assert(x == 0); }",
    );
    let destructor = "int x; __attribute__((destructor)) static void done(void) { assert(x == 1); }";
    check("destructor", "true", &format!("{destructor} int main(void) {{ x = 1; return 0; }}"));
    check("destructor_unsafe", "false", &format!("{destructor} int main(void) {{ x = 2; return 0; }}"));
    check("destructor_exit", "false", &format!("{destructor} int main(void) {{ x = 2; exit(0); }}"));
    check("destructor_abort", "true", &format!("{destructor} int main(void) {{ x = 2; abort(); }}"));
    check("destructor_quick", "true", &format!("{destructor} int main(void) {{ x = 2; _Exit(1); }}"));
    check(
        "destructor_order",
        "true",
        "int x;
         __attribute__((destructor(101))) static void late(void) { assert(x == 321); }
         __attribute__((destructor)) static void b(void) { x = x * 10 + 2; }
         __attribute__((destructor)) static void a(void) { x = x * 10 + 3; }
         __attribute__((destructor(200))) static void c(void) { x = x * 10 + 1; }
         int main(void) { return 0; }",
    );
}

#[test]
fn cleanups_run_however_a_block_is_left() {
    let cleanup = "int x; static void done(int *p) { x = x * 10 + *p; }
        #define GUARD(name, value) int name __attribute__((cleanup(done))) = value";
    let run = |body: &str, value: u32| {
        format!(
            "{cleanup}\nstatic int f(int n) {{ {body} return 0; }}\nint main(void) {{ f(1); assert(x == {value}); }}"
        )
    };
    check("cleanup_end", "true", &run("{ GUARD(a, 1); GUARD(b, 2); } x = x * 10 + 9;", 219));
    check("cleanup_end_unsafe", "false", &run("{ GUARD(a, 1); GUARD(b, 2); } x = x * 10 + 9;", 0));
    check("cleanup_return", "true", &run("GUARD(a, 1); { GUARD(b, 2); if (n) return 1; }", 21));
    check(
        "cleanup_break",
        "true",
        &run(
            "for (int i = 1; i < 4; i++) { GUARD(a, i); if (i == 2) break; x = x * 10 + 7; } x = x * 10 + 9;",
            7129,
        ),
    );
    check(
        "cleanup_continue",
        "true",
        &run("for (int i = 1; i < 4; i++) { GUARD(a, i); if (i == 2) continue; x = x * 10 + 7; }", 71_273),
    );
    check(
        "cleanup_goto",
        "true",
        &run("{ GUARD(a, 1); { GUARD(b, 2); goto out; } x = 5; } out: x = x * 10 + 9;", 219),
    );
    check("cleanup_goto_inside", "true", &run("{ GUARD(a, 1); goto out; x = 5; out: x = x * 10 + 9; }", 91));
    check("cleanup_again", "true", &run("int k = 0; again: { GUARD(a, k); if (k++ < 2) goto again; }", 12));
    check(
        "cleanup_switch",
        "true",
        &run("switch (n) { case 1: { GUARD(a, 4); break; } default: x = 5; }", 4),
    );
    check("cleanup_value", "true", &run("GUARD(a, 3); int r = ({ GUARD(b, 2); b + 1; }); x += r;", 53));
    check(
        "cleanup_after_value",
        "true",
        "static void reset(int *p) { *p = 0; }
         static int f(void) { int v __attribute__((cleanup(reset))) = 7; return v; }
         int main(void) { assert(f() == 7); }",
    );
    check(
        "cleanup_not_on_exit",
        "true",
        "static void bad(int *p) { assert(0); } int main(void) { int v __attribute__((cleanup(bad))) = 7; exit(v); }",
    );
}

#[test]
fn a_cleanup_guard_unlocks() {
    let guard = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
        static void unlock(pthread_mutex_t **p) { pthread_mutex_unlock(*p); }
        #define LOCKED pthread_mutex_t *guard __attribute__((cleanup(unlock))) = &m; pthread_mutex_lock(&m)";
    let body = "LOCKED; int r = x; x = r + 1;";
    check("guard", "true", &two_threads(guard, body, body, "pthread_mutex_lock(&m); assert(x == 2);"));
    check(
        "guard_unsafe",
        "false",
        &two_threads(guard, body, body, "pthread_mutex_lock(&m); assert(x == 1);"),
    );
}

#[test]
fn sizes_follow_attributes() {
    check(
        "attribute_sizes",
        "true",
        "struct __attribute__((packed)) A { char a; int b; };
         struct B { char a; int b; } __attribute__((packed, aligned(2)));
         struct C { char a; int b __attribute__((aligned(16))); };
         struct D { char a; int b __attribute__((packed)); };
         typedef int wide __attribute__((aligned(32)));
         struct E { char c; wide x; };
         typedef long long loose __attribute__((aligned(4)));
         struct F { int c; loose x; };
         enum __attribute__((packed)) G { G1, G2 };
         enum H { H1 = -300 } __attribute__((packed));
         typedef int byte __attribute__((mode(QI)));
         typedef unsigned word __attribute__((__mode__(__word__)));
         struct J { char c; _Alignas(8) char d; };
         struct K { char c; _Alignas(long) char d[2]; };
         typedef struct { char a; int b; } __attribute__((aligned(sizeof(long) * 2))) L;
         struct __attribute__((aligned)) M { char a; };
         int main(void) {
             assert(sizeof(struct A) == 5 && sizeof(struct B) == 6 && sizeof(struct C) == 32 && sizeof(struct D) == 5);
             assert(sizeof(struct E) == 64 && sizeof(struct F) == 12 && sizeof(enum G) == 1 && sizeof(enum H) == 2);
             assert(sizeof(byte) == 1 && sizeof(word) == 8 && (byte)200 == -56);
             assert(sizeof(struct J) == 16 && sizeof(struct K) == 16 && sizeof(L) == 16 && sizeof(struct M) == 16);
             assert(_Alignof(wide) == 32 && _Alignof(struct B) == 2);
             struct A a = { 1, 2 }; a.b++; assert(*(char *)&a == 1 && a.b == 3);
         }",
    );
    check(
        "packed_unsafe",
        "false",
        "struct { char a; int b; } __attribute__((packed)) x; int main(void) { assert(sizeof x == 8); }",
    );
}

#[test]
fn pragma_pack_nests() {
    check(
        "pack",
        "true",
        "#pragma pack(push, 1)
         struct A { char c; long d; };
         #pragma pack(push, name, 2)
         struct B { char c; int d; unsigned e : 4; };
         #pragma pack(pop, name)
         struct C { char c; short d; };
         #pragma pack(pop)
         struct D { char c; long d; };
         #pragma pack(4)
         struct E { char c; long d; };
         #pragma pack()
         struct F { char c; long d; };
         int main(void) {
             assert(sizeof(struct A) == 9 && sizeof(struct B) == 8 && sizeof(struct C) == 3);
             assert(sizeof(struct D) == 16 && sizeof(struct E) == 12 && sizeof(struct F) == 16);
         }",
    );
}

#[test]
fn what_is_harmless_is_dropped_and_the_rest_is_refused_by_name() {
    check(
        "harmless",
        "true",
        "static __attribute__((noinline, unused)) int f(int x __attribute__((__unused__))) { return x; }
         __attribute__((noreturn)) void stop(void); void stop(void) { exit(1); }
         int main(void) { switch (f(1)) { case 1: f(2); __attribute__((fallthrough)); default: break; } assert(f(3) == 3); }",
    );
    refused(
        "alias",
        "attribute `alias`",
        "int x; extern int y __attribute__((alias(\"x\"))); int main(void) { return y; }",
    );
    refused(
        "vectors",
        "vector_size",
        "typedef int v __attribute__((vector_size(16))); int main(void) { return 0; }",
    );
    refused(
        "made_up",
        "attribute `frobnicate`",
        "__attribute__((frobnicate(1))) int x; int main(void) { return x; }",
    );
    refused(
        "mode_unknown",
        "mode `XYZ`",
        "typedef int t __attribute__((mode(XYZ))); int main(void) { return 0; }",
    );
    refused(
        "aligned_cast",
        "not supported here",
        "int main(void) { return *(int __attribute__((aligned(1))) *)0; }",
    );
    refused(
        "weak_variable",
        "weak reference",
        "extern int x __attribute__((weak)); int main(void) { return &x != 0; }",
    );
    refused(
        "weak_function",
        "weak reference",
        "void f(void) __attribute__((weak)); int main(void) { return f != 0; }",
    );
    refused(
        "pragma",
        "scalar_storage_order",
        "#pragma scalar_storage_order big-endian\nint main(void) { return 0; }",
    );
}
