//! Which tasks: task files, programs, sets, and folders with all below them, in a fixed order, each once.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regrain::frontend::Property;
use regrain::frontend::task::{self, Task, TaskError};

use crate::cli::exit::Failure;

/// A task to run.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name: the path without what all tasks have in common.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What it says. A task that cannot be read is a row of the table and no reason to stop.
    pub task: Result<Task, TaskError>,
}

/// The tasks of the paths, in their order; within folders and patterns, sorted.
pub fn entries(paths: &[PathBuf]) -> Result<Vec<Entry>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(members(path)?.iter().map(|path| plain(path)));
    }
    let mut known = BTreeSet::new();
    files.retain(|file| known.insert(file.clone()));
    if files.is_empty() {
        return Err(refused(&paths[0], "there is no task here".to_owned()));
    }
    let common = common_folder(&files);
    Ok(files.into_iter().map(|path| entry(path, &common)).collect())
}

fn entry(path: PathBuf, common: &Path) -> Entry {
    let name = path.strip_prefix(common).unwrap_or(&path);
    let name = if is_task(name) { name.with_extension("") } else { name.to_owned() };
    let task = if is_task(&path) { task::read_task(&path) } else { Ok(program(&path)) };
    Entry { name: name.display().to_string(), path, task }
}

/// A program alone: nothing is known of it.
fn program(path: &Path) -> Task {
    Task {
        input: path.to_owned(),
        property: Property::default(),
        property_file: None,
        expected: None,
        expected_by_memory_model: std::collections::BTreeMap::new(),
        data_model: None,
    }
}

fn is_task(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

fn members(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if path.extension().is_some_and(|extension| extension == "set") {
        return Ok(task::read_set(path)?);
    }
    match path.is_dir() {
        true => tasks_below(path),
        false => Ok(vec![path.to_owned()]),
    }
}

/// The task files in a folder and the folders in it, sorted. Other YAML files, such as witnesses, are passed
/// over.
fn tasks_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let unreadable = |error| refused(&folder, format!("cannot read this folder: {error}"));
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            // A link to a folder is not followed: it may lead in a circle.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else if is_task(&path) && names_a_program(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn refused(path: &Path, message: String) -> Failure {
    Failure::Task(TaskError { file: path.to_owned(), line: 0, message })
}

fn names_a_program(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| line.starts_with("input_files"))
}

/// The path without `.` and, where the text alone tells, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some_and(|name| name != "..") => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// The folder that all files are in.
fn common_folder(files: &[PathBuf]) -> PathBuf {
    let folders = files.iter().map(|file| file.parent().unwrap_or(Path::new("")).to_owned());
    let shared = |one: PathBuf, two: PathBuf| -> PathBuf {
        let parts = one.components().zip(two.components());
        parts.take_while(|(one, two)| one == two).map(|(part, _)| part).collect()
    };
    folders.reduce(shared).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks")
    }

    fn names(paths: &[&str]) -> Vec<String> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| root().join(path)).collect();
        let entries = entries(&paths).expect("these exist");
        entries.into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn names_are_short_and_rows_are_in_order() {
        let table1 = ["mutex/bakery_atomic", "mutex/bakery", "drivers/bluetooth"];
        assert_eq!(names(&["sets/table1.set"])[..3], table1);
        assert_eq!(
            names(&["mutex/peterson.yml", "mutex/peterson.yml", "mutex/dekker.c"]),
            ["peterson", "dekker.c"]
        );
    }

    #[test]
    fn a_folder_holds_what_the_sets_hold() {
        let mut folder = names(&["."]);
        let mut set = names(&["sets/all.set", "sets/cooperative.set"]);
        folder.sort();
        set.sort();
        assert_eq!(folder, set);
    }

    #[test]
    fn a_task_that_cannot_be_read_is_kept() {
        let entries = entries(&[root().join("gone.yml")]).expect("the rest may still run");
        let error = entries[0].task.as_ref().expect_err("there is no such file");
        assert!(error.message.starts_with("cannot read this file"), "{error}");
    }

    #[test]
    fn paths_are_made_plain() {
        for (path, expected) in
            [("a/./b/../c", "a/c"), ("../a/../../b", "../../b"), ("/a/../b", "/b"), ("./x", "x")]
        {
            assert_eq!(plain(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
