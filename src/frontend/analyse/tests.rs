//! Text in, text out: C snippets and the typed tree that analysis makes of them.

use super::Library;
use crate::frontend::DataModel;
use crate::frontend::diagnostic::Diagnostic;
use crate::frontend::load::library;
use crate::frontend::models::Reached;
use crate::frontend::parse::{Origin, parse};
use crate::frontend::tree::Unit;
use crate::frontend::tree_print::print;
use crate::program::Sources;

fn unit(text: &str, data_model: DataModel) -> Result<Unit, Diagnostic> {
    let mut sources = Sources::default();
    let user = parse(text, "test.c", Origin::User, &mut sources)?;
    super::analyse(&Library::empty(data_model), &user, &sources)
}

fn with_models(text: &str) -> Result<Unit, Diagnostic> {
    let mut sources = Sources::default();
    sources.file("models.c");
    let user = parse(text, "test.c", Origin::User, &mut sources)?;
    super::analyse(&library(DataModel::Lp64, &Reached::all()), &user, &sources)
}

#[track_caller]
fn snapshot(name: &str, text: &str, result: Result<Unit, Diagnostic>) {
    let printed = match result {
        Ok(unit) => print(&unit),
        Err(diagnostic) => panic!("{diagnostic}"),
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!(format!("analyse_{name}"), format!("{}\n----\n{printed}", text.trim()))
    });
}

#[track_caller]
fn check(name: &str, text: &str) {
    snapshot(name, text, unit(text, DataModel::Lp64));
}

/// The first line of the message.
#[track_caller]
fn check_error(text: &str, expected: &str) {
    let diagnostic = unit(text, DataModel::Lp64).expect_err("the text is wrong");
    let shown = diagnostic.to_string();
    assert_eq!(shown.lines().next(), Some(expected));
}

/// The constant that `expression` is, found out by an array of that length.
#[track_caller]
fn check_constant(data_model: DataModel, declarations: &str, expression: &str, expected: i128) {
    let text = format!("{declarations}\nenum e {{ value = {expression} }};\nlong long x = value;");
    let unit = match unit(&text, data_model) {
        Ok(unit) => unit,
        Err(diagnostic) => panic!("{diagnostic}"),
    };
    let global = unit.globals.last().expect("x is a global");
    let parts = &global.init.as_ref().expect("x has a value").parts;
    match parts[0].value.kind {
        crate::frontend::tree::ExprKind::Int(value) => assert_eq!(value, expected, "{expression}"),
        ref other => panic!("{expression} is not constant: {other:?}"),
    }
}

#[test]
fn integer_conversions() {
    check(
        "integer_conversions",
        "
int i; unsigned u; long l; unsigned long ul; char c; unsigned char uc; short s; _Bool b; long long ll;
void f(void) {
  i = c + uc; l = i + u; l = i + l; u = l; ul = l + ul; ll = ul * ll; c = i; b = i; i = b; b = l;
  i = c << l; l = l >> c; i = -c; i = ~b; i = !l; l = +s; i = -5; u = -1; c = 300;
  i += l; c += 1; c <<= l; u -= c; s *= u; b |= 2; i %= 3; ul ^= c;
}",
    );
}

#[test]
fn pointers() {
    check(
        "pointers",
        "
int a[3], m[2][3], *p, **pp; void *v; struct s; struct s *incomplete; long d; char *q;
void f(int *r, int t[4]) {
  p = a; p = &a[1]; p = m[1]; p = &m[1][2]; pp = &p; *p = **pp; p[2] = 1[a];
  p++; --p; p += 2; p -= d; d = p - a; v = p; p = v; v = v + 1; r = t + 1; t = r - 1;
  if (p) p = 0; if (!p || p == 0 && p != v) return; if (p < a) incomplete = 0;
  p = d ? a : 0; v = d ? v : p; q = d ? \"yes\" : 0; d = (long)p; p = (int *)d; p = &*p; a[0] = *&a[1];
}",
    );
}

#[test]
fn records() {
    check(
        "records",
        "
struct point { int x, y; }; struct point { int x; int y; };
struct list { struct list *next; struct point at; char name[5]; long long big; };
union either { int i; char c[8]; struct { short low, high; }; };
struct bits { unsigned a : 3; int b : 5; unsigned : 0; _Bool c : 1; unsigned d : 32; };
typedef struct { int n; int items[]; } vector;
struct point origin; struct list *head; union either e; struct bits bits; vector *v;
struct point make(int x) { struct point p = { x }; return p; }
int f(struct point p) {
  origin = p; p = head->next->at; head->at.x = make(3).y; e.high = e.c[1]; origin = make(1);
  bits.a = bits.b + bits.d; bits.a++; bits.c = 5; v->items[v->n] = 1; (&origin)->x = (*head).at.y;
  return bits.a + bits.d;
}",
    );
}

