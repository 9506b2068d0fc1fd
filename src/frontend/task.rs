//! Verification tasks as the competition writes them: `.yml` task definitions, `.prp` properties, `.set`
//! files.
//!
//! A task names its input file, its properties with the expected verdicts, and the data model. We read format
//! 2.0 and take the first property that we can check, reachability before overflow. Our own addition,
//! `options.expected_by_memory_model`, holds the expected verdict for each memory model.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use saphyr_parser::{Event, Parser};

use super::{DataModel, Property};
use crate::program::MemoryModel;

/// A task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The program.
    pub input: PathBuf,
    /// The property to check.
    pub property: Property,
    /// The file that states it, where the task names one.
    pub property_file: Option<PathBuf>,
    /// Whether the program has the property, under SC.
    pub expected: Option<bool>,
    /// Whether it has it under each memory model, where the task says so.
    pub expected_by_memory_model: BTreeMap<MemoryModel, bool>,
    /// The data model, where the task says so.
    pub data_model: Option<DataModel>,
}

impl Task {
    /// Whether the program is expected to have the property under a memory model, if known.
    pub fn expected_under(&self, model: MemoryModel) -> Option<bool> {
        let stated = self.expected_by_memory_model.get(&model).copied();
        stated.or(self.expected.filter(|_| model == MemoryModel::Sc))
    }
}

/// Why a task, property or set is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 if none in particular.
    pub line: usize,
    /// A sentence without a final stop.
    pub message: String,
}

impl std::error::Error for TaskError {}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": error: {}", self.message)
    }
}

