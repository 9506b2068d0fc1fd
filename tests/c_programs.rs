//! Small C programs and their verdicts: each group covers a part of the language or the library.

use std::path::Path;

use regrain::engine::impact::ForceCover;
use regrain::frontend::{self, Options, SignedOverflow};
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};
use crate::command::Scratch;

const HEADERS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n";

/// Verifies a C text by exploration: `true`, `false`, `unknown`, or `refused` by the front end.
fn verdict(name: &str, text: &str) -> &'static str {
    let folder = std::env::temp_dir().join(format!("regrain-c-programs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let path = folder.join(name).with_extension("c");
    std::fs::write(&path, format!("{HEADERS}{text}")).expect("the program is written");
    let verdict = verdict_of(&path);
    std::fs::remove_file(&path).expect("the program is removed");
    verdict
}

fn verdict_of(path: &Path) -> &'static str {
    let Ok(program) = frontend::load(path, &Options::default()) else { return "refused" };
    match safety(&answer(&program, Engine::Explore, &Settings::default())) {
        Some(true) => "true",
        Some(false) => "false",
        None => "unknown",
    }
}

#[track_caller]
fn check(name: &str, expected: &str, text: &str) {
    assert_eq!(verdict(name, text), expected, "{name}");
}

/// Found by the fuzzer: the labels of `impact` hold for values of `int`, and the checker asked about whole
/// numbers beyond, of which conversions make this or that.
#[test]
fn proofs_speak_of_values_of_types() {
    let text = r#"#include <assert.h>
        #include <pthread.h>
        #include <stdatomic.h>
        int v;
        void *up(void *a) {
            int e = atomic_load(&v);
            atomic_compare_exchange_weak(&v, &e, (e + 1));
            int f = atomic_load(&v);
            atomic_compare_exchange_weak(&v, &f, 0);
            return 0;
        }
        void *down(void *a) {
            int e = 0, won = atomic_compare_exchange_weak(&v, &e, 0), f = 1;
            atomic_compare_exchange_weak(&v, &f, (won + 1));
            return 0;
        }
        int main(void) {
            pthread_t t, u;
            pthread_create(&t, 0, up, 0);
            pthread_create(&u, 0, down, 0);
            pthread_join(t, 0);
            pthread_join(u, 0);
            assert(v <= 3);
            return 0;
        }"#;
    let scratch = Scratch::new("values-of-types").with("p.c", text);
    let options = Options { signed_overflow: SignedOverflow::Wrap, ..Options::default() };
    let program = frontend::load(&scratch.path("p.c"), &options).expect("a program");
    for force_cover in [ForceCover::On, ForceCover::Off] {
        let settings = Settings { force_cover, ..Settings::default() };
        assert_eq!(safety(&answer(&program, Engine::Impact, &settings)), Some(true), "{force_cover:?}");
    }
}

