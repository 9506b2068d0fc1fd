//! Instructions in inline assembly: what `lock` makes indivisible, what the flags say, what is refused.

use super::{check, check_models, refused, two_threads};

const ATOMIC: &str = "typedef struct { volatile int counter; } atomic_t; atomic_t v;
    static void locked_inc(void) { __asm__ volatile(\".section .smp_locks,\\\"a\\\"\\n.long 661f\\n.previous\\n661:\\tlock; incl %0\" : \"+m\"(v.counter)); }
    static void plain_inc(void) { __asm__ volatile(\"incl %0\" : \"+m\"(v.counter)); }
    static int xadd(int i) { __asm__ volatile(\"lock; xaddl %0, %1\" : \"+r\"(i), \"+m\"(v.counter) : : \"memory\"); return i; }
    static int dec_and_test(void) { unsigned char c; __asm__ volatile(\"lock; decl %0; sete %1\" : \"+m\"(v.counter), \"=qm\"(c) : : \"memory\"); return c; }
    static int xchg(volatile int *p, int x) { __asm__ volatile(\"xchgl %0,%1\" : \"=r\"(x) : \"m\"(*p), \"0\"(x) : \"memory\"); return x; }
    static int cmpxchg(volatile int *p, int old, int new) {
        int prev; __asm__ volatile(\"lock; cmpxchgl %k1,%2\" : \"=a\"(prev) : \"r\"(new), \"m\"(*p), \"0\"(old) : \"memory\"); return prev; }
    static int test_and_set_bit(int nr, volatile unsigned long *addr) {
        int old; __asm__ volatile(\"lock; btsl %2,%1\\n\\tsbbl %0,%0\" : \"=r\"(old), \"+m\"(*addr) : \"Ir\"(nr) : \"memory\"); return old; }";

/// `main` alone, behind the functions above.
fn alone(body: &str) -> String {
    format!("{ATOMIC} int main(void) {{ {body} return 0; }}")
}

#[test]
fn a_locked_increment_is_indivisible() {
    check(
        "asm_locked",
        "true",
        &two_threads(ATOMIC, "locked_inc();", "locked_inc();", "assert(v.counter == 2);"),
    );
    check(
        "asm_plain",
        "false",
        &two_threads(ATOMIC, "locked_inc();", "plain_inc();", "assert(v.counter == 2);"),
    );
    let (left, right) = ("assert(xadd(2) != 1);", "xadd(1);");
    check("asm_xadd", "false", &two_threads(ATOMIC, left, right, ""));
    check("asm_xadd_sum", "true", &two_threads(ATOMIC, "xadd(2);", right, "assert(v.counter == 3);"));
}

#[test]
fn locked_instructions_are_fences() {
    let globals = format!("{ATOMIC} int x, y, r = 1, s = 1;");
    let both = "assert(r || s);";
    let fenced = two_threads(&globals, "x = 1; locked_inc(); r = y;", "y = 1; xadd(1); s = x;", both);
    check("asm_fence", "true", &fenced);
    let bare = two_threads(&globals, "x = 1; r = y;", "y = 1; xadd(1); s = x;", both);
    check_models("asm_no_fence", ["true", "false", "false"], &bare);
    let exchanged = two_threads(&globals, "xchg(&x, 1); r = y;", "xchg(&y, 1); s = x;", both);
    check("asm_xchg_fence", "true", &exchanged);
}

#[test]
fn flags_and_old_values() {
    let body = "v.counter = 2; int r = dec_and_test(); assert(!r); r = dec_and_test(); assert(r && v.counter == 0);
        int z = 3; r = xchg(&z, 4); assert(r == 3 && z == 4);
        r = cmpxchg(&z, 4, 5); assert(r == 4 && z == 5);
        r = cmpxchg(&z, 4, 6); assert(r == 5 && z == 5);
        unsigned long w[2] = {0}; r = test_and_set_bit(3, w); assert(!r); r = test_and_set_bit(3, w); assert(r == -1 && w[0] == 8);";
    check("asm_values", "true", &alone(body));
    check("asm_values_unsafe", "false", &alone("int z = 3; int r = cmpxchg(&z, 3, 5); assert(z == 3);"));
    let bit = "unsigned long w[2] = {0}; test_and_set_bit(sizeof(long) * 8 + 1, w); assert(w[1] == 2 && w[0] == 0);";
    check("asm_far_bit", "true", &alone(bit));
}

#[test]
fn a_lock_of_test_and_set() {
    let globals = format!("{ATOMIC} volatile int lock; int shared;");
    let section = "while (cmpxchg(&lock, 0, 1)) ; shared++; __asm__ volatile(\"movl %1, %0\" : \"=m\"(lock) : \"r\"(0) : \"memory\");";
    let text = two_threads(&globals, section, section, "assert(shared == 2);");
    let program = super::Source::new("asm_lock", &text);
    let program = program
        .load(regrain::program::MemoryModel::Tso, regrain::frontend::DataModel::Lp64)
        .expect("the program is accepted");
    let model = regrain::program::MemoryModel::Tso;
    assert_eq!(super::said(&program, regrain::verify::Engine::Explore, model, 60), "true");
}

#[test]
fn ports_are_inputs() {
    let inb = "unsigned char c; __asm__ volatile(\"inb %w1,%0\" : \"=a\"(c) : \"Nd\"((unsigned short)0x60));";
    check(
        "asm_in",
        "true",
        &alone(&format!(
            "{inb} assert(c <= 255); __asm__ volatile(\"outb %0,%w1\" : : \"a\"(c), \"Nd\"((unsigned short)1));"
        )),
    );
    check("asm_in_unsafe", "false", &alone(&format!("{inb} assert(c != 200);")));
}

#[test]
fn other_instructions_are_refused() {
    refused(
        "asm_jump",
        "jmp 1f",
        &alone("int x; __asm__ volatile(\"jmp 1f\\n1: movl $1, %0\" : \"=r\"(x));"),
    );
    refused("asm_cpuid", "cpuid", &alone("int x; __asm__ volatile(\"cpuid\" : \"=a\"(x));"));
    refused("asm_width", "incq", &alone("int x; __asm__ volatile(\"incq %0\" : \"+r\"(x));"));
    refused("asm_rep", "rep movsb", &alone("__asm__ volatile(\"rep movsb\" : : : \"memory\");"));
}
