//! Integers of 128 bits.

use super::{check, refused, two_threads};

/// What `main` does with a number that is not known before it runs.
fn alone(body: &str) -> String {
    format!("int one; unsigned __int128 u; __int128 i; int main(void) {{ one = 1; {body} return 0; }}")
}

#[test]
fn arithmetic_goes_over_the_words() {
    let body = "assert(sizeof(u) == 16); u = 1; u <<= 100 * one; assert(u >> 99 == 2 && u > (unsigned long)-1 && !(int)u && u);
        u = -one; assert(u + 1 == 0 && (unsigned long)(u >> 64) == -1ul); u = (unsigned __int128)-1ul * -1ul;
        assert((unsigned long)u == 1 && (unsigned long)(u >> 64) == -2ul);
        i = -5 * one; assert(i * i == 25 && i / 2 == -2 && i % 2 == -1 && i >> 1 == -3 && -i == 5 && ~i == 4 && i < 0);
        i = (__int128)1 << 90; i += one; assert(i-- - 1 == (__int128)1 << 90 && (i ^ ((__int128)1 << 90)) == 0);
        struct { char c; __int128 x[2]; } s = {0}; s.x[1] = i; s.x[1] |= 3; assert((s.x[1] & 7) == 3 && sizeof(s) == 48);";
    check("wide_values", "true", &alone(body));
    check("wide_unsafe", "false", &alone("u = 1; u <<= 64 * one; assert(!u);"));
}

#[test]
fn division_of_more_than_a_word() {
    let body = "u = (unsigned __int128)one << 100; assert(u % 7 == 2 && u / 7 * 7 + 2 == u && u % 1000000007 == 976371285);";
    check("wide_division", "true", &alone(body));
    check("wide_division_unsafe", "false", &alone("u = (unsigned __int128)one << 100; assert(u % 7 == 3);"));
}

#[test]
fn words_are_written_one_by_one() {
    let globals = "unsigned __int128 u; unsigned long low, high;";
    let right = "unsigned __int128 seen = u; low = seen; high = seen >> 64;";
    let torn = two_threads(globals, "u = ((unsigned __int128)1 << 64) + 1;", right, "assert(low == high);");
    check("wide_torn", "false", &torn);
}

#[test]
fn initialisers_of_static_objects() {
    let text = "static __int128 g = 5, a[3] = {1, -2, [2] = ((__int128)1 << 100) - 1}; unsigned __int128 h = -1;
                struct { char c; __int128 x; int b; } s = {1, -7, 3};
                int main(void) { static unsigned __int128 k = (unsigned __int128)7 << 64 | 9;
                    assert(g == 5 && a[1] == -2 && a[2] >> 99 == 1 && h == ~(unsigned __int128)0 && h >> 127);
                    assert(s.x == -7 && s.b == 3 && s.c == 1 && (unsigned long)(k >> 64) == 7 && (int)k == 9); g += 1; assert(g == 6); }";
    check("wide_static", "true", text);
    check("wide_static_unsafe", "false", &text.replace("g == 6", "g == 5"));
}

#[test]
fn what_is_not_followed_is_refused() {
    refused("wide_float", "floating point", &alone("u = 1.5;"));
    refused("wide_atomic", "atomic `__int128`", "_Atomic __int128 a; int main(void) { a += 1; return 0; }");
}