#[test]
fn integers() {
    check(
        "unsigned_wrap",
        "true",
        r#"
            int main(void) {
                unsigned x = 0;
                x--;
                assert(x == 4294967295u);
                unsigned char c = 255;
                c++;
                assert(c == 0);
                signed char d = 127;
                d++;
                assert(d == -128);
            }
        "#,
    );
    check(
        "shift",
        "true",
        r#"
            int main(void) {
                int x = -8;
                assert(x >> 1 == -4);
                unsigned y = 0x80000000u;
                assert(y >> 31 == 1);
                assert((1u << 31) == y);
            }
        "#,
    );
    check(
        "longlong",
        "true",
        r#"
            int main(void) {
                long long x = 1LL << 40;
                int y = (int)x;
                assert(y == 0 && x / 1024 == 1LL << 30);
                unsigned long u = -1;
                assert(u == 18446744073709551615ul);
            }
        "#,
    );
    check(
        "sizeof_lp64",
        "true",
        r#"
            struct s {
                char a;
                int b;
                char c;
            };
            int main(void) { assert(sizeof(long) == 8 && sizeof(void *) == 8 && sizeof(struct s) == 12); }
        "#,
    );
    check(
        "enum",
        "true",
        r#"
            enum e { A, B = 5, C };
            int main(void) {
                enum e x = C;
                assert(x == 6 && A == 0);
            }
        "#,
    );
    check(
        "comma_cond",
        "true",
        r#"
            int main(void) {
                int a = 1, b = (a++, a * 2);
                int c = a > 1 ? b : 0;
                assert(a == 2 && b == 4 && c == 4);
                int d = a && (b = 0);
                assert(d == 0 && b == 0);
            }
        "#,
    );
    check(
        "bitfield",
        "true",
        r#"
            struct s {
                unsigned a : 3;
                int b : 4;
            } x;
            int main(void) {
                x.a = 9;
                x.b = -1;
                assert(x.a == 1 && x.b == -1);
            }
        "#,
    );
    check(
        "generic",
        "true",
        r#"
            #define T(x) _Generic((x), int: 1, long: 2, default: 3)
            int main(void) { assert(T(1) == 1 && T(1L) == 2 && T('a') == 1 && T((char)1) == 3); }
        "#,
    );
    check(
        "typeof",
        "true",
        r#"
            int main(void) {
                int x = 3;
                __typeof__(x) y = x;
                __auto_type z = y + 1;
                assert(z == 4);
            }
        "#,
    );
}

#[test]
fn control_flow() {
    check(
        "switch_ft",
        "true",
        r#"
            int main(void) {
                int s = 0;
                for (int i = 0; i < 5; i++) switch (i) {
                    case 0:
                        s += 1;
                    case 1:
                        s += 10;
                        break;
                    case 2 ... 3:
                        s += 100;
                        break;
                    default:
                        s += 1000;
                    }
                assert(s == 1221);
            }
        "#,
    );
    check(
        "goto_loop",
        "true",
        r#"
            int main(void) {
                int i = 0;
            again:
                i++;
                if (i < 5) goto again;
                assert(i == 5);
            }
        "#,
    );
    check(
        "do_while",
        "true",
        r#"
            int main(void) {
                int i = 0;
                do {
                    i += 2;
                    if (i == 4) continue;
                    if (i > 6) break;
                } while (i < 100);
                assert(i == 8);
            }
        "#,
    );
    check(
        "ternary_void",
        "true",
        r#"
            int x;
            void a(void) { x = 1; }
            void b(void) { x = 2; }
            int main(void) {
                int c = 0;
                c ? a() : b();
                assert(x == 2);
            }
        "#,
    );
    check(
        "stmt_expr",
        "true",
        r#"
            int main(void) {
                int x = ({
                    int y = 3;
                    y *y;
                });
                assert(x == 9);
            }
        "#,
    );
    check(
        "recursion",
        "true",
        r#"
            int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
            int x;
            void *f(void *p) {
                x = fact(4);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 24);
                return 0;
            }
        "#,
    );
    check(
        "recursion_cut",
        "unknown",
        r#"
            int g(int n) { return n == 0 ? 0 : 1 + g(n - 1); }
            int x;
            void *f(void *p) {
                x = g(100);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 100);
                return 0;
            }
        "#,
    );
    check(
        "fnptr",
        "true",
        r#"
            int one(void) { return 1; }
            int two_(void) { return 2; }
            int (*h)(void) = one;
            int x;
            void *f(void *p) {
                x = h();
                return 0;
            }
            int main(void) {
                pthread_t a;
                h = two_;
                pthread_create(&a, 0, f, 0);
                pthread_join(a, 0);
                assert(x == 2);
            }
        "#,
    );
    check(
        "fnptr_array",
        "true",
        r#"
            int a0(int v) { return v + 1; }
            int a1(int v) { return v * 2; }
            int (*t[2])(int) = {a0, a1};
            int main(void) {
                int s = 0;
                for (int i = 0; i < 2; i++) s += t[i](3);
                assert(s == 10);
            }
        "#,
    );
    check(
        "static_local",
        "true",
        r#"
            int next(void) {
                static int n = 10;
                return n++;
            }
            int main(void) {
                next();
                assert(next() == 11);
            }
        "#,
    );
    check(
        "float_unused",
        "true",
        r#"
            double d(double x) { return x * 2; }
            int main(void) { assert(1); }
        "#,
    );
}

