//! Library functions and builtins: for each a program that would be wrong without its model, and one with the
//! error that it is there to prevent, in every engine that knows the memory model.

use regrain::frontend::{self, Allocation, Options};
use regrain::program::{MemoryModel, Program};
use regrain::verify::{Engine, Settings};

use crate::answer::{answer, safety};
use crate::command::{Scratch, command, run};

const HEADERS: &str = "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n\
    #include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";

/// The program with that text, as engines see it.
fn program(name: &str, text: &[u8], options: &Options) -> Option<Program> {
    let scratch = Scratch::new(&format!("library-{name}"));
    let path = scratch.path("p.c");
    std::fs::write(&path, [HEADERS.as_bytes(), text].concat()).expect("a file");
    frontend::load(&path, options).ok()
}

/// What an engine says.
fn verdict(program: &Program, engine: Engine, memory_model: MemoryModel) -> &'static str {
    let settings = Settings { memory_model, unwind: Some(12), ..Settings::default() };
    match safety(&answer(program, engine, &settings)) {
        Some(true) => "true",
        Some(false) => "false",
        None => "unknown",
    }
}

fn explored(program: &Program, model: MemoryModel) -> &'static str {
    verdict(program, Engine::Explore, model)
}

fn bounded(program: &Program, model: MemoryModel) -> &'static str {
    verdict(program, Engine::Scar, model)
}

/// The verdict under SC: of `explore` and `scar` this one; `cegar` may not know, but is not wrong.
#[track_caller]
fn check(name: &str, expected: &str, text: &str) {
    let program = program(name, text.as_bytes(), &Options::default()).expect("the program is accepted");
    assert_eq!(explored(&program, MemoryModel::Sc), expected, "{name} in explore");
    assert_eq!(bounded(&program, MemoryModel::Sc), expected, "{name} in scar");
}

/// Likewise, with `cegar`.
#[track_caller]
fn check_all(name: &str, expected: &str, text: &str) {
    check(name, expected, text);
    let program = program(name, text.as_bytes(), &Options::default()).expect("the program is accepted");
    assert_eq!(verdict(&program, Engine::Cegar, MemoryModel::Sc), expected, "{name} in cegar");
}

/// The verdicts under SC, TSO and PSO, in the engines that know them.
#[track_caller]
fn check_models(name: &str, expected: [&str; 3], text: &str) {
    for (model, expected) in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].into_iter().zip(expected) {
        let options = Options { memory_model: model, ..Options::default() };
        let program = program(name, text.as_bytes(), &options).expect("the program is accepted");
        assert_eq!(explored(&program, model), expected, "{name} in explore under {model:?}");
        assert_eq!(bounded(&program, model), expected, "{name} in scar under {model:?}");
    }
}

#[track_caller]
fn refused(name: &str, text: &str) {
    assert!(program(name, text.as_bytes(), &Options::default()).is_none(), "{name}");
}

/// Two threads that each store, do something, and look at what the other one stored: both see nothing only if
/// the store is late.
fn store_buffering(setup: &str, between: &str) -> String {
    format!(
        "{setup}
         int x, y, a = 1, b = 1;
         void *one(void *p) {{ x = 1; {} a = y; return 0; }}
         void *two(void *p) {{ y = 1; {} b = x; return 0; }}
         int main(void) {{
             pthread_t s, t;
             pthread_create(&s, 0, one, 0);
             pthread_create(&t, 0, two, 0);
             pthread_join(s, 0);
             pthread_join(t, 0);
             assert(a || b);
         }}",
        between.replace('@', "1"),
        between.replace('@', "2")
    )
}

#[test]
fn locks_order_memory_as_in_glibc() {
    let mutex = store_buffering(
        "pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;",
        "pthread_mutex_lock(&m@); pthread_mutex_unlock(&m@);",
    );
    check_models("mutex", ["true"; 3], &mutex);
    let unlock = "pthread_spinlock_t l1 = 1, l2 = 1;";
    check_models(
        "spin_unlock",
        ["true", "false", "false"],
        &store_buffering(unlock, "pthread_spin_unlock(&l@);"),
    );
    let spin = store_buffering("pthread_spinlock_t l1, l2;", "pthread_spin_lock(&l@);");
    check_models("spin_lock", ["true"; 3], &spin);
    let post = store_buffering("sem_t s1, s2;", "sem_post(&s@);");
    check_models("sem_post", ["true"; 3], &post);
    let failing = store_buffering("sem_t s1, s2;", "sem_trywait(&s@);");
    check_models("sem_trywait_fails", ["true", "false", "false"], &failing);
}

