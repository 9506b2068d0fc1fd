//! Addresses of freed memory may be given out again, and need not be.

use super::{MODELS, Source, check, check_models, said};
use regrain::frontend::{self, DataModel};
use regrain::verify::Engine;

#[test]
fn an_address_that_was_kept_may_be_that_of_a_new_object() {
    let kept =
        "int main(void) { int *p = malloc(4); uintptr_t u = (uintptr_t)p; free(p); int *q = malloc(4);";
    check("not_again", "false", &format!("{kept} assert((uintptr_t)q != u); }}"));
    check("again", "false", &format!("{kept} assert((uintptr_t)q == u); }}"));
    check(
        "still_alive",
        "true",
        "int main(void) { int *p = malloc(4), *o = p; int *q = malloc(4); assert(q != o); free(p); }",
    );
    check(
        "hashed",
        "false",
        &format!("{kept} assert((unsigned)(u >> 4) % 64 != (unsigned)((uintptr_t)q >> 4) % 64); }}"),
    );
    check("subtracted", "false", &format!("{kept} uintptr_t d = (uintptr_t)q - u; assert(d != 0); }}"));
    check(
        "of_another_size",
        "false",
        "int main(void) { char *p = malloc(1); uintptr_t u = (uintptr_t)p; free(p); long *q = malloc(800); assert((uintptr_t)q != u); }",
    );
}

#[test]
fn one_address_belongs_to_one_object_at_a_time() {
    let freed = "int main(void) { int *p = malloc(4), *o = p; free(p);";
    check(
        "given_out_once",
        "true",
        &format!("{freed} int *q = malloc(4), *r = malloc(4); assert(q != r && !(q == o && r == o)); }}"),
    );
    check(
        "given_out_twice_in_a_row",
        "false",
        &format!("{freed} int *q = malloc(4); free(q); int *r = malloc(4); assert(!(q == o && r == o)); }}"),
    );
    check(
        "taken_by_two_threads",
        "true",
        "int *o, *r[2]; void *w(void *i) { r[(long)i] = malloc(4); return 0; }
         int main(void) { o = malloc(4); free(o); pthread_t a, b;
             pthread_create(&a, 0, w, (void *)0); pthread_create(&b, 0, w, (void *)1);
             pthread_join(a, 0); pthread_join(b, 0); assert(r[0] != r[1]); assert(!(r[0] == o && r[1] == o)); }",
    );
}

#[test]
fn an_access_through_a_kept_address_reaches_the_new_object_or_is_undefined() {
    let freed = "int main(void) { int *p = malloc(4); free(p); int *q = malloc(4); *q = 1;";
    check("the_new_object", "true", &format!("{freed} if (p == q) {{ *p = 2; assert(*q == 2); }} }}"));
    check("changed_by_it", "false", &format!("{freed} if (p == q) *p = 2; assert(*q == 1); }}"));
    check("not_given_out", "unknown", &format!("{freed} *p = 2; assert(*q == 1 || p == q); }}"));
    check("freed_twice", "unknown", &format!("{freed} free(p); assert(p != q || 1); }}"));
    check(
        "of_another_type",
        "true",
        "struct a { int x; struct a *n; }; struct b { long k; char c[24]; };
         int main(void) { struct a *p = malloc(sizeof *p); p->x = 1; void *o = p; free(p);
             struct b *q = malloc(sizeof *q); q->k = 7; q->c[3] = 2;
             if ((void *)q == o) assert(((struct b *)o)->k == 7 && ((char *)o)[11] == 2); }",
    );
    check(
        "zeroed",
        "true",
        "int main(void) { int *p = malloc(4); *p = 5; free(p); int *q = calloc(1, 4); if (p == q) assert(*p == 0); }",
    );
}

#[test]
fn realloc_may_move_or_stay() {
    let moved = "int main(void) { int *p = malloc(4); *p = 3; int *q = realloc(p, 8); assert(*q == 3);";
    check("it_may_stay", "false", &format!("{moved} assert(p != q); }}"));
    check("it_may_move", "false", &format!("{moved} assert(p == q); }}"));
    check("its_contents_stay", "true", &format!("{moved} if (p == q) {{ *p = 4; assert(q[0] == 4); }} }}"));
}