#[test]
fn memory() {
    // Writing an element leaves the others as they are.
    check(
        "element_beside_element",
        "true",
        r#"
            unsigned char __VERIFIER_nondet_uchar(void);
            int main(void) {
                unsigned i = __VERIFIER_nondet_uchar();
                unsigned a[2];
                a[i & 1] = 1;
                a[(i + 1) & 1] = 2;
                assert(a[i & 1] == 1);
            }
        "#,
    );
    check(
        "struct_copy",
        "true",
        r#"
            struct s {
                int a;
                char b[3];
                struct {
                    short c;
                    long d;
                } e;
            };
            struct s g;
            int main(void) {
                struct s x = {1, {2, 3, 4}, {5, 6}};
                struct s y;
                y = x;
                g = y;
                assert(g.a == 1 && g.b[2] == 4 && g.e.d == 6);
                struct s *q = &g;
                q->e.c = 9;
                assert(g.e.c == 9 && y.e.c == 5);
            }
        "#,
    );
    check(
        "union",
        "true",
        r#"
            union u {
                int i;
                unsigned v;
            };
            int main(void) {
                union u x;
                x.i = -1;
                assert(x.v == 4294967295u);
            }
        "#,
    );
    check(
        "union_bytes",
        "true",
        r#"
            union u {
                unsigned i;
                unsigned char b[4];
            };
            int main(void) {
                union u x;
                x.i = 0x01020304;
                assert(x.b[0] == 4 && x.b[3] == 1);
            }
        "#,
    );
    check(
        "array2d",
        "true",
        r#"
            int m[3][4];
            int main(void) {
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 4; j++) m[i][j] = i * 10 + j;
                int *p = &m[0][0];
                assert(m[2][3] == 23 && p[5] == 11);
            }
        "#,
    );
    check(
        "struct_array",
        "true",
        r#"
            struct n {
                int k;
                struct n *next;
            } ns[3];
            int main(void) {
                for (int i = 0; i < 3; i++) {
                    ns[i].k = i;
                    ns[i].next = i ? &ns[i - 1] : 0;
                }
                struct n *p = &ns[2];
                int s = 0;
                while (p) {
                    s = s * 10 + p->k;
                    p = p->next;
                }
                assert(s == 210);
            }
        "#,
    );
    check(
        "malloc_list",
        "true",
        r#"
            struct n {
                int k;
                struct n *next;
            };
            struct n *head;
            int main(void) {
                for (int i = 0; i < 4; i++) {
                    struct n *p = malloc(sizeof *p);
                    p->k = i;
                    p->next = head;
                    head = p;
                }
                int s = 0;
                while (head) {
                    struct n *p = head;
                    head = p->next;
                    s = s * 10 + p->k;
                    free(p);
                }
                assert(s == 3210);
            }
        "#,
    );
    check(
        "calloc_array",
        "true",
        r#"
            int main(void) {
                int *a = calloc(5, sizeof(int));
                assert(a[3] == 0);
                free(a);
            }
        "#,
    );
    check(
        "ptr_arith",
        "true",
        r#"
            int a[10];
            int main(void) {
                int *p = a + 3;
                int *q = &a[7];
                assert(q - p == 4 && p < q);
                p += 2;
                *p = 5;
                assert(a[5] == 5);
                int **pp = &p;
                **pp = 6;
                assert(a[5] == 6);
            }
        "#,
    );
    check(
        "compound_lit",
        "true",
        r#"
            struct s {
                int a, b;
            };
            int sum(struct s x) { return x.a + x.b; }
            int main(void) {
                assert(sum((struct s){.b = 3, .a = 4}) == 7);
                int *p = (int[]){1, 2, 3};
                assert(p[2] == 3);
            }
        "#,
    );
    check(
        "designated",
        "true",
        r#"
            int a[5] = {[2] = 7, 8, [0] = 1};
            struct s {
                int x[3];
                int y;
            } t = {.y = 4, .x[1] = 9};
            int main(void) {
                assert(a[0] == 1 && a[2] == 7 && a[3] == 8 && a[4] == 0 && t.x[1] == 9 && t.y == 4);
            }
        "#,
    );
    check(
        "memset",
        "true",
        r#"
            #include <string.h>
            int a[4];
            int main(void) {
                for (int i = 0; i < 4; i++) a[i] = 9;
                memset(a, 0, sizeof a);
                assert(a[3] == 0);
                int b[4];
                a[1] = 5;
                memcpy(b, a, sizeof a);
                assert(b[1] == 5);
            }
        "#,
    );
    check(
        "strlit",
        "true",
        r#"
            int main(void) {
                const char *s = "ab";
                assert(s[0] == 'a' && s[2] == 0);
                char t[] = "xyz";
                t[1] = 'q';
                assert(t[1] == 'q' && sizeof t == 4);
            }
        "#,
    );
    check(
        "char_ptr_alias",
        "true",
        r#"
            int x = 0x01020304;
            int main(void) {
                char *p = (char *)&x;
                assert(p[0] == 4);
            }
        "#,
    );
    check(
        "thread_array_ptr",
        "true",
        r#"
            int buf[4];
            void *f(void *p) {
                int *q = p;
                q[1] = 5;
                return 0;
            }
            int main(void) {
                pthread_t a;
                pthread_create(&a, 0, f, &buf[2]);
                pthread_join(a, 0);
                assert(buf[3] == 5);
            }
        "#,
    );
}