#[test]
fn initialisers() {
    check(
        "initialisers",
        "
struct point { int x, y; }; struct line { struct point from, to; int tags[2]; };
int a[] = { 1, 2, [4] = 5, 6 }, b[2][2] = { 1, 2, 3 }, c[2][2] = { { 1 }, { 2, 3 } }, r[] = { [1 ... 3] = 7, [2] = 8 };
struct line l1 = { 1, 2, 3, 4, 5 }, l2 = { .to = { .y = 1 }, { 2 }, }, l3 = { .to.x = 9, 10, 11 };
struct line ls[] = { [1].to.y = 1, [0] = { { 1 } } };
char s[] = \"ab\", t[2] = \"ab\", u[4] = { \"x\" }, *w = \"text\", *words[] = { \"one\", \"two\" };
struct { char name[4]; int n; } named[] = { { \"ab\", 1 }, \"cd\", 2 };
union { int i; char c; } un = { 5 }, uc = { .c = 'a' };
int scalar = { 3 }, *address = &a[2], (*pointer)[2] = &b[1]; void (*function)(void); void f(void); void (*g)(void) = f, (*h)(void) = &f;
struct { unsigned a : 2; int b : 3; } bits = { 7, 5 };
void f(void) {
  struct point p = { scalar, .y = p.x }, q = p; struct line l = { p, q }; int z[3] = { 0 };
  struct point *lit = &(struct point){ 1, 2 }; int *array = (int[]){ 1, 2, 3 }; char local[] = \"hi\";
}",
    );
}

#[test]
fn statements() {
    check(
        "statements",
        "
int x;
int f(int n) {
  for (int i = 0, j = n; i < j; i++, j--) { if (i) continue; else break; }
  for (;;) { while (x) x--; do x++; while (x < 3); break; }
  switch (n) { case 1: x = 1; case 'a' ... 'c': { x = 2; break; } default: ; }
  again: if (x) goto again; else if (n) goto end; 
  end: return x, n;
}
void g(char c) { switch (c) { case 200: return; } { int x; { int x = 3; x++; } x = 1; } return; }",
    );
}

#[test]
fn functions() {
    check(
        "functions",
        "
int old(a, b) char a; int *b; { return a + *b; }
static int later(); int call(void) { return later(1, 'c') + undeclared(2) + old('x', 0); }
static int later(int a, long b) { return a; }
int printf(const char *, ...); void (*table[2])(int); typedef int operation(int, int); operation add;
int apply(operation *op, int x) { return op(x, 1) + (*op)(x, 2) + (**op)(x, 3) + add(1, 2); }
int add(int a, int b) { printf(\"%d %c\\n\", a, (char)b); table[0](a); return sizeof __func__ + __func__[0]; }
_Noreturn void stop(void); extern inline __attribute__((unused)) void nothing(void) { (void)0; return stop(); }",
    );
}

#[test]
fn constants() {
    let lp64 = |expression, expected| check_constant(DataModel::Lp64, "", expression, expected);
    lp64("1 + 2 * 3 - 8 / 3 % 2", 7);
    lp64("(1 << 4 | 3) ^ 1 & ~0", 18);
    lp64("-7 / 2 * 100 + -7 % 2", -301);
    lp64("3 > 2 ? 10 : 1 / 0", 10);
    lp64("0 && 1 / 0 || !5 || 2", 1);
    lp64("(char)200 + (unsigned char)200 + (_Bool)200", 145);
    lp64("-1 < 0u", 0);
    lp64("(unsigned)-1 == 0xffffffff && 0x80000000 > 0", 1);
    lp64("sizeof(long) * 10 + sizeof(2147483648)", 88);
    lp64("sizeof('a') + sizeof(\"abc\") + sizeof(int[3]) + sizeof(long double)", 36);
    lp64("'a' + '\\n' + '\\x41' + '\\101' + '\\0' + 'ab'", 97 + 10 + 65 + 65 + 24930);
    lp64("_Alignof(double) + _Alignof(char[7])", 9);
    lp64("_Generic(1u, int: 1, unsigned: 2, default: 3)", 2);
    lp64("_Generic((char *)0, int: 1, default: 3)", 3);
    lp64("_Generic(\"\", char *: 1, default: 3)", 1);
    lp64("__builtin_constant_p(3) * 2 + __builtin_choose_expr(0, 1, 5)", 7);
    lp64("0b101 + 0x1fULL + 017", 51);
    lp64("__builtin_types_compatible_p(int[3], int[3]) * 10 + __builtin_types_compatible_p(int, long)", 10);
    lp64("__alignof__(1 + 1ll) + __alignof__(char)", 9);
    let ilp32 = |expression, expected| check_constant(DataModel::Ilp32, "", expression, expected);
    ilp32("sizeof(long) * 100 + sizeof(void *) * 10 + sizeof(long long)", 448);
    ilp32("-1l < 0u", 0);
    ilp32("sizeof(2147483648) + sizeof(struct { char c; long long l; })", 20);
    let offsets = "struct s { char c; struct { int a[3]; long l; } in; }; typedef struct s t;";
    check_constant(DataModel::Lp64, offsets, "__builtin_offsetof(t, in.a[2])", 16);
    check_constant(DataModel::Lp64, offsets, "(long)&((t *)0)->in.l", 24);
    check_constant(DataModel::Lp64, offsets, "(char *)&((t *)16)->in - (char *)16", 8);
    check_constant(
        DataModel::Lp64,
        "enum a { A = 5, B, C = -1, D }; enum u { U };",
        "A * 100 + B * 10 + D + sizeof(enum a)",
        564,
    );
    check_constant(DataModel::Lp64, "enum u { U };", "(enum u)-1 > 0", 1);
}

#[test]
fn errors() {
    check_error("int f(void) { return x; }", "test.c:1:22: error: `x` is not declared");
    check_error(
        "int x; int f(void) { return x(1); }",
        "test.c:1:29: error: `int` is called but is not a function",
    );
    check_error(
        "int f(int a, int b) { return f(1); }",
        "test.c:1:30: error: 1 arguments are too few: the function takes 2",
    );
    check_error(
        "int f(void) { return f(1); }",
        "test.c:1:22: error: 1 arguments are too many: the function takes 0",
    );
    check_error(
        "struct s { int a; } s; int f(void) { return s.b; }",
        "test.c:1:45: error: `struct s` has no member `b`",
    );
    check_error(
        "struct s { int a; } s; int f(void) { return s; }",
        "test.c:1:45: error: `struct s` cannot be converted to `int`",
    );
    check_error(
        "struct s { int a; } s; int f(void) { if (s) ; }",
        "test.c:1:42: error: `struct s` is used where a number or pointer is needed",
    );
    check_error(
        "struct s *p; int f(void) { return p->a; }",
        "test.c:1:35: error: `struct s` is incomplete here",
    );
    check_error("void f(void) { 1 = 2; }", "test.c:1:16: error: only an object can be assigned to");
    check_error("void f(void) { goto out; }", "test.c:1:16: error: label `out` is not defined");
    check_error("void f(void) { a: a: ; }", "test.c:1:19: error: label `a` is defined twice");
    check_error("void f(void) { break; }", "test.c:1:16: error: `break` outside a loop or `switch`");
    check_error("void f(void) { case 1: ; }", "test.c:1:16: error: a case outside `switch`");
    check_error(
        "void f(int x) { switch (x) { case 1: case 0 ... 2: ; } }",
        "test.c:1:25: error: two cases of this `switch` have the value 1",
    );
    check_error(
        "void f(int x) { switch (x) { default: default: ; } }",
        "test.c:1:39: error: two `default` in one `switch`",
    );
    check_error("struct { int b : 2; } s; int *p = &s.b;", "test.c:1:35: error: the address of a bit-field");
    check_error("struct s { struct s { int x; } y; } z = { 1 };", "test.c:1:1: error: `s` is defined twice");
    check_error("struct s { int x; }; struct s { long x; };", "test.c:1:22: error: `s` is defined twice");
    check_error("int x; long x;", "test.c:1:13: error: `x` is declared before with another type");
    check_error("void f(void) { int x; int x; }", "test.c:1:27: error: `x` is declared twice in this block");
    check_error("void f(void) {} void f(void) {}", "test.c:1:22: error: function `f` is defined twice");
    check_error("int n; int a[n];", "test.c:1:14: error: the length of the array is not constant");
    check_error(
        "struct s x; void f(void) { struct s y; }",
        "test.c:1:37: error: variable `y` has an incomplete type",
    );
    check_error(
        "_Static_assert(sizeof(int) == 8, \"wide\");",
        "test.c:1:1: error: static assertion failed: \"wide\"",
    );
    check_error("unsigned long int double x;", "test.c:1:1: error: these type words do not go together");
    check_error(
        "int x = 99999999999999999999;",
        "test.c:1:9: error: the constant does not fit in any integer type",
    );
}

#[test]
fn syntax_errors() {
    check_error("int x", "test.c:1:6: error: unexpected end of file");
    check_error("int f( { }", "test.c:1:8: error: unexpected `{` after `(`");
    check_error("unknown_t x;", "test.c:1:1: error: unexpected `unknown_t`");
    check_error("# 7 \"other.c\"\nint x = ;", "other.c:7:9: error: unexpected `;` after `=`");
    check_error("int x = \"a", "test.c:1:9: error: unterminated literal");
}

#[test]
fn library_types() {
    let text = "
typedef union { struct { int lock; unsigned count; int owner; unsigned users; int kind; } data; char size[40]; long align; } pthread_mutex_t;
typedef struct { long seq[6]; } pthread_cond_t; typedef int pthread_once_t; struct timespec { long sec; };
pthread_mutex_t plain = { { 0, 0, 0, 0, 0, 0, 0, { 0, 0 } } }, recursive = { { 0, 0, 0, 0, 1, 0, 0, { 0, 0 } } };
pthread_mutex_t narrow = { { 0, 0, 0, 2, 0 } }, ours = { 0, 0, 1 }, locks[2] = { { { 0 } }, { { 0, 0, 0, 0, 2 } } };
pthread_cond_t cond = { { { 0 }, { 0 }, { 0, 0 } } }; pthread_once_t once = 0;
struct account { pthread_mutex_t lock; int balance; } account = { { { 0, 0, 0, 0, 1 } }, 5 };
int pthread_mutex_lock(pthread_mutex_t *);
int sleep(int seconds) { return seconds; }
int main() { pthread_mutex_lock(&plain); plain = (pthread_mutex_t){ { 0, 0, 0, 0, 2 } }; return sleep(1); }";
    snapshot("library_types", text, with_models(text));
}

#[test]
fn atomics() {
    let text = "
_Atomic int a; _Atomic(long) b; int *_Atomic p; int x, y; unsigned char flag; int *q;
void f(void) {
  a = x; x = a; a++; a += 2; b -= a; p = &x; p++; x = *p;
  x = __atomic_load_n(&x, 0); __atomic_load(&x, &y, 2); __atomic_store_n(&x, 'a', 3); __atomic_store(&x, &y, 5);
  y = __atomic_exchange_n(&x, 1, 5); __atomic_exchange(&x, &y, &y, 5);
  y = __atomic_compare_exchange_n(&x, &y, 2, 0, 5, 0); y = __atomic_compare_exchange(&x, &y, &y, 1, 4, 2);
  y = __atomic_fetch_add(&x, 1l, 5) + __atomic_nand_fetch(&x, 1, 5); __atomic_fetch_sub(&q, 4, 0);
  y = __atomic_test_and_set(&flag, 5); __atomic_clear(&flag, 3); __atomic_thread_fence(5); __atomic_signal_fence(5);
  y = __sync_fetch_and_add(&x, 1) + __sync_or_and_fetch(&x, 1); __sync_synchronize();
  y = __sync_bool_compare_and_swap(&x, 0, 1); y = __sync_val_compare_and_swap(&x, 0, 1);
  while (__sync_lock_test_and_set(&x, 1)) ; __sync_lock_release(&x);
  y = __regrain_atomic_load(&a, 5); __regrain_atomic_fetch_add(&p, 2, 5); __regrain_atomic_compare_exchange(&a, &x, 3, 1, 5);
}";
    check("atomics", text);
}

#[test]
fn extensions() {
    check(
        "extensions",
        "
int x; _Thread_local int own; __thread int also; static int shared;
#define ignored
void f(int n, int m[n][3], int (*pm)[4]) {
  int a[n]; a[0] = sizeof a; char text[2][n + 1]; 
  typeof(x) y = ({ int t = x; t + 1; }); __auto_type z = &y; y = x ?: 3; y = z ? *z : 0;
  static int count = 5; count++; extern int elsewhere; elsewhere = own + also;
  if (__builtin_expect(!!(n), 0)) m[1][2] = pm[0][1];
  asm volatile(\"\" ::: \"memory\"); __asm__ __volatile__(\"mfence\" : : : \"memory\"); asm(\"sfence\"); asm(\"cpuid\");
  __asm__(\"\" : \"=r\"(y) : \"0\"(n)); __asm__ volatile(\"\" : \"+r\"(y)); 
  y = __extension__ 3; switch (y) { case 1 ... 3: ; } __builtin_memcpy(&x, &y, sizeof x);
  _Bool b = 0; b++; y = b++; y = b--; void *v = &f; v++; y = *(int *)(v + 1);
  __label__ out; goto out; out: ;
}
void *memcpy(void *, const void *, unsigned long);",
    );
}

#[test]
fn unsupported() {
    check(
        "unsupported",
        "
double d = 1.5; struct s { double x; int i; float f; } s; __int128 wide; long double ld;
double half(double x) { return x / 2; }
int f(int n, ...) {
  __builtin_va_list ap; __builtin_va_start(ap, n); n = __builtin_va_arg(ap, int); __builtin_va_end(ap);
  d = d + 1; n = d; if (d < 0.5 || !d) n = sizeof d; s.i = (int)half(n); float g = n; n = g ? 1 : 2; d += n; d++;
  return s.i + sizeof(struct s) + sizeof wide + sizeof ld;
}",
    );
}
