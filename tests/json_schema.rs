//! The JSON of `verify` has exactly the fields that `docs/src/json.md` documents, with their types.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::command::Scratch;
use crate::cooperative_reports::RING;

/// What the book says of a field.
struct Field {
    types: String,
    present: String,
}

/// The table of the page on JSON.
fn documented() -> BTreeMap<String, Field> {
    let page = include_str!("../docs/src/json.md");
    let mut fields = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [names, types, present, ..] = cells[..] else { panic!("not a row: {row}") };
        for name in names.split(", ") {
            let name = name.trim_matches('`').to_owned();
            let field = Field { types: types.to_owned(), present: present.to_owned() };
            assert!(fields.insert(name.clone(), field).is_none(), "{name} twice");
        }
    }
    assert!(fields.len() > 40, "{}", fields.len());
    fields
}

/// The fields of a document, with their types; names that are data count as `*`.
fn fields(path: &str, value: &Value, found: &mut Vec<(String, &'static str)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let free = matches!(path, "statistics" | "violation.values");
                let key = if free { "*" } else { key.as_str() };
                let inner = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                fields(&inner, value, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| fields(&format!("{path}[]"), value, found)),
        Value::Null => found.push((path.to_owned(), "null")),
        Value::Bool(_) => found.push((path.to_owned(), "truth")),
        Value::Number(_) => found.push((path.to_owned(), "number")),
        Value::String(_) => found.push((path.to_owned(), "text")),
    }
}

const RACE: &str = "\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
int x, y, n;
atomic_int z;
sem_t s;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *left(void *arg) { x = 1; if (y == 0) z++; return 0; }
void *right(void *arg)
{
    pthread_mutex_lock(&m);
    y = 1;
    if (x == 0) z = z + 1;
    n = n + __VERIFIER_nondet_int();
    sem_post(&s);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    sem_wait(&s);
    pthread_join(a, 0);
    assert(z < WANTED);
    return 0;
}
";

/// Violated while a write is still in the store buffer.
const WEAK: &str = "\
#include <pthread.h>
#include <stdatomic.h>
void reach_error(void) {}
int x, y;
atomic_int z;
void *other(void *arg) { atomic_fetch_add(&z, 1); y = 1 + x; return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    x = 1;
    if (y == 1 && z == 1)
        reach_error();
    return 0;
}
";

/// Only a run in which the consumer waits for the signal sets `waited`.
const WAITING: &str = "\
#include <assert.h>
#include <pthread.h>
int full, waited;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    if (!full)
        pthread_cond_wait(&changed, &m), waited = full;
    full = 0;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    pthread_mutex_lock(&m);
    full = 7;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    assert(waited != 7);
    return 0;
}
";

#[test]
fn the_documented_fields_are_the_emitted_ones() {
    let documented = documented();
    let loops = "void reach_error(void);
        unsigned x; int main(void) { for (;;) { x++; if (x == 4000000000u) reach_error(); } }\n";
    let scratch = Scratch::new("schema").with("p.c", RACE).with("bad.c", "int main(void) { return f(); }\n");
    let scratch = scratch.with("loop.c", loops).with("weak.c", WEAK).with("ring.c", RING);
    let orders = "#include <stdatomic.h>\natomic_int x;\nint main(void) { atomic_store_explicit(&x, 1, memory_order_relaxed); return 0; }\n";
    let scratch = scratch.with("waiting.c", WAITING).with("orders.c", orders);
    let runs = [
        ("-D WANTED=3 p.c", "true"),
        ("--engine cegar --invariant -D WANTED=3 --timeout 60 p.c", ""),
        ("-D WANTED=1 p.c", "false"),
        ("-D WANTED=2 --mm tso p.c", "false"),
        ("-D WANTED=1 --mm pso --trace full p.c", "false"),
        ("--mm tso weak.c", "false"),
        ("ring.c", "false"),
        ("waiting.c", "false"),
        ("orders.c", "true"),
        ("--engine explore --timeout 0.3 loop.c", "unknown"),
        ("bad.c", "refused"),
        ("gone.c", "refused"),
    ];
    let mut seen = BTreeSet::new();
    for (arguments, outcome) in runs {
        let document = scratch.run(&format!("verify -q --format json {arguments}")).json();
        let verdict = document["verdict"].as_str().unwrap_or("refused");
        assert!(verdict.starts_with(outcome), "{arguments}: {verdict}");
        let mut found = Vec::new();
        fields("", &document, &mut found);
        for (name, kind) in &found {
            let field =
                documented.get(name).unwrap_or_else(|| panic!("{arguments}: {name} is not documented"));
            assert!(
                field.types.split(" or ").any(|known| known == *kind),
                "{name} is {kind}, not {}",
                field.types
            );
        }
        let names: BTreeSet<&String> = found.iter().map(|(name, _)| name).collect();
        for (name, field) in &documented {
            let expected = match field.present.as_str() {
                "always" => true,
                "with a verdict" => verdict != "refused",
                "instead of a verdict" => verdict == "refused",
                _ => continue,
            };
            assert_eq!(names.contains(name), expected, "{arguments}: {name}");
        }
        seen.extend(found.into_iter().map(|(name, _)| name));
    }
    let never: Vec<&String> = documented.keys().filter(|name| !seen.contains(*name)).collect();
    // A proof by invariants may take too long here, and an indivisible change shows its old value only where
    // it is one step of the run.
    let rare = ["invariant", "violation.trace[].actions[].old"];
    assert!(never.iter().all(|name| rare.contains(&name.as_str())), "documented and never seen: {never:?}");
}