#[test]
fn undefined_behaviour_is_never_pruned() {
    check(
        "use_after_free",
        "unknown",
        r#"
            int main(void) {
                int *a = malloc(sizeof(int));
                *a = 1;
                free(a);
                assert(*a == 1);
            }
        "#,
    );
    check(
        "null_deref",
        "unknown",
        r#"
            int *p;
            int main(void) { assert(*p == 0); }
        "#,
    );
    check(
        "oob",
        "unknown",
        r#"
            int a[3];
            int main(void) {
                int i = 3;
                a[i] = 1;
                assert(a[0] == 0);
            }
        "#,
    );
    check(
        "div0",
        "unknown",
        r#"
            int z;
            int main(void) {
                int x = 5 / z;
                assert(x == 5 || x != 5);
            }
        "#,
    );
}

#[test]
fn inputs() {
    check(
        "nondet_assume",
        "true",
        r#"
            extern int __VERIFIER_nondet_int(void);
            extern void __VERIFIER_assume(int);
            int main(void) {
                int x = __VERIFIER_nondet_int();
                __VERIFIER_assume(x >= 0 && x < 3);
                assert(x * x <= 4);
            }
        "#,
    );
    check(
        "nondet_bug",
        "false",
        r#"
            extern int __VERIFIER_nondet_int(void);
            int main(void) {
                int x = __VERIFIER_nondet_int();
                assert(x != 12345);
            }
        "#,
    );
    check(
        "uninit",
        "false",
        r#"
            int main(void) {
                int x;
                assert(x != 77);
            }
        "#,
    );
}

