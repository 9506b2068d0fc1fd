//! Bit-fields: layout as gcc has it, and neighbours that are one memory location.

use super::{check_models, two_threads};

/// `cegar` has nothing to say about bits within its time.
#[track_caller]
fn check(name: &str, expected: &str, text: &str) {
    check_models(name, [expected; 3], text);
}

#[test]
fn neighbours_lose_updates() {
    let field = "struct { unsigned a : 4, b : 4; } s;";
    let after = "assert(s.a == 1 && s.b == 1);";
    check("neighbours", "false", &two_threads(field, "s.a = 1;", "s.b = 1;", after));
    let apart = "struct { unsigned a : 4; unsigned : 0; unsigned b : 4; } s;";
    check("zero_width_between", "true", &two_threads(apart, "s.a = 1;", "s.b = 1;", after));
    let member = "struct { unsigned a : 4; char between; unsigned b : 4; } s;";
    check("member_between", "true", &two_threads(member, "s.a = 1;", "s.b = 1;", after));
    let byte = "struct { unsigned a : 4; unsigned char b; } s;";
    check("byte_beside", "true", &two_threads(byte, "s.a = 1;", "s.b = 1;", after));
    let mutex = "struct { unsigned a : 4, b : 4; } s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let left = "pthread_mutex_lock(&m); s.a = 1; pthread_mutex_unlock(&m);";
    let right = "pthread_mutex_lock(&m); s.b = 1; pthread_mutex_unlock(&m);";
    check("neighbours_locked", "true", &two_threads(mutex, left, right, after));
    check(
        "neighbours_read",
        "true",
        &two_threads(field, "s.a = 1;", "unsigned r = s.b; (void)r;", "assert(s.a == 1);"),
    );
}

#[test]
fn an_increment_of_a_bit_field_keeps_nothing_of_others() {
    let field = "struct { unsigned char a : 4, b : 4; } s;";
    check("increments", "false", &two_threads(field, "s.a++;", "s.b++;", "assert(s.a == 1 && s.b == 1);"));
    check("increments_any", "true", &two_threads(field, "s.a++;", "s.b++;", "assert(s.a == 1 || s.b == 1);"));
}

#[test]
fn sizes_are_those_of_gcc() {
    check(
        "bit_field_sizes",
        "true",
        "struct A { unsigned a : 4, b : 4; };
         struct B { unsigned a : 4; char c; };
         struct C { unsigned a : 20, b : 20; };
         struct D { char a : 4; int b : 20; short c : 10; };
         struct E { long long a : 40; int b : 10; long long c : 20; };
         struct F { _Bool a : 1, b : 1; };
         struct G { char c; int : 0; char d; };
         struct H { int a : 3; int : 5; int b : 3; unsigned short s; };
         struct I { char a; int : 7; };
         struct J { char a; long long b : 33; };
         union K { unsigned a : 4; unsigned char b : 7; };
         struct L { unsigned a : 4; unsigned b : 30; } __attribute__((packed));
         int main(void) {
             assert(sizeof(struct A) == 4 && sizeof(struct B) == 4 && sizeof(struct C) == 8);
             assert(sizeof(struct D) == 8 && sizeof(struct E) == 16 && sizeof(struct F) == 1);
             assert(sizeof(struct G) == 5 && sizeof(struct H) == 4 && sizeof(struct I) == 2);
             assert(sizeof(struct J) == 8 && sizeof(union K) == 4 && sizeof(struct L) == 5);
         }",
    );
}

#[test]
fn values_wrap_and_promote() {
    check(
        "bit_field_values",
        "true",
        "struct { int s : 3; unsigned u : 3; _Bool b : 1; unsigned one : 1; int w : 32; } x = { 3, 9, 2, 2, -1 };
         int main(void) {
             assert(x.s == 3 && x.u == 1 && x.b == 1 && x.one == 0 && x.w == -1);
             x.s++; assert(x.s == -4);
             x.u = 7; x.u++; assert(x.u == 0);
             assert(x.u - 1 < 0);
             int r = (x.u = 10); assert(r == 2);
             x.b = 4; assert(x.b == 1);
             x.s = -1; x.u = 5; assert(x.s == -1 && x.u == 5 && x.b == 1 && x.one == 0);
             x.u |= 2; assert(x.u == 7 && x.s == -1);
             assert(x.u-- == 7 && x.u == 6);
         }",
    );
    check(
        "bit_field_value_unsafe",
        "false",
        "struct { int s : 3; } x; int main(void) { x.s = 5; assert(x.s == 5); }",
    );
}

#[test]
fn unions_see_the_bits() {
    check(
        "bits_overlaid",
        "true",
        "union { struct { unsigned a : 4, b : 4, c : 8; unsigned d : 16; } f; unsigned u; } x;
         int main(void) {
             x.u = 0x12345678;
             assert(x.f.a == 8 && x.f.b == 7 && x.f.c == 0x56 && x.f.d == 0x1234);
             x.f.b = 0; assert(x.u == 0x12345608);
         }",
    );
    check(
        "bits_in_a_local",
        "true",
        "struct flags { unsigned a : 1, b : 2, c : 5; };
         static int sum(struct flags f) { return f.a + f.b + f.c; }
         int main(void) {
             int n = __VERIFIER_nondet_uchar(); if (n > 3) return 0;
             struct flags f = { 1, n, 9 }, g;
             g = f; g.a = 0;
             assert(sum(f) == n + 10 && sum(g) == n + 9 && f.a == 1);
             struct flags h = { .c = 3 }; assert(h.a == 0 && h.c == 3);
         }",
    );
}
