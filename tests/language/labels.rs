//! Labels as values: computed `goto`.

use super::{check, refused, two_threads};

#[test]
fn a_table_of_labels() {
    let text = |expected: &str| {
        format!(
            "int main(void) {{ static void *table[] = {{ &&one, &&two, &&last }}; int i = 0, s = 0;
             goto *table[i]; one: s += 1; i = 2; goto *table[i]; two: s += 10; goto out; last: s += 100; i = 1; goto *table[i];
             out: assert(s == {expected}); return 0; }}"
        )
    };
    check("labels", "true", &text("111"));
    check("labels_unsafe", "false", &text("101"));
}

#[test]
fn labels_are_values() {
    let walk = "void *next = choice ? &&left : (void *)&&right; int a = 1, b = 1; if (a &&b) goto *next; left: r = 1; goto out; right: r = 2; out: ;";
    let globals = "int choice, r;";
    check("label_chosen", "true", &two_threads(globals, "choice = 1;", walk, "assert(r == 1 || r == 2);"));
    check("label_chosen_unsafe", "false", &two_threads(globals, "choice = 1;", walk, "assert(r == 1);"));
    let distance = "int main(void) { static const int to[] = { &&a - &&a, &&b - &&a }; goto *(&&a + to[1]); a: assert(0); b: return 0; }";
    check("label_distance", "true", distance);
    let nowhere = "void *p; int main(void) { p = 0; if (p) p = &&a; goto *p; a: return 0; }";
    check("label_nowhere", "unknown", nowhere);
}

#[test]
fn jumps_out_of_functions_are_refused() {
    refused(
        "setjmp",
        "`setjmp`",
        "#include <setjmp.h>\njmp_buf b; int main(void) { if (!setjmp(b)) longjmp(b, 1); return 0; }",
    );
}