#[test]
fn atomics() {
    check(
        "atomic_gcc",
        "true",
        r#"
            int x;
            void *f(void *p) {
                __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 2);
                return 0;
            }
        "#,
    );
    check(
        "sync_gcc",
        "true",
        r#"
            int x;
            void *f(void *p) {
                __sync_fetch_and_add(&x, 2);
                __sync_add_and_fetch(&x, 1);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 6);
                return 0;
            }
        "#,
    );
    check(
        "sync_cas",
        "true",
        r#"
            int x;
            void *f(void *p) {
                while (!__sync_bool_compare_and_swap(&x, 0, 1));
                x = 0;
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 0);
                return 0;
            }
        "#,
    );
    check(
        "atomic_n",
        "true",
        r#"
            int x, y;
            void *f(void *p) {
                __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
                y = __atomic_load_n(&x, __ATOMIC_ACQUIRE);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(y == 1);
                return 0;
            }
        "#,
    );
    check(
        "atomic_cas_n",
        "true",
        r#"
            int x;
            void *f(void *p) {
                int e = 0;
                if (!__atomic_compare_exchange_n(&x, &e, 5, 0, 5, 5)) assert(e == 5);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 5);
                return 0;
            }
        "#,
    );
    check(
        "atomic_type",
        "true",
        r#"
            #include <stdatomic.h>
            _Atomic int x;
            atomic_int y;
            void *f(void *p) {
                x++;
                y += 2;
                atomic_fetch_or(&y, 0);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 2 && y == 4);
                return 0;
            }
        "#,
    );
    check(
        "atomic_flag",
        "true",
        r#"
            #include <stdatomic.h>
            atomic_flag l = ATOMIC_FLAG_INIT;
            int x;
            void *f(void *p) {
                while (atomic_flag_test_and_set(&l));
                x++;
                atomic_flag_clear(&l);
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 2);
                return 0;
            }
        "#,
    );
    check(
        "plain_race",
        "false",
        r#"
            int x;
            void *f(void *p) {
                x++;
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 2);
                return 0;
            }
        "#,
    );
    check(
        "verifier_atomic_fn",
        "true",
        r#"
            int x;
            void __VERIFIER_atomic_inc(void) {
                int t = x;
                t = t + 1;
                x = t;
            }
            void *f(void *p) {
                __VERIFIER_atomic_inc();
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(x == 2);
                return 0;
            }
        "#,
    );
}

#[test]
fn locks_and_conditions() {
    check(
        "cond",
        "true",
        r#"
            pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
            pthread_cond_t c = PTHREAD_COND_INITIALIZER;
            int r, d;
            void *f(void *p) {
                pthread_mutex_lock(&m);
                d = 42;
                r = 1;
                pthread_cond_signal(&c);
                pthread_mutex_unlock(&m);
                return 0;
            }
            int main(void) {
                pthread_t a;
                pthread_create(&a, 0, f, 0);
                pthread_mutex_lock(&m);
                while (!r) pthread_cond_wait(&c, &m);
                assert(d == 42);
                pthread_mutex_unlock(&m);
            }
        "#,
    );
    check(
        "cond_if",
        "false",
        r#"
            pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
            pthread_cond_t c = PTHREAD_COND_INITIALIZER;
            int r, d;
            void *f(void *p) {
                pthread_mutex_lock(&m);
                d = 42;
                r = 1;
                pthread_cond_signal(&c);
                pthread_mutex_unlock(&m);
                return 0;
            }
            int main(void) {
                pthread_t a;
                pthread_create(&a, 0, f, 0);
                pthread_mutex_lock(&m);
                if (!r) pthread_cond_wait(&c, &m);
                assert(d == 42);
                pthread_mutex_unlock(&m);
            }
        "#,
    );
    check(
        "mutex_array",
        "true",
        r#"
            pthread_mutex_t m[2];
            int x[2];
            void *f(void *p) {
                int i = (int)(long)p;
                pthread_mutex_lock(&m[i]);
                x[i]++;
                pthread_mutex_unlock(&m[i]);
                return 0;
            }
            int main(void) {
                pthread_t t[2];
                for (int i = 0; i < 2; i++) pthread_mutex_init(&m[i], 0);
                for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)i);
                for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
                assert(x[0] == 1 && x[1] == 1);
            }
        "#,
    );
    check(
        "mutex_in_struct",
        "true",
        r#"
            struct q {
                pthread_mutex_t m;
                int n;
            };
            struct q *g;
            void *f(void *p) {
                struct q *q = p;
                pthread_mutex_lock(&q->m);
                q->n++;
                pthread_mutex_unlock(&q->m);
                return 0;
            }
            int main(void) {
                struct q *q = malloc(sizeof *q);
                pthread_mutex_init(&q->m, 0);
                q->n = 0;
                pthread_t a, b;
                pthread_create(&a, 0, f, q);
                pthread_create(&b, 0, f, q);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(q->n == 2);
            }
        "#,
    );
}

