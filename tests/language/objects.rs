//! Objects and their initial values: initialisers that mention their own object, variables that are defined
//! elsewhere.

use super::{check, check_models};

/// `cegar` has nothing to say about bits within its time.
#[track_caller]
fn bits(name: &str, expected: &str, text: &str) {
    check_models(name, [expected; 3], text);
}

#[test]
fn an_initialiser_may_take_the_address_of_its_object() {
    let list = "struct N { struct N *n; int v; };";
    check(
        "own_address",
        "true",
        &format!("{list} int main(void) {{ struct N a = {{&a, 1}}; a.n->v = 2; assert(a.v == 2); }}"),
    );
    check(
        "own_address_unsafe",
        "false",
        &format!("{list} int main(void) {{ struct N a = {{&a, 1}}; a.n->v = 2; assert(a.v == 1); }}"),
    );
    check(
        "address_of_own_member",
        "true",
        "struct P { int x; int *p; };
         int main(void) { struct P p = {5, &p.x}; *p.p = 6; assert(p.x == 6); }",
    );
    let linked = "struct N { struct N *next; int v; };
        int main(void) {
            struct N ring[3] = {{&ring[1], 1}, {&ring[2], 2}, {&ring[0], 3}};
            int sum = 0;
            struct N *p = ring;
            for (int i = 0; i < 3; i++) { sum += p->v; p->v = 0; p = p->next; }";
    check("ring", "true", &format!("{linked} assert(sum == 6 && ring[2].v == 0 && p == ring); }}"));
    check("ring_unsafe", "false", &format!("{linked} assert(ring[2].v == 3); }}"));
}

#[test]
fn a_list_head_points_to_itself() {
    let list = "struct list { struct list *next, *prev; };
        #define LIST_HEAD(name) struct list name = { &(name), &(name) }
        static void add(struct list *item, struct list *head) {
            item->next = head->next; item->prev = head; head->next->prev = item; head->next = item;
        }";
    let run = |assertion: &str| {
        format!(
            "{list} int main(void) {{ LIST_HEAD(head); struct list a, b;
             assert(head.next == &head);
             add(&a, &head); add(&b, &head); assert({assertion}); }}"
        )
    };
    check("list_head", "true", &run("head.next == &b && head.prev == &a && a.next == &head"));
    check("list_head_unsafe", "false", &run("head.next == &head"));
}

#[test]
fn the_address_counts_in_loops_and_with_values_that_are_not_constant() {
    check(
        "own_address_in_loop",
        "true",
        "struct N { struct N *n; int v; };
         int main(void) {
             for (int i = 0; i < 2; i++) { struct N a = {&a, i}; a.n->v += 5; assert(a.v == i + 5); }
         }",
    );
    check(
        "own_address_in_thread",
        "false",
        "struct N { struct N *n; int v; };
         struct N *seen;
         void *reader(void *arg) { if (seen) seen->n->v = 7; return 0; }
         int main(void) {
             struct N a = {&a, 1};
             pthread_t t;
             seen = &a;
             pthread_create(&t, 0, reader, 0);
             pthread_join(t, 0);
             assert(a.v == 1);
         }",
    );
}

#[test]
fn a_variable_defined_elsewhere_holds_anything() {
    check("extern_unsafe", "false", "extern int x; int main(void) { assert(x == 0); }");
    check("extern", "true", "extern int x; int main(void) { x = 1; assert(x == 1); }");
    check("extern_defined", "true", "extern int x; int main(void) { assert(x == 3); } int x = 3;");
    check("extern_tentative", "true", "extern int x; int main(void) { assert(x == 0); } int x;");
    check("extern_in_block", "false", "int main(void) { extern int y; assert(y == 0); }");
    check(
        "extern_array_unsafe",
        "false",
        "extern int t[3]; int main(void) { assert(t[0] == 0 || t[2] == 0); }",
    );
}

#[test]
fn union_members_of_one_width_share_an_array() {
    let union = "union { unsigned a; unsigned b[2]; } u;";
    bits(
        "union_array",
        "true",
        &format!("{union} int main(void) {{ u.b[1] = 3; u.b[0] = 1; assert(u.a == 1); }}"),
    );
    bits(
        "union_array_unsafe",
        "false",
        &format!("{union} int main(void) {{ u.b[1] = 3; u.b[0] = 1; assert(u.a == 3); }}"),
    );
    bits(
        "union_mixed",
        "true",
        "union { char c[8]; int i; } u;
         int main(void) { u.c[1] = 1; u.c[6] = 2; assert(u.i == 256); u.i = 0x01020304; assert(u.c[3] == 1 && u.c[6] == 2); }",
    );
    bits(
        "union_mixed_index",
        "true",
        "union { unsigned char c[8]; unsigned i[2]; } u;
         int main(void) { unsigned k = __VERIFIER_nondet_uchar(); if (k >= 8) return 0; u.c[k] = 7;
             unsigned sum = 0; for (int i = 0; i < 8; i++) sum += u.c[i]; assert(sum == 7);
             assert((u.i[k / 4] >> 8 * (k % 4)) % 256 == 7); }",
    );
    bits(
        "union_straddle",
        "true",
        "union { struct { short a; int b; } __attribute__((packed)) s; int c; } u;
         int main(void) { u.c = 0x00050003; assert(u.s.a == 3 && (u.s.b & 0xffff) == 5); u.s.b = 0x10002; assert(u.c == 0x20003); }",
    );
    bits(
        "union_partly_initialised",
        "true",
        "int main(void) { for (int k = 0; k < 2; k++) { int one = k; union { int i; char c[4]; } u = { .c = { one } }; assert(u.i == k); u.i = -1; } }",
    );
}

#[test]
fn allocated_bytes_hold_wider_values() {
    bits(
        "int_in_chars",
        "true",
        "int main(void) { char *p = malloc(8); *(int *)p = 0x01020304; *(int *)(p + 4) = 5; assert(p[0] == 4 && p[3] == 1 && p[4] == 5); }",
    );
    bits(
        "int_in_chars_unsafe",
        "false",
        "int main(void) { char *p = malloc(8); *(int *)p = 0x01020304; assert(p[0] == 1); }",
    );
    bits(
        "int_in_cleared_chars",
        "true",
        "#include <string.h>
         int main(void) { char *p = malloc(8); memset(p, 0, 8); p[1] = 1; assert(*(int *)p == 256); *(long *)p = 0; assert(p[1] == 0); }",
    );
    bits(
        "int_in_calloc",
        "true",
        "int main(void) { char *p = calloc(8, 1); p[1] = 1; assert(*(int *)p == 256); }",
    );
    bits(
        "int_in_char_array",
        "true",
        "_Alignas(8) char buffer[8]; int main(void) { *(int *)buffer = 258; assert(buffer[0] == 2 && buffer[1] == 1 && buffer[4] == 0); }",
    );
    bits("outside", "unknown", "int main(void) { char *p = malloc(6); *(int *)(p + 4) = 1; }");
}