/// Reads a task definition.
///
/// # Errors
/// If a file cannot be read, is not a task, or asks for something we cannot check.
pub fn read_task(path: &Path) -> Result<Task, TaskError> {
    let text = read(path)?;
    let scalars = scalars(path, &text)?;
    let find = |wanted: &str| scalars.iter().find(|scalar| scalar.path == wanted);
    let error = |line: usize, message: String| TaskError { file: path.to_owned(), line, message };

    let version = find("format_version")
        .ok_or_else(|| error(0, "no `format_version`: not a task definition".to_owned()))?;
    if !matches!(version.value.as_str(), "1.0" | "2.0" | "2.1") {
        return Err(error(version.line, format!("task format {} is not supported, only 2.0", version.value)));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let inputs: Vec<&Scalar> =
        scalars.iter().filter(|s| s.path == "input_files" || s.path.starts_with("input_files/")).collect();
    let input = match inputs[..] {
        [one] => folder.join(&one.value),
        [] => return Err(error(0, "no `input_files`".to_owned())),
        [_, second, ..] => {
            return Err(error(second.line, "several input files are not supported".to_owned()));
        }
    };
    let data_model = match find("options/data_model") {
        None => None,
        Some(scalar) => match scalar.value.as_str() {
            "ILP32" => Some(DataModel::Ilp32),
            "LP64" => Some(DataModel::Lp64),
            other => return Err(error(scalar.line, format!("`{other}` is no data model: ILP32 or LP64"))),
        },
    };
    let mut expected_by_memory_model = BTreeMap::new();
    for (name, model) in [("sc", MemoryModel::Sc), ("tso", MemoryModel::Tso), ("pso", MemoryModel::Pso)] {
        if let Some(scalar) = find(&format!("options/expected_by_memory_model/{name}")) {
            expected_by_memory_model.insert(model, truth(path, scalar)?);
        }
    }
    let (property, property_file, expected) = first_property(path, folder, &scalars)?;
    Ok(Task { input, property, property_file, expected, expected_by_memory_model, data_model })
}

/// The first property of a task that we can check, with its file and its expected verdict. Reachability comes
/// before overflow.
fn first_property(
    path: &Path,
    folder: &Path,
    scalars: &[Scalar],
) -> Result<(Property, Option<PathBuf>, Option<bool>), TaskError> {
    let (mut overflow, mut refused) = (None, None);
    for number in 0.. {
        let find =
            |key: &str| scalars.iter().find(|scalar| scalar.path == format!("properties/{number}/{key}"));
        let Some(file) = find("property_file") else { break };
        let file = folder.join(&file.value);
        match read_property(&file) {
            Ok(property) => {
                let expected = find("expected_verdict").map(|scalar| truth(path, scalar)).transpose()?;
                let found = (property, Some(file), expected);
                if found.0 != Property::NoOverflow {
                    return Ok(found);
                }
                overflow = overflow.or(Some(found));
            }
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    match (overflow, refused) {
        (Some(found), _) => Ok(found),
        (None, Some(error)) => Err(error),
        (None, None) => Ok((Property::default(), None, None)),
    }
}

fn truth(path: &Path, scalar: &Scalar) -> Result<bool, TaskError> {
    match scalar.value.as_str() {
        "true" | "True" => Ok(true),
        "false" | "False" => Ok(false),
        other => Err(TaskError {
            file: path.to_owned(),
            line: scalar.line,
            message: format!("`{other}` is neither true nor false"),
        }),
    }
}

/// Reads a property file: lines `CHECK( init(main()), LTL(...) )`, blank lines and `//` comments.
///
/// # Errors
/// If the file cannot be read, is no property, or is a property that we do not check.
pub fn read_property(path: &Path) -> Result<Property, TaskError> {
    let text = read(path)?;
    let error = |line: usize, message: String| TaskError { file: path.to_owned(), line, message };
    let mut property = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let parsed = parse_check(line).map_err(|message| error(number + 1, message))?;
        if property.is_some() {
            return Err(error(number + 1, "several properties in one file are not supported".to_owned()));
        }
        property = Some(parsed);
    }
    property.ok_or_else(|| error(0, "no property in this file".to_owned()))
}

/// The properties that we know but do not check: formula without blanks, and name.
pub(super) const REFUSED_PROPERTIES: [(&str, &str); 7] = [
    ("G!data-race", "no-data-race"),
    ("Gvalid-free", "valid-memsafety"),
    ("Gvalid-deref", "valid-memsafety"),
    ("Gvalid-memtrack", "valid-memsafety"),
    ("Gvalid-memcleanup", "valid-memcleanup"),
    ("Fend", "termination"),
    ("Gdef-behavior", "def-behavior"),
];

/// Parses one `CHECK` by structure; white space does not matter.
fn parse_check(line: &str) -> Result<Property, String> {
    let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let formula = compact
        .strip_prefix("CHECK(init(main()),LTL(")
        .and_then(|rest| rest.strip_suffix("))"))
        .ok_or_else(|| format!("not a property of the form CHECK( init(main()), LTL(...) ): {line}"))?;
    if let Some(function) = formula.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix("())")) {
        return Ok(Property::UnreachCall(function.to_owned()));
    }
    if let Some(label) = formula.strip_prefix("G!label(").and_then(|rest| rest.strip_suffix(')')) {
        return Ok(Property::UnreachLabel(label.to_owned()));
    }
    if formula == "G!overflow" {
        return Ok(Property::NoOverflow);
    }
    match REFUSED_PROPERTIES.iter().find(|(known, _)| *known == formula) {
        Some((_, name)) => Err(format!("the property {name} is not supported")),
        None => Err(format!("unknown property: {line}")),
    }
}

/// The task files that a `.set` file names: one glob pattern a line, relative to it; `#` begins a comment.
/// Sorted within a pattern.
///
/// # Errors
/// If the file cannot be read, or a pattern matches nothing.
pub fn read_set(path: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let text = read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut found: Vec<PathBuf> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let pattern = line.split('#').next().unwrap_or("").trim();
        if pattern.is_empty() {
            continue;
        }
        let before = found.len();
        for file in expand(folder, pattern) {
            if !found.contains(&file) {
                found.push(file);
            }
        }
        if found.len() == before {
            let message = format!("no file matches `{pattern}`");
            return Err(TaskError { file: path.to_owned(), line: number + 1, message });
        }
    }
    Ok(found)
}

/// The files that match a pattern whose parts may contain `*` and `?`, sorted.
fn expand(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut matches = vec![folder.to_owned()];
    for part in pattern.split('/') {
        let mut next = Vec::new();
        for base in &matches {
            if !part.contains(['*', '?']) {
                next.push(base.join(part));
                continue;
            }
            let directory = if base.as_os_str().is_empty() { Path::new(".") } else { base };
            let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            next.extend(names.filter(|name| glob_matches(part, name)).map(|name| base.join(name)));
        }
        matches = next;
    }
    matches.retain(|path| path.is_file());
    matches.sort();
    matches
}

/// Whether a name matches a pattern with `*` and `?`.
fn glob_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // `reach[j]`: the pattern read so far matches the first j characters.
    let mut reach = vec![false; name.len() + 1];
    reach[0] = true;
    for symbol in pattern {
        let mut next = vec![false; name.len() + 1];
        for j in 0..=name.len() {
            next[j] = match symbol {
                '*' => reach[j] || (j > 0 && next[j - 1]),
                '?' => j > 0 && reach[j - 1],
                exact => j > 0 && reach[j - 1] && name[j - 1] == exact,
            };
        }
        reach = next;
    }
    reach[name.len()]
}