#[test]
fn threads() {
    check(
        "local_shared",
        "true",
        r#"
            void *f(void *p) {
                *(int *)p = 7;
                return 0;
            }
            int main(void) {
                int x = 0;
                pthread_t a;
                pthread_create(&a, 0, f, &x);
                pthread_join(a, 0);
                assert(x == 7);
            }
        "#,
    );
    check(
        "local_shared_race",
        "false",
        r#"
            void *f(void *p) {
                *(int *)p = 7;
                return 0;
            }
            int main(void) {
                int x = 0;
                pthread_t a;
                pthread_create(&a, 0, f, &x);
                assert(x == 0);
            }
        "#,
    );
    check(
        "ret_join",
        "true",
        r#"
            void *f(void *p) { return (void *)((long)p + 1); }
            int main(void) {
                pthread_t a;
                void *r;
                pthread_create(&a, 0, f, (void *)41);
                pthread_join(a, &r);
                assert((long)r == 42);
            }
        "#,
    );
    check(
        "pexit",
        "true",
        r#"
            int x;
            void *f(void *p) {
                x = 1;
                pthread_exit((void *)5);
                x = 2;
                return 0;
            }
            int main(void) {
                pthread_t a;
                void *r;
                pthread_create(&a, 0, f, 0);
                pthread_join(a, &r);
                assert((long)r == 5 && x == 1);
            }
        "#,
    );
    check(
        "nested_create",
        "true",
        r#"
            int x;
            void *g(void *p) {
                x = 3;
                return 0;
            }
            void *f(void *p) {
                pthread_t b;
                pthread_create(&b, 0, g, 0);
                pthread_join(b, 0);
                return 0;
            }
            int main(void) {
                pthread_t a;
                pthread_create(&a, 0, f, 0);
                pthread_join(a, 0);
                assert(x == 3);
            }
        "#,
    );
    check(
        "create_nondet_loop",
        "unknown",
        r#"
            extern int __VERIFIER_nondet_int(void);
            int x;
            void *f(void *p) {
                __sync_fetch_and_add(&x, 1);
                return 0;
            }
            int main(void) {
                pthread_t a;
                while (__VERIFIER_nondet_int()) pthread_create(&a, 0, f, 0);
                assert(x >= 0);
            }
        "#,
    );
    check(
        "exit_main",
        "true",
        r#"
            int x;
            void *f(void *p) {
                while (1);
                return 0;
            }
            int main(void) {
                pthread_t a;
                pthread_create(&a, 0, f, 0);
                exit(0);
                assert(0);
            }
        "#,
    );
    check(
        "tls",
        "true",
        r#"
            __thread int t;
            int bad;
            void *f(void *p) {
                t++;
                t++;
                if (t != 2) bad = 1;
                return 0;
            }
            int main(void) {
                pthread_t a, b;
                pthread_create(&a, 0, f, 0);
                pthread_create(&b, 0, f, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                assert(!bad && t == 0);
                return 0;
            }
        "#,
    );
    check(
        "cprover_async",
        "false",
        r#"
            int x;
            void inc(void) { x = x + 1; }
            int main(void) {
            __CPROVER_ASYNC_1:
                inc();
                x = x + 1;
                assert(x == 1);
            }
        "#,
    );
}

#[test]
fn refused() {
    check(
        "long_double_used",
        "refused",
        r#"
            long double d;
            int main(void) {
                d = d + 1.5L;
                assert(d > 0);
            }
        "#,
    );
    check(
        "unknown_fn",
        "refused",
        r#"
            void frob(int);
            int main(void) {
                frob(3);
                assert(0);
            }
        "#,
    );
}
