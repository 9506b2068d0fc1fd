//! `--html`, `--dot`, `--svg` and `show`: what is in the files. `browser.rs` looks at pages in a real
//! browser.

use crate::command::{Ran, Scratch, command, run, snapshot};
use crate::reports::{HANDSHAKE, RACE};

fn shown(arguments: &str) -> Ran {
    let ran = run(&mut command(arguments));
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.seen());
    ran
}

/// The values of an attribute of all elements whose tag starts like this.
fn attributes<'a>(picture: &'a str, tag: &str, name: &str) -> Vec<&'a str> {
    let name = format!(" {name}=\"");
    let elements = picture.split('<').filter(|element| element.starts_with(tag));
    elements.filter_map(|element| element.split(&name).nth(1)?.split('"').next()).collect()
}

/// The boxes of nodes or events, in their group's coordinates.
fn boxes(picture: &str, class: &str) -> Vec<[f64; 4]> {
    let groups = picture.split("<g class=\"").filter(|group| group.starts_with(class));
    let rectangle = |group: &str| {
        let rect = group.split("<rect").nth(1).expect("a box").split("/>").next().expect("closed").to_owned();
        let rect = format!("<rect{rect}");
        ["x", "y", "width", "height"]
            .map(|name| attributes(&rect, "rect", name)[0].parse().expect("a number"))
    };
    groups.map(rectangle).collect()
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}

/// Every element is closed, in the right order.
fn well_formed(picture: &str) {
    let mut open: Vec<&str> = Vec::new();
    for (start, _) in picture.match_indices('<') {
        let tag = &picture[start + 1..start + picture[start..].find('>').expect("tags end")];
        match tag.strip_prefix('/') {
            _ if tag.starts_with('?') || tag.ends_with('/') => {}
            Some(closed) => assert_eq!(open.pop(), Some(closed), "at {start}"),
            None => open.push(tag.split([' ', '\n']).next().expect("a name")),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_event_order_graph_of_store_buffering_has_a_cycle() {
    let ran = shown("show --what events --mm tso benchmarks/litmus/SB.c");
    snapshot("events_sb_tso", &ran.stdout);
    let ran = run(&mut command("show --what events benchmarks/litmus/SB.c"));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(5), ""), "{}", ran.seen());
    assert!(ran.stderr.contains("no run that violates"), "{}", ran.stderr);
}

#[test]
fn under_sequential_consistency_there_is_no_cycle() {
    let scratch = Scratch::new("events").with("p.c", RACE);
    let text = scratch.run("show --what events p.c").stdout;
    snapshot("events_race", &text);
    for unsafe_one in [
        "mutex/szymanski_unsafe",
        "lockfree/treiber_pop_unsafe",
        "locks/rwlock_unsafe",
        "litmus/RMW-plain-adds",
    ] {
        let text = shown(&format!("show --what events benchmarks/{unsafe_one}.c")).stdout;
        assert!(text.contains("orders between threads") && !text.contains("cycle"), "{unsafe_one}: {text}");
    }
}

#[test]
fn litmus_shapes_that_need_store_buffers_have_cycles() {
    for (shape, model) in
        [("MP", "pso"), ("2+2W", "pso"), ("SB+rfis", "tso"), ("R", "tso"), ("S", "pso"), ("n6", "tso")]
    {
        let text = shown(&format!("show --what events --mm {model} benchmarks/litmus/{shape}.c")).stdout;
        let cycle = text.lines().skip_while(|line| !line.starts_with("cycle")).nth(1).unwrap_or_default();
        let ends: Vec<&str> = cycle.split_whitespace().collect();
        assert!(ends.len() > 4 && ends.first() == ends.last(), "{shape}: {text}");
    }
}

#[test]
fn dot_and_text_have_the_same_orders() {
    let text = shown("show --what events --mm tso benchmarks/litmus/SB.c").stdout;
    let dot = shown("show --what events --mm tso --format dot benchmarks/litmus/SB.c").stdout;
    let orders = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [from, relation @ ("rf" | "co" | "fr" | "sync"), to] => {
                Some(format!("{from} -> {to} [{relation}"))
            }
            _ => None,
        }
    });
    for order in orders {
        let (arrow, relation) = order.split_once(" [").expect("as made above");
        let line = dot.lines().find(|line| line.contains(arrow) && line.contains(relation));
        assert!(line.is_some(), "{order} is not in {dot}");
    }
    assert_eq!(dot.matches("penwidth").count(), 4, "the cycle has four edges: {dot}");
}

