//! A validator of witnesses, to test that ours can be validated: it writes what a witness says into the
//! program's text, as other validators do, and verifies the result with the explorer.
//!
//! An invariant becomes an assertion, a ghost update happens together with its statement. A waypoint is
//! passed when its segment is the current one; a thread that comes to it and finds the constraint violated
//! stops there, and the violation counts only behind all segments.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// A YAML file as JSON: quoted scalars are strings, plain numbers are numbers.
pub fn yaml(text: &str) -> Value {
    let mut open: Vec<(Value, Option<String>)> = Vec::new();
    let mut root = Value::Null;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.expect("this is YAML");
        let done = match event {
            Event::Scalar(value, style, ..) => match (style, value.parse::<u64>()) {
                (ScalarStyle::Plain, Ok(number)) => Value::from(number),
                _ => Value::from(value.as_ref()),
            },
            Event::SequenceStart(..) => {
                open.push((Value::Array(Vec::new()), None));
                continue;
            }
            Event::MappingStart(..) => {
                open.push((Value::Object(Map::new()), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().expect("it was opened").0,
            _ => continue,
        };
        match open.last_mut() {
            None => root = done,
            Some((Value::Array(list), _)) => list.push(done),
            Some((Value::Object(map), key)) => match key.take() {
                None => *key = Some(done.as_str().expect("keys are texts").to_owned()),
                Some(key) => {
                    assert!(map.insert(key.clone(), done).is_none(), "{key} twice");
                }
            },
            Some(_) => unreachable!("only lists and maps are open"),
        }
    }
    root
}

/// The offset of a location of a witness in a text.
pub fn offset(text: &str, location: &Value) -> usize {
    let line = location["line"].as_u64().expect("a line") as usize;
    let column = location["column"].as_u64().expect("a column") as usize;
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let inside = text[start..].char_indices().nth(column - 1).expect("a column of the line").0;
    start + inside
}

/// A text with insertions at offsets of the original; later insertions at one offset come first.
#[derive(Default)]
struct Edits(BTreeMap<usize, String>);

impl Edits {
    fn insert(&mut self, at: usize, text: &str) {
        let there = self.0.entry(at).or_default();
        *there = format!("{text}{there}");
    }

    fn apply(self, text: &str) -> String {
        let mut result = text.to_owned();
        for (at, inserted) in self.0.into_iter().rev() {
            result.insert_str(at, &inserted);
        }
        result
    }
}

const HEAD: &str =
    "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); void __VERIFIER_assume(int);\n";

/// The program with the invariants of a witness as assertions; how many there are.
pub fn with_invariants(text: &str, witness: &Value) -> (String, usize) {
    let mut edits = Edits::default();
    let (mut head, mut count) = (HEAD.to_owned() + "#include <assert.h>\n", 0);
    for entry in witness.as_array().expect("entries") {
        if entry["entry_type"] == "ghost_instrumentation" {
            for ghost in entry["content"]["ghost_variables"].as_array().expect("ghosts") {
                let (name, value) = (ghost["name"].as_str().expect("a name"), &ghost["initial"]["value"]);
                head += &format!("int {name} = {};\n", value.as_str().expect("a value"));
            }
            for update in entry["content"]["ghost_updates"].as_array().expect("updates") {
                let at = offset(text, &update["location"]);
                let end = at + text[at..].find(';').expect("a statement ends") + 1;
                let change = &update["updates"][0];
                let [name, value] = ["variable", "value"].map(|key| change[key].as_str().expect("a text"));
                edits.insert(at, &format!("__VERIFIER_atomic_begin(); {name} = {value}; "));
                edits.insert(end, " __VERIFIER_atomic_end();");
            }
        }
    }
    // After the ghosts, so that invariants are checked before the statement with its update.
    for entry in witness.as_array().expect("entries").iter().filter(|e| e["entry_type"] == "invariant_set") {
        for invariant in entry["content"].as_array().expect("invariants") {
            let invariant = &invariant["invariant"];
            let at = offset(text, &invariant["location"]);
            let value = invariant["value"].as_str().expect("an expression");
            let check = format!("__VERIFIER_atomic_begin(); assert({value}); __VERIFIER_atomic_end();");
            if invariant["type"] == "loop_invariant" {
                edits.insert(condition(text, at), &format!("({{ {check} 0; }}), "));
                count += 1;
            } else if is_in_list(text, at) {
                edits.insert(at, &format!("{check} "));
                count += 1;
            }
        }
    }
    (head + &edits.apply(text), count)
}

/// The program in which only the runs of a violation witness count.
pub fn with_waypoints(text: &str, witness: &Value) -> String {
    let segments = witness[0]["content"].as_array().expect("segments");
    let waypoints: Vec<&Value> = segments.iter().map(|segment| &segment["segment"][0]["waypoint"]).collect();
    let mut by_place: BTreeMap<(usize, &str), Vec<(usize, &str)>> = BTreeMap::new();
    for (number, waypoint) in waypoints.iter().enumerate() {
        let kind = waypoint["type"].as_str().expect("a type");
        let constraint = waypoint["constraint"]["value"].as_str().unwrap_or("");
        by_place.entry((offset(text, &waypoint["location"]), kind)).or_default().push((number, constraint));
    }
    let (mut edits, mut head) = (Edits::default(), HEAD.to_owned() + "int segment;\n");
    // The target goes next to its statement, behind whatever else is said there.
    for (&(at, _), visits) in by_place.iter().filter(|((_, kind), _)| *kind == "target") {
        edits.insert(at, &format!("if (segment == {}) ", visits[0].0));
    }
    for (id, ((at, kind), visits)) in by_place.into_iter().enumerate() {
        match kind {
            "target" => {}
            "assumption" => {
                let body = section(&visits, |constraint| constraint.to_owned());
                if is_in_list(text, at) {
                    edits.insert(at, &body);
                } else {
                    let end = at + text[at..].find(';').expect("a statement ends") + 1;
                    edits.insert(at, &format!("{{ {body}"));
                    edits.insert(end, " }");
                }
            }
            "function_enter" => {
                let end = at + text[at..].find(';').expect("the call is a statement") + 1;
                edits.insert(end, &section(&visits, |_| "1".to_owned()));
            }
            "branching" => {
                let body =
                    section(&visits, |constraint| format!("!!value == {}", i32::from(constraint == "true")));
                head += &format!("int decide_{id}(int value) {{ {body} return value; }}\n");
                let (from, to) = (condition(text, at), condition_end(text, at));
                edits.insert(from, &format!("decide_{id}("));
                edits.insert(to, ")");
            }
            "function_return" => {
                let body = section(&visits, |constraint| constraint.replace("\\result", "value"));
                head += &format!("long return_{id}(long value) {{ {body} return value; }}\n");
                let name = text[..at].rfind("__VERIFIER_nondet").expect("a call of an input function");
                edits.insert(name, &format!("return_{id}("));
                edits.insert(at, ")");
            }
            other => panic!("unknown waypoint {other}"),
        }
    }
    let target = waypoints.last().expect("a target")["location"]["line"].as_u64().expect("a line") as usize;
    without_other_assertions(&(head.clone() + &edits.apply(text)), target + head.lines().count())
}

/// Passes the waypoints of one place.
fn section(visits: &[(usize, &str)], condition: impl Fn(&str) -> String) -> String {
    let visit = |(number, constraint): &(usize, &str)| {
        let (condition, next) = (condition(constraint), number + 1);
        format!("if (segment == {number}) {{ __VERIFIER_assume({condition}); segment = {next}; }}")
    };
    let visits: Vec<String> = visits.iter().map(visit).collect();
    format!("__VERIFIER_atomic_begin(); {} __VERIFIER_atomic_end(); ", visits.join(" else "))
}

/// Only the assertion in one line may be violated.
fn without_other_assertions(text: &str, line: usize) -> String {
    let keep = |(number, text): (usize, &str)| match number == line {
        true => text.to_owned(),
        false => text.replace(" assert(", " (void)("),
    };
    (1..).zip(text.lines()).map(keep).collect::<Vec<String>>().join("\n") + "\n"
}

/// Whether a statement stands in a list of statements, so that another may be put before it.
fn is_in_list(text: &str, at: usize) -> bool {
    let mut before = text[..at].trim_end();
    while before.ends_with("*/") {
        before = before[..before.rfind("/*").expect("the comment begins")].trim_end();
    }
    before.ends_with([';', '{', '}', ':'])
}

/// Where the condition behind a keyword begins.
fn condition(text: &str, keyword: usize) -> usize {
    let open = keyword + text[keyword..].find('(').expect("a condition") + 1;
    match text[keyword..].starts_with("for") {
        true => open + text[open..].find(';').expect("three parts") + 1,
        false => open,
    }
}

/// Where it ends.
fn condition_end(text: &str, keyword: usize) -> usize {
    let from = condition(text, keyword);
    let mut depth = 0;
    let end = text[from..].char_indices().find(|&(_, c)| {
        let ends = depth == 0 && (c == ')' || c == ';');
        depth += i32::from(c == '(') - i32::from(c == ')');
        ends
    });
    from + end.expect("the condition ends").0
}