fn read(path: &Path) -> Result<String, TaskError> {
    let bytes = std::fs::read(path).map_err(|error| TaskError {
        file: path.to_owned(),
        line: 0,
        message: format!("cannot read this file: {error}"),
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A scalar of a YAML document with the keys and list positions that lead to it, joined by `/`.
struct Scalar {
    path: String,
    value: String,
    line: usize,
}

/// An open collection.
enum Level {
    Sequence { position: usize },
    Mapping { key: Option<String> },
}

/// All scalars of a YAML file. Works on the event stream with an explicit stack, so that nesting costs heap
/// only.
fn scalars(file: &Path, text: &str) -> Result<Vec<Scalar>, TaskError> {
    let mut found = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| TaskError {
            file: file.to_owned(),
            line: error.marker().line(),
            message: format!("not YAML: {}", error.info()),
        })?;
        match event {
            Event::Scalar(value, ..) => {
                if let Some(Level::Mapping { key: key @ None }) = levels.last_mut() {
                    *key = Some(value.into_owned());
                    continue;
                }
                found.push(Scalar {
                    path: path_of(&levels),
                    value: value.into_owned(),
                    line: span.start.line(),
                });
                value_read(&mut levels);
            }
            Event::Alias(_) => value_read(&mut levels),
            Event::SequenceStart(..) => levels.push(Level::Sequence { position: 0 }),
            Event::MappingStart(..) => levels.push(Level::Mapping { key: None }),
            Event::SequenceEnd | Event::MappingEnd => {
                levels.pop();
                value_read(&mut levels);
            }
            _ => {}
        }
    }
    Ok(found)
}

fn path_of(levels: &[Level]) -> String {
    let parts: Vec<String> = levels
        .iter()
        .map(|level| match level {
            Level::Sequence { position } => position.to_string(),
            Level::Mapping { key } => key.clone().unwrap_or_default(),
        })
        .collect();
    parts.join("/")
}

fn value_read(levels: &mut [Level]) {
    match levels.last_mut() {
        Some(Level::Sequence { position }) => *position += 1,
        Some(Level::Mapping { key }) => *key = None,
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name)
    }

    #[test]
    fn a_shipped_task_is_read() {
        let task = read_task(&file("mutex/bakery.yml")).expect("a task");
        assert_eq!(task.input, file("mutex/bakery.c"));
        assert_eq!(task.property, Property::UnreachCall("reach_error".to_owned()));
        assert_eq!(task.property_file, Some(file("mutex/../properties/unreach-call.prp")));
        assert_eq!(task.expected, Some(true));
        assert_eq!(task.data_model, Some(DataModel::Lp64));
        let task = read_task(&file("litmus/SB.yml")).expect("a task");
        let verdicts =
            [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(|model| task.expected_under(model));
        assert_eq!(verdicts, [Some(true), Some(false), Some(false)]);
    }

    #[test]
    fn properties_are_read_by_structure() {
        let check = parse_check;
        assert_eq!(
            check("CHECK( init(main()), LTL(G ! call(f())) )"),
            Ok(Property::UnreachCall("f".to_owned()))
        );
        assert_eq!(
            check("CHECK(init(main()),LTL(G !label(ERROR)))"),
            Ok(Property::UnreachLabel("ERROR".to_owned()))
        );
        assert_eq!(check("CHECK( init(main()), LTL(G ! overflow) )"), Ok(Property::NoOverflow));
        let race = check("CHECK( init(main()), LTL(G ! data-race) )");
        assert_eq!(race, Err("the property no-data-race is not supported".to_owned()));
        assert!(check("CHECK( init(main()), LTL(X y) )").unwrap_err().starts_with("unknown property"));
        assert!(check("G ! call(f())").unwrap_err().starts_with("not a property"));
    }

    #[test]
    fn deep_and_broken_yaml_is_an_error() {
        let deep = "[".repeat(100_000);
        assert!(scalars(Path::new("deep.yml"), &deep).is_err());
        let error = scalars(Path::new("bad.yml"), "a: [1,\nb: {").map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("bad.yml:"), "{error}");
    }

    #[test]
    fn globs() {
        for (pattern, name, matches) in [
            ("*.yml", "a.yml", true),
            ("*.yml", "a.c", false),
            ("a?c*", "abcd", true),
            ("a?c", "ac", false),
            ("*", "", true),
        ] {
            assert_eq!(glob_matches(pattern, name), matches, "{pattern} {name}");
        }
        let tasks = expand(&file("mutex"), "bakery*.yml");
        assert!(tasks.contains(&file("mutex/bakery.yml")) && tasks.is_sorted(), "{tasks:?}");
    }
}