#[test]
fn events_are_drawn_in_columns() {
    let scratch = Scratch::new("events-svg").with("p.c", RACE);
    let ran = scratch.run("verify --svg e.svg --dot e.dot p.c");
    assert_eq!(ran.code, Some(10), "{}", ran.seen());
    let picture = std::fs::read_to_string(scratch.path("e.svg")).expect("it was written");
    well_formed(&picture);
    let boxes = boxes(&picture, "event");
    let text = scratch.run("show --what events p.c").stdout;
    assert_eq!(
        boxes.len(),
        text.matches("  e").count() - text.split("orders").nth(1).expect("orders").matches("  e").count()
    );
    let columns: std::collections::BTreeSet<String> = boxes.iter().map(|b| format!("{}", b[0])).collect();
    assert_eq!(columns.len(), 3, "one a thread");
    for (i, a) in boxes.iter().enumerate() {
        assert!(boxes[..i].iter().all(|b| !overlap(a, b)), "{a:?} covers another event");
    }
    for name in ["main", "pay", "pay#2", "W balance = -2", "✗ balance &gt;= 0", "rf read from"] {
        assert!(picture.contains(&format!(">{name}<")), "{name} is not drawn");
    }
    let dot = std::fs::read_to_string(scratch.path("e.dot")).expect("it was written");
    assert!(dot.contains("W balance = 4"), "{dot}");
}

#[test]
fn automata_are_drawn_in_layers() {
    for program in [
        "mutex/bakery",
        "locks/bounded_buffer",
        "lockfree/ms_queue_dequeue",
        "drivers/bluetooth",
        "mutex/mcs_lock_loop",
    ] {
        let picture = shown(&format!("show --format svg benchmarks/{program}.c")).stdout;
        well_formed(&picture);
        let listed = shown(&format!("show benchmarks/{program}.c")).stdout;
        let locations = listed.lines().filter(|line| line.starts_with("  L")).count();
        let edges = listed.lines().filter(|line| line.starts_with("    -> ")).count();
        assert_eq!(attributes(&picture, "g class=\"node", "data-location").len(), locations, "{program}");
        let drawn = attributes(&picture, "g class=\"step", "data-count");
        let drawn: usize = drawn.iter().map(|count| count.parse::<usize>().expect("a number")).sum();
        assert_eq!(drawn, edges, "{program}");
        for frame in picture.split("<rect class=\"frame\"").skip(1) {
            let boxes = boxes(frame, "node");
            for (i, a) in boxes.iter().enumerate() {
                assert!(
                    boxes[..i].iter().all(|b| !overlap(a, b)),
                    "{program}: {a:?} covers another location"
                );
            }
        }
        assert_eq!(
            picture,
            shown(&format!("show --format svg benchmarks/{program}.c")).stdout,
            "{program} differs"
        );
    }
}

#[test]
fn the_threads_are_drawn() {
    let picture =
        shown("show --what threads --after none --format svg benchmarks/features/create_nested.c").stdout;
    well_formed(&picture);
    let listed = shown("show --what threads --after none benchmarks/features/create_nested.c").stdout;
    let threads = listed.lines().skip(1).filter(|line| !line.contains("shared variables")).count();
    assert_eq!(boxes(&picture, "node").len(), threads, "{listed}");
}