#[test]
fn a_spin_lock_still_protects() {
    let text = |unlock: &str| {
        format!(
            "pthread_spinlock_t l; int x, y;
             void *f(void *p) {{ pthread_spin_lock(&l); x++; y++; {unlock} return 0; }}
             int main(void) {{
                 pthread_t s, t;
                 pthread_create(&s, 0, f, 0);
                 pthread_create(&t, 0, f, 0);
                 pthread_join(s, 0);
                 pthread_join(t, 0);
                 assert(x == 2 && y == 2);
             }}"
        )
    };
    check_models("spin_protects", ["true"; 3], &text("pthread_spin_unlock(&l);"));
    check_models("spin_early", ["false"; 3], &text("").replace("x++;", "pthread_spin_unlock(&l); x++;"));
}

#[test]
fn results_as_in_posix_and_glibc() {
    check_all(
        "timed",
        "true",
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; sem_t s; struct timespec t;
         int main(void) {
             sem_init(&s, 0, 1);
             assert(pthread_mutex_timedlock(&m, &t) == 0);
             assert(sem_timedwait(&s, &t) == 0);
             assert(sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT);
         }",
    );
    check_all(
        "timed_out",
        "false",
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct timespec t;
         void *f(void *p) { assert(pthread_mutex_timedlock(&m, &t) == 0); return 0; }
         int main(void) {
             pthread_t t;
             pthread_mutex_lock(&m);
             pthread_create(&t, 0, f, 0);
             pthread_mutex_unlock(&m);
         }",
    );
    check_all(
        "codes",
        "true",
        "sem_t s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
         pthread_barrier_t b;
         int main(void) {
             assert(sem_trywait(&s) == -1 && errno == EAGAIN);
             assert(pthread_barrier_init(&b, 0, 0) == EINVAL);
             pthread_mutex_lock(&m);
             assert(pthread_mutex_destroy(&m) == EBUSY);
             pthread_mutex_unlock(&m);
             assert(pthread_mutex_destroy(&m) == 0);
             pthread_rwlock_wrlock(&w);
             assert(pthread_rwlock_rdlock(&w) == EDEADLK && pthread_rwlock_wrlock(&w) == EDEADLK);
             assert(pthread_join(pthread_self(), 0) == EDEADLK);
         }",
    );
}