#[test]
fn what_another_thread_frees_may_be_had() {
    let text = "int *g; void *w(void *x) { free(g); return 0; }
         int main(void) { g = malloc(4); int *o = g; pthread_t t; pthread_create(&t, 0, w, 0);
             int *q = malloc(4); pthread_join(t, 0); assert(q != o); }";
    check("freed_by_another", "false", text);
    check(
        "allocated_before",
        "true",
        &text.replace(
            "pthread_create(&t, 0, w, 0);\n             int *q = malloc(4);",
            "int *q = malloc(4); pthread_create(&t, 0, w, 0);",
        ),
    );
}

/// An allocator that keeps what a thread frees for that thread needs no fence.
#[test]
fn taking_an_address_again_is_no_fence_under_tso() {
    let body = |mine: &str, other: &str, seen: &str| {
        format!(
            "{mine} = 1; int *p = malloc(4), *k = p; free(p); int *q = malloc(4); {seen} = q == k && {other} == 0;"
        )
    };
    let (left, right) = (body("x", "y", "r"), body("y", "x", "s"));
    let text = super::two_threads("int x, y, r, s;", &left, &right, "assert(!(r && s));");
    check_models("store_buffering", ["true", "false", "true"], &text);
}

/// The stack looks unchanged to who compares addresses, and a freed node gets on top.
#[test]
fn aba() {
    let text = "#include <stdatomic.h>
         struct n { struct n *next; }; _Atomic(struct n *) top; atomic_int reading; struct n *pushed;
         void *popper(void *x) {
             reading = 1; struct n *old = top, *next = old ? old->next : 0; END
             if (old) { BEFORE atomic_compare_exchange_strong(&top, &old, next); } AFTER
             return 0; }
         void *flusher(void *x) {
             struct n *list = atomic_exchange(&top, 0);
             while (reading);
             while (list) { struct n *next = list->next; free(list); list = next; }
             pushed = malloc(sizeof *pushed); pushed->next = 0; struct n *none = 0;
             atomic_compare_exchange_strong(&top, &none, pushed);
             return 0; }
         int main(void) {
             struct n *one = malloc(sizeof *one), *two = malloc(sizeof *two); one->next = 0; two->next = one; top = two;
             pthread_t a, b; pthread_create(&a, 0, popper, 0); pthread_create(&b, 0, flusher, 0);
             pthread_join(a, 0); pthread_join(b, 0);
             struct n *last = top; assert(!last || last == pushed); }";
    let safe = text.replace("END", "").replace("BEFORE", "").replace("AFTER", "reading = 0;");
    let early = text.replace("END", "reading = 0;").replace("BEFORE", "").replace("AFTER", "");
    for (name, expected, text) in [("protected", "true", safe), ("early", "false", early)] {
        for model in MODELS {
            let program = Source::new(name, &text).load(model, DataModel::Lp64).expect("it is C");
            assert_eq!(said(&program, Engine::Explore, model, 60), expected, "{name} under {model:?}");
        }
    }
}

/// Where nobody compares addresses that were kept, nothing changes.
#[test]
fn programs_that_compare_nothing_have_no_seats() {
    let seats = |name: &str, text: &str| {
        let source = Source::new(name, text);
        let program = frontend::load_raw(&source.0, &frontend::Options::default()).expect("it is C");
        program.variables.iter().filter(|variable| variable.name.ends_with(".address")).count()
    };
    let list = "struct n { struct n *next; int v; };
         int main(void) { struct n *head = 0; for (int i = 0; i < 2; i++) { struct n *n = malloc(sizeof *n); n->next = head; n->v = i; head = n; }
             int sum = 0; while (head) { struct n *n = head; head = n->next; sum += n->v; free(n); }
             int *after = malloc(4); *after = sum; assert(*after == 1); CHECK }";
    assert_eq!(seats("nothing_kept", &list.replace("CHECK", "")), 0);
    let kept = "int main(void) { int *p = malloc(4), *o = p; free(p); int *q = malloc(4); assert(o != q); }";
    assert!(seats("something_kept", kept) > 0);
}