#[test]
fn a_proof_colours_the_automata_by_class() {
    let scratch = Scratch::new("partition-svg");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/benchmarks/drivers/mozilla_order.c");
    let options = "--granularity statement --svg p.svg --dot p.dot --html p.html";
    let ran = run(scratch.command(&format!("partition --format json {options}")).arg(file));
    let partition = ran.json();
    let picture = std::fs::read_to_string(scratch.path("p.svg")).expect("it was written");
    let dot = std::fs::read_to_string(scratch.path("p.dot")).expect("it was written");
    well_formed(&picture);
    for view in partition["views"].as_array().expect("views") {
        for thread in view["environment"].as_array().expect("threads") {
            for (class, places) in thread["classes"].as_array().expect("classes").iter().enumerate() {
                for place in places.as_array().expect("places") {
                    let place = place.as_str().expect("text");
                    let location = place.rsplit("(L").next().expect("a location").trim_end_matches(')');
                    let coloured = format!(" k{class}\" data-location=\"{location}\"");
                    assert!(picture.contains(&coloured), "{place} is not in class {class}");
                    let labelled = |line: &&str| {
                        line.contains(&format!("L{location} ["))
                            && line.contains(&format!("class {class}\\l"))
                    };
                    assert!(dot.lines().any(|line| labelled(&line)), "{place} in class {class}: {dot}");
                }
            }
        }
    }
    let page = std::fs::read_to_string(scratch.path("p.html")).expect("it was written");
    assert!(page.contains("<p class=\"badge\">true</p>") && page.contains("class=\"note\""), "{page}");
}

#[test]
fn facts_of_an_invariant_stand_below_their_lines() {
    let scratch = Scratch::new("facts").with(
        "p.c",
        "#include <assert.h>\n#include <pthread.h>\nint x = 3;\nvoid *f(void *a)\n{\n    while (1) {\n        if (x < 7)\n            x = x + 1;\n    }\n    return 0;\n}\n\
         int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    assert(x >= 3);\n    return 0;\n}\n",
    );
    let ran = scratch.run("verify --engine cegar --html p.html p.c");
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    let page = std::fs::read_to_string(scratch.path("p.html")).expect("it was written");
    let line = page.split("data-line=\"16\"").nth(1).expect("the assertion's line");
    let note = line.split("</details>").next().expect("a note");
    assert!(note.contains("<b>main</b>") && note.contains("<code>3 &lt;= x</code>"), "{note}");
}

#[test]
fn a_page_is_one_file_without_network() {
    let scratch = Scratch::new("page").with("p.c", HANDSHAKE);
    for (name, options) in
        [("false", "--mm tso"), ("none", "--mm pso --trace none"), ("full", "--mm tso --trace full")]
    {
        let ran = scratch.run(&format!("verify --html {name}.html {options} p.c"));
        assert_eq!(ran.code, Some(10), "{}", ran.seen());
        let page = std::fs::read_to_string(scratch.path(&format!("{name}.html"))).expect("it was written");
        let outside = page.replace("http://www.w3.org/2000/svg", "");
        for address in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!outside.contains(address), "{name} has {address}");
        }
        assert!(page.contains("default-src 'none'"), "{name} has no policy");
        assert_eq!(page.matches("<script").count(), 2, "data and code");
        assert!(page.matches("class=\"step ").count() > 5, "{name} has no steps");
    }
}

#[test]
fn a_file_that_cannot_be_written_costs_no_result() {
    let scratch = Scratch::new("unwritable").with("p.c", RACE);
    for option in ["--html", "--svg", "--dot"] {
        for file in ["missing/file", "/dev/full"] {
            let ran = scratch.run(&format!("verify {option} {file} p.c"));
            assert_eq!(ran.code, Some(2), "{}", ran.seen());
            assert!(ran.stderr.contains(&format!("cannot write {file}")), "{}", ran.seen());
            assert_eq!(ran.last_line(), "Verdict: false(unreach-call)");
        }
    }
}