#[test]
fn named_semaphores() {
    let text = |name: &str| {
        format!(
            "int x;
             void *f(void *p) {{ x = 1; sem_post(sem_open(\"/ready\", 0)); return 0; }}
             int main(void) {{
                 pthread_t t;
                 sem_t *s = sem_open(\"/ready\", O_CREAT, 0600, 0), *o = sem_open(\"/other\", O_CREAT, 0600, 1);
                 assert(s != o && sem_open(\"/none\", 0) == SEM_FAILED && errno == ENOENT);
                 pthread_create(&t, 0, f, 0);
                 sem_wait({name});
                 assert(x == 1);
             }}"
        )
    };
    check("named", "true", &text("s"));
    check("other_name", "false", &text("o"));
}

#[test]
fn ending_the_program() {
    let text = |end: &str| {
        format!(
            "int x;
             void first(void) {{ assert(x == 1); }}
             void second(void) {{ x++; }}
             int main(void) {{ atexit(first); atexit(second); {end} }}"
        )
    };
    check_all("main_returns", "true", &text("return 0;"));
    check_all("exit", "true", &text("exit(1);"));
    check_all("abort", "true", &text("x = 5; abort();"));
    check_all("exit_too_late", "false", &text("x = 1; exit(0);"));
    check_all("return_too_late", "false", &text("x = 1; return 0;"));
    check_all("last_thread", "false", &text("x = 1; pthread_exit(0);"));
}

#[test]
fn effects_are_not_dropped() {
    check_all(
        "time",
        "true",
        "#include <time.h>\nint main(void) { time_t t = 5, u = time(&t); assert(t == u); }",
    );
    let counted = "int main(void) { int n = -1; printf(\"%d %s%n\", 1, \"a\", &n); assert(n >= 0); }";
    check("percent_n", "true", counted);
    check("percent_n_changes", "false", &counted.replace("n >= 0", "n == -1"));
}

#[test]
fn the_process_has_one_number() {
    let text = |condition: &str| {
        let text =
            format!("#include <unistd.h>\nint main(void) {{ int p = getpid(); assert({condition}); }}");
        let program = program("getpid", text.as_bytes(), &Options::default()).expect("accepted");
        bounded(&program, MemoryModel::Sc)
    };
    assert_eq!(text("p == getpid()"), "true");
    assert_eq!(text("p != 4242"), "false");
}

#[test]
fn memory_may_run_out() {
    let careless = "int main(void) { int *p = malloc(4); if (p) { *p = 1; } assert(p != 0); return 0; }";
    let failing = Options { allocation: Allocation::MayFail, ..Options::default() };
    let verdict = |options: &Options| {
        let program = program("malloc", careless.as_bytes(), options).expect("accepted");
        (explored(&program, MemoryModel::Sc), bounded(&program, MemoryModel::Sc))
    };
    assert_eq!(verdict(&Options::default()), ("true", "true"));
    assert_eq!(verdict(&failing), ("false", "false"));
    let scratch = Scratch::new("malloc-option").with("p.c", &format!("{HEADERS}{careless}"));
    let told = run(command("verify --malloc-may-fail").arg(scratch.path("p.c")));
    assert!(told.code == Some(10) && told.stdout.contains("Allocations: may fail"), "{}", told.stdout);
}

#[test]
fn atomic_structures_do_not_tear() {
    let text = |qualifier: &str| {
        format!(
            "struct P {{ int a, b; }}; {qualifier} struct P p;
             void *f(void *arg) {{ struct P q = {{1, 1}}; p = q; return 0; }}
             int main(void) {{
                 pthread_t t;
                 pthread_create(&t, 0, f, 0);
                 struct P r = p;
                 assert(r.a == r.b);
             }}"
        )
    };
    check_models("whole", ["true"; 3], &text("_Atomic"));
    check_models("torn", ["false"; 3], &text(""));
}

#[test]
fn latin_1() {
    let text =
        b"int main(void) { const char *s = \"caf\xe9\"; assert((unsigned char)s[3] == 0xe9 && s[4] == 0); }";
    let program = program("latin", text, &Options::default()).expect("accepted");
    assert_eq!(explored(&program, MemoryModel::Sc), "true");
}

#[test]
fn strings() {
    check(
        "strings",
        "true",
        "int main(void) {
             char b[16] = \"abc\", n[4];
             strcat(b, \"de\");
             assert(strlen(b) == 5 && strcmp(b, \"abcde\") == 0 && strcmp(b, \"abd\") < 0 && strncmp(b, \"abx\", 2) == 0);
             assert(strchr(b, 'c') == b + 2 && strchr(b, 'z') == 0 && strrchr(b, 'a') == b);
             strncpy(n, \"xyzuv\", 4);
             assert(n[3] == 'u' && memcmp(n, \"xyzu\", 4) == 0 && memchr(n, 'z', 4) == n + 2);
             assert(strstr(\"hello\", \"ll\") != 0 && strspn(\"aab\", \"a\") == 2);
             char *d = strdup(b);
             assert(d[4] == 'e');
             char list[] = \",a,,bc\", *rest, *word = strtok_r(list, \",\", &rest);
             assert(strcmp(word, \"a\") == 0 && strcmp(strtok_r(0, \",\", &rest), \"bc\") == 0 && !strtok_r(0, \",\", &rest));
         }",
    );
    check("not_equal", "false", "int main(void) { char a[4] = \"ab\"; assert(strcmp(a, \"ac\") == 0); }");
    check("too_long", "unknown", "int main(void) { char a[4]; strcpy(a, \"abcd\"); assert(a[0] == 'a'); }");
    check("sign_only", "false", "int main(void) { char a[2] = \"c\"; assert(strcmp(a, \"a\") == 2); }");
}

#[test]
fn numbers_in_text() {
    check(
        "numbers",
        "true",
        "int main(void) {
             char *e;
             assert(strtol(\"  -42x\", &e, 10) == -42 && *e == 'x');
             assert(atoi(\"17\") == 17 && strtoul(\"0x1F\", 0, 0) == 31 && strtol(\"010\", 0, 0) == 8);
             errno = 0;
             assert(strtol(\"99999999999999999999\", 0, 10) == 9223372036854775807l && errno == ERANGE);
         }",
    );
    check("no_number", "false", "int main(void) { assert(atoi(\"x1\") == 1); }");
    check("too_large", "unknown", "int main(void) { assert(atoi(\"2147483648\") != 0); }");
}

#[test]
fn sorting() {
    let text = |order: &str| {
        format!(
            "int compare(const void *a, const void *b) {{ return {order}; }}
             int main(void) {{
                 int a[4] = {{3, 1, 2, 1}}, key = 2;
                 qsort(a, 4, sizeof(int), compare);
                 assert(a[0] == 1 && a[1] == 1 && a[2] == 2 && a[3] == 3);
                 int *found = bsearch(&key, a, 4, sizeof(int), compare);
                 assert(found == &a[2]);
             }}"
        )
    };
    check("sorted", "true", &text("*(const int *)a - *(const int *)b"));
    check("unsorted", "false", &text("0"));
    let records = "struct s { char k; int v; }; int calls;
             int compare(const void *a, const void *b) { calls++; return ((const struct s *)a)->v - ((const struct s *)b)->v; }
             int main(void) { struct s a[3] = {{'a', 3}, {'b', 1}, {'c', 2}}; qsort(a, 3, sizeof a[0], compare);
                 assert(a[0].k == 'b' && a[1].k == 'c' && a[2].k == 'a' && calls >= 2); }";
    check("records_with_padding", "true", records);
    check("records_with_padding_unsafe", "false", &records.replace("a[2].k == 'a'", "a[2].k == 'b'"));
}

#[test]
fn memory_of_any_size() {
    check(
        "realloc",
        "true",
        "int main(void) {
             int *p = malloc(2 * sizeof(int));
             p[0] = 1;
             p[1] = 2;
             p = realloc(p, 3 * sizeof(int));
             p[2] = 3;
             assert(p[0] == 1 && p[1] == 2 && p[2] == 3);
             free(p);
         }",
    );
    check(
        "moved",
        "unknown",
        "int main(void) { int *p = malloc(4), *q; *p = 1; q = realloc(p, 8); assert(*p == 1); }",
    );
    let text = |size: &str| {
        format!(
            "_Bool nondet_bool(void);
             int main(void) {{
                 int n = nondet_bool() + 2 * nondet_bool();
                 int a[4] = {{7, 7, 7, 7}}, b[4] = {{1, 2, 3, 4}};
                 memset(a, 0, n * sizeof(int));
                 for (int i = 0; i < 4; i++)
                     assert(a[i] == (i < n ? 0 : 7));
                 memmove(b + 1, b, {size});
                 if (n == 3)
                     assert(b[1] == 1 && b[2] == 2 && b[3] == 3);
             }}"
        )
    };
    check("counted", "true", &text("n * sizeof(int)"));
    check("counted_short", "false", &text("(n - (n == 3)) * sizeof(int)"));
}

#[test]
fn builtins() {
    check_all(
        "bits",
        "true",
        "int main(void) {
             assert(__builtin_popcount(0xf0f0u) == 8 && __builtin_clz(1) == 31 && __builtin_ctz(8) == 3);
             assert(__builtin_ffs(0) == 0 && __builtin_ffs(4) == 3 && __builtin_clzll(1) == 63 && __builtin_parity(7) == 1);
             assert(__builtin_bswap32(0x11223344u) == 0x44332211u && __builtin_bswap16(0x1122) == 0x2211);
             __builtin_prefetch(0);
         }",
    );
    check_all(
        "overflow",
        "true",
        "int main(void) {
             int r; long l; unsigned u;
             assert(__builtin_add_overflow(2147483647, 1, &r) && r == -2147483647 - 1);
             assert(!__builtin_add_overflow(1, 1, &r) && r == 2 && __builtin_sub_overflow(1u, 2u, &u));
             assert(!__builtin_mul_overflow(3L, 4, &l) && l == 12 && __builtin_mul_overflow(1L << 62, 2L, &l));
         }",
    );
    check_all(
        "overflow_of_mixed_types",
        "true",
        "int main(void) {
             int r; long l; unsigned u; unsigned long ul; signed char c; unsigned short s;
             assert(!__builtin_add_overflow(-1, 1u, &u) && u == 0 && __builtin_add_overflow(100, 100, &c) && c == -56);
             assert(!__builtin_sub_overflow(0u, 1, &r) && r == -1 && __builtin_add_overflow(~0ul, 1, &l) && l == 0);
             assert(__builtin_mul_overflow(-1, 1ul, &ul) && ul == ~0ul && !__builtin_mul_overflow(-3, 5u, &c) && c == -15);
             assert(__builtin_mul_overflow(~0ul, ~0ul, &l) && l == 1 && __builtin_sub_overflow(1, 2, &s) && s == 65535);
             assert(__builtin_mul_overflow_p(65536, 65536, 0) && !__builtin_mul_overflow_p(65536, 65536, 0L));
         }",
    );
    check_all(
        "overflows",
        "false",
        "int main(void) { int r; assert(!__builtin_smul_overflow(65536, 65536, &r)); }",
    );
    check_all("no_bit", "unknown", "int main(void) { int x = 0; assert(__builtin_ctz(x) >= 0); }");
}

#[test]
fn variable_arguments() {
    let text = |count: &str| {
        format!(
            "int sum(int n, va_list l) {{ int s = 0; while (n-- > 0) s += va_arg(l, int); return s; }}
             int twice(int n, ...) {{
                 va_list l, m;
                 va_start(l, n);
                 va_copy(m, l);
                 int s = sum(n, m);
                 va_end(m);
                 s += va_arg(l, int);
                 va_end(l);
                 return s;
             }}
             int main(void) {{ assert(twice({count}, 4, 5) == 13); }}"
        )
    };
    check("variable_arguments", "true", &text("2"));
    check("too_few", "false", &text("1"));
    check("too_many", "unknown", &text("3"));
}

#[test]
fn cancellation_is_deferred() {
    refused("asynchronous", "int main(void) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); }");
    refused(
        "left_by_return",
        "void h(void *p) {}
         void *f(void *p) { pthread_cleanup_push(h, 0); if (p) return 0; pthread_cleanup_pop(1); return 0; }
         int x; int main(void) { pthread_t t; pthread_create(&t, 0, f, (void *)(long)x); x = 1; }",
    );
    let text = |push: &str| {
        format!(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int in;
             void leave(void *p) {{ in = 0; pthread_mutex_unlock(p); }}
             void *f(void *p) {{
                 pthread_mutex_lock(&m);
                 in = 1;
                 pthread_cleanup_push({push}, &m);
                 pthread_testcancel();
                 pthread_cleanup_pop(1);
                 return 0;
             }}
             int main(void) {{
                 pthread_t t;
                 pthread_create(&t, 0, f, 0);
                 pthread_cancel(t);
                 pthread_mutex_lock(&m);
                 assert(in == 0);
             }}"
        )
    };
    check_all("handler", "true", &text("leave"));
    check_all("wrong_handler", "false", &text("(void (*)(void *))pthread_mutex_unlock"));
}

#[test]
fn texts_of_numbers() {
    let text = |expected: &str| {
        format!(
            "int n; int main(void) {{ char b[24]; n = -42;
             int length = snprintf(b, sizeof b, \"<%5d|%-4x|%03u|%c%s%%>\", n, 255, 7, 'q', \"ab\");
             assert(length == 21 && !strcmp(b, \"{expected}\"));
             length = snprintf(b, 4, \"%d\", 123456); assert(length == 6 && !strcmp(b, \"123\"));
             sprintf(b, \"%lu-%hhd\", 4000000000ul, 257); assert(!strcmp(b, \"4000000000-1\")); }}"
        )
    };
    let verdict = |name: &str, text: &str| {
        let program = program(name, text.as_bytes(), &Options::default()).expect("the program is accepted");
        explored(&program, MemoryModel::Sc)
    };
    assert_eq!(verdict("snprintf", &text("<  -42|ff  |007|qab%>")), "true");
    assert_eq!(verdict("snprintf_unsafe", &text("<  -42|ff  |7|qab%>")), "false");
    let float = "int main(void) { char b[9]; snprintf(b, 9, \"%f\", 1.5); }";
    assert_eq!(verdict("snprintf_float", float), "unknown");
}

#[test]
fn sets_of_signals() {
    let text = |expected: &str| {
        format!(
            "#include <signal.h>
             int main(void) {{ sigset_t s, old; sigemptyset(&s); sigaddset(&s, SIGINT); pthread_sigmask(SIG_BLOCK, &s, 0);
             sigdelset(&s, SIGINT); pthread_sigmask(SIG_SETMASK, &s, &old); assert(sigismember(&old, SIGINT) == {expected}); }}"
        )
    };
    check("sigmask", "true", &text("1"));
    check("sigmask_unsafe", "false", &text("0"));
}

#[test]
fn classes_of_characters() {
    let text = "#include <ctype.h>
         int main(void) {
             assert(isdigit('5') && !isdigit('a') && isalpha('Z') && isspace('\\t') && isxdigit('f') && !isalnum('-'));
             assert(ispunct('!') && isupper('A') && !islower('A') && isprint(' ') && !isgraph(' ') && iscntrl(7) && isblank(' '));
             assert(toupper('a') == 'A' && tolower('Q') == 'q' && toupper('1') == '1');
         }";
    check("classes", "true", text);
    check("classes_unsafe", "false", &text.replace("!isgraph", "isgraph"));
}

#[test]
fn clocks_tell_anything_that_clocks_can_tell() {
    let text = "#include <time.h>\n#include <sys/time.h>
         int main(void) {
             struct timespec s; struct timeval v;
             clock_gettime(CLOCK_MONOTONIC, &s); gettimeofday(&v, 0);
             assert(s.tv_nsec >= 0 && s.tv_nsec < 1000000000 && v.tv_usec >= 0 && v.tv_usec < 1000000);
             time_t t = 5, now = time(&t); assert(t == now);
         }";
    check("clocks", "true", text);
    check("a_clock_that_stands", "false", &text.replace("t == now", "t == 5"));
}

#[test]
fn hints_to_the_processor() {
    check(
        "hints",
        "true",
        "#include <immintrin.h>
         int main(void) { int x = 1; _mm_pause(); __builtin_ia32_pause(); __builtin_prefetch(&x, 1, 3); assert(x == 1); }",
    );
}

#[test]
fn attributes_of_threads_and_locks() {
    let text = "#include <time.h>
         int main(void) {
             pthread_mutexattr_t a; pthread_mutex_t m; int k;
             pthread_mutexattr_init(&a);
             assert(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE) == 0);
             pthread_mutexattr_gettype(&a, &k); assert(k == PTHREAD_MUTEX_RECURSIVE);
             pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED); pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
             pthread_mutex_init(&m, &a);
             assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_trylock(&m) == 0);
             pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);
             assert(pthread_mutex_unlock(&m) == EPERM && pthread_mutex_destroy(&m) == 0);
             pthread_condattr_t c; clockid_t clock;
             pthread_condattr_init(&c); assert(pthread_condattr_setclock(&c, CLOCK_MONOTONIC) == 0);
             pthread_condattr_getclock(&c, &clock); assert(clock == CLOCK_MONOTONIC);
             pthread_attr_t t; int state;
             pthread_attr_init(&t); pthread_attr_setdetachstate(&t, PTHREAD_CREATE_DETACHED); pthread_attr_setstacksize(&t, 1 << 20);
             pthread_attr_getdetachstate(&t, &state); assert(state == PTHREAD_CREATE_DETACHED);
         }";
    check("attributes", "true", &format!("#include <errno.h>\n{text}"));
    let plain =
        text.replace("_RECURSIVE) == 0", "_NORMAL) == 0").replace("k == PTHREAD_MUTEX_RECURSIVE", "1");
    check("attributes_unsafe", "false", &format!("#include <errno.h>\n{plain}"));
}

#[test]
fn waiting_with_a_limit_of_time() {
    let text = "#include <time.h>\n#include <errno.h>
         pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int ready;
         void *worker(void *x) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
         int main(void) {
             pthread_t t; struct timespec until = {0, 0}; int r = 0;
             pthread_create(&t, 0, worker, 0);
             pthread_mutex_lock(&m);
             while (!ready && r == 0) r = pthread_cond_timedwait(&c, &m, &until);
             assert(r == ETIMEDOUT || ready);
             pthread_mutex_unlock(&m);
         }";
    check("in_time_or_not", "true", text);
    check("always_in_time", "false", &text.replace("r == ETIMEDOUT || ready", "ready"));
}

#[test]
fn aligned_memory_and_small_functions() {
    check(
        "aligned",
        "true",
        "#include <stdint.h>\n#include <errno.h>
         int main(void) {
             void *p = aligned_alloc(64, 128), *q; assert(((uintptr_t)p & 63) == 0);
             assert(posix_memalign(&q, 3, 8) == EINVAL && posix_memalign(&q, 64, 8) == 0 && ((uintptr_t)q & 63) == 0);
             assert(labs(-5L) == 5 && llabs(-9LL) == 9); div_t d = div(-7, 2); assert(d.quot == -3 && d.rem == -1);
         }",
    );
    check("not_set", "false", "int main(void) { assert(getenv(\"HOME\") != 0); }");
    check("set", "false", "int main(void) { assert(getenv(\"HOME\") == 0); }");
    let line = "#include <stdio.h>\n#include <string.h>
         int main(void) { char b[4]; if (fgets(b, 4, stdin)) assert(strlen(b) < 4); else assert(1); }";
    check("a_line", "true", line);
    check("a_short_line", "false", &line.replace("< 4);", "< 3);"));
}
