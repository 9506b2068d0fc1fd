//! `regrain features` says what is so: everything listed is accepted, everything that is modelled is listed.

use std::path::Path;

use regrain::frontend::diagnostic::Kind;
use regrain::frontend::features::{CONSTRUCTS, Support, functions, headers, properties};
use regrain::frontend::{self, Options, models, task};

use crate::command::{Scratch, command, run};

/// Whether the front end accepts a preprocessed program.
fn accepts(text: &str) -> bool {
    frontend::load_text(Path::new("f.i"), text, &Options::default()).is_ok()
}

/// Calls of a function with pointers and numbers, as many as functions take.
fn calls(name: &str) -> impl Iterator<Item = String> {
    let first = (0..=6).flat_map(|count| (0..=count.min(3)).map(move |pointers| (count, 0..pointers)));
    let last = (1..=6).map(|count| (count, count - 1..count));
    first.chain(last).map(move |(count, pointers)| {
        let arguments: Vec<&str> =
            (0..count).map(|i| if pointers.contains(&i) { "&x" } else { "0" }).collect();
        format!("int x; int main(void) {{ {name}({}); return 0; }}", arguments.join(", "))
    })
}

#[test]
fn every_listed_function_is_accepted() {
    let families = functions();
    assert_eq!(families.len(), 9);
    for family in &families {
        assert!(family.functions.len() >= 10, "{family:?}");
        for name in &family.functions {
            if family.name == "C11 atomics" {
                continue;
            }
            let known =
                format!("void *f(void) {{ return (void *){name}; }} int main(void) {{ f(); return 0; }}");
            let declared = |call: String| format!("int {name}(); {call}");
            let fits = accepts(&known) || calls(name).any(|call| accepts(&call) || accepts(&declared(call)));
            assert!(fits, "{name} is listed and not accepted");
        }
    }
    assert!(!accepts("int nobody(); int main(void) { nobody(); return 0; }"), "the test can fail");
}

#[test]
fn every_listed_atomic_is_accepted() {
    let families = functions();
    let atomics = families.iter().find(|family| family.name == "C11 atomics").expect("the family");
    for name in &atomics.functions {
        let scratch = Scratch::new(&format!("atomic-{name}"));
        let accepted = (1..=5).flat_map(|count| [0, 1].map(|pointers| (count, pointers))).any(|(count, pointers)| {
            let object = if name.contains("flag") { "&f" } else { "&x" };
            let first = if name.contains("fence") { "5" } else { object };
            let rest = (1..count).map(|i| if i <= pointers { "&y" } else { "5" });
            let arguments: Vec<&str> = [first].into_iter().chain(rest).collect();
            let text = format!(
                "#include <stdatomic.h>\natomic_int x; int y; atomic_flag f;\nint main(void) {{ {name}({}); return 0; }}\n",
                arguments.join(", ")
            );
            std::fs::write(scratch.path("p.c"), text).expect("a file");
            frontend::load(&scratch.path("p.c"), &Options::default()).is_ok()
        });
        assert!(accepted, "{name}");
    }
}

#[test]
fn every_model_is_listed() {
    let listed: Vec<String> = functions().into_iter().flat_map(|family| family.functions).collect();
    // The text of the models: a definition begins in the first column.
    let mut found = 0;
    for line in models::TEXT.lines().filter(|line| line.contains('(') && line.contains('{')) {
        let head = line.split('(').next().unwrap_or("");
        let name = head.rsplit([' ', '*']).next().unwrap_or("");
        if line.starts_with(|c: char| c.is_ascii_lowercase()) && !name.is_empty() && !head.contains('=') {
            let own = name.starts_with("__regrain_");
            assert!(own || listed.iter().any(|known| known == name), "{name} is modelled and not listed");
            found += 1;
        }
    }
    assert!(found > 80, "{found}");
}

#[test]
fn constructs_are_followed_or_refused_as_listed() {
    for construct in CONSTRUCTS {
        let scratch = Scratch::new("construct").with("p.c", construct.sample);
        let result = frontend::load(&scratch.path("p.c"), &Options::default());
        match (construct.support, result) {
            (Support::Full | Support::Bounded, Ok(_)) => {}
            (Support::Refused, Err(diagnostic)) => assert!(
                matches!(diagnostic.kind, Kind::Unsupported | Kind::UndefinedFunction | Kind::Syntax),
                "{}: {diagnostic}",
                construct.name
            ),
            (support, result) => panic!("{}: {support:?}, {:?}", construct.name, result.err()),
        }
    }
}

#[test]
fn properties_are_checked_or_refused_as_listed() {
    let listed = properties();
    for (name, formula) in [
        ("unreach-call", "G ! call(reach_error())"),
        ("unreach-label", "G ! label(ERROR)"),
        ("no-data-race", "G ! data-race"),
        ("termination", "F end"),
        ("valid-memsafety", "G valid-deref"),
    ] {
        let scratch =
            Scratch::new("property").with("p.prp", &format!("CHECK( init(main()), LTL({formula}) )\n"));
        let support = listed.iter().find(|(known, _)| *known == name).map(|(_, support)| *support);
        let accepted = task::read_property(&scratch.path("p.prp")).is_ok();
        assert_eq!(support, Some(if accepted { Support::Full } else { Support::Refused }), "{name}");
    }
}

#[test]
fn the_command_prints_text_and_json() {
    let text = run(&mut command("features"));
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    for expected in [
        "C, refused:\n  long double, _Complex\n",
        "pthread_mutex_lock",
        "__VERIFIER_assume",
        "sc, tso, pso",
        "stdatomic.h",
    ] {
        assert!(text.stdout.contains(expected), "{expected} in {}", text.stdout);
    }
    let lists = text.stdout.lines().take_while(|line| *line != "Engines:");
    assert!(lists.clone().count() > 50 && lists.clone().all(|line| line.len() <= 103), "{}", text.stdout);
    let document = run(&mut command("features --format json")).json();
    assert_eq!(document["schema_version"], 1);
    let threads = document["functions"]["POSIX threads"].as_array().expect("a list");
    assert!(threads.iter().any(|name| name == "pthread_create"));
    assert_eq!(document["headers"].as_array().map(Vec::len), Some(headers().count()));
    let engines = document["engines"].as_array().expect("a list");
    assert!(engines.iter().any(|engine| engine["name"] == "explore" && engine["description"] != ""));
}

#[test]
fn attributes_that_are_listed_are_accepted() {
    let (followed, dropped) = regrain::frontend::features::attributes();
    for name in dropped {
        assert!(
            accepts(&format!("int f(void) __attribute__(({name})); int main(void) {{ return 0; }}")),
            "{name}"
        );
        assert!(!followed.contains(name), "{name} is listed twice");
    }
    assert!(!accepts("int f(void) __attribute__((made_up)); int main(void) { return 0; }"));
}
