//! README and book: every command that they show runs, the tutorial prints what it says, links lead somewhere,
//! and the recipes work.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Scratch, run};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// README and the pages of the book, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let mut found = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "md" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    let text = |path: PathBuf| (path.clone(), fs::read_to_string(path).expect("a page"));
    found.into_iter().map(text).collect()
}

/// The fenced blocks of a page in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (index, part) in page.split("```").enumerate() {
        if index % 2 == 1
            && let Some((first, rest)) = part.split_once('\n')
            && first == language
        {
            found.push(rest);
        }
    }
    found
}

fn copy_files(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
}

/// Whether a report is what is shown, where `...` stands for any lines, and at the end of one for its rest.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else { return printed.is_empty() };
    if *first == "..." {
        return (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]));
    }
    let Some((line, others)) = printed.split_first() else { return false };
    let same = match first.strip_suffix("...") {
        Some(beginning) => line.starts_with(beginning),
        None => first == line,
    };
    same && matches(rest, others)
}

#[test]
fn the_tutorial_prints_what_it_says() {
    let page = include_str!("../docs/src/tutorial.md");
    let scratch = Scratch::new("book-tutorial");
    copy_files(&root().join("docs/src/tutorial"), &scratch.path(""));
    let programs: Vec<String> = fs::read_dir(root().join("docs/src/tutorial"))
        .expect("the programs")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a program"))
        .collect();
    for code in blocks(page, "c") {
        assert!(programs.iter().any(|program| program.contains(code)), "no program has\n{code}");
    }
    let sessions = blocks(page, "console");
    assert!(sessions.len() > 8, "{}", sessions.len());
    for session in sessions {
        let mut lines = session.lines();
        let arguments = lines.next().and_then(|line| line.strip_prefix("$ regrain ")).expect("a command");
        let ran = scratch.run(arguments);
        let printed: Vec<&str> = ran.stdout.lines().map(str::trim_end).collect();
        let shown: Vec<&str> = lines.collect();
        assert!(matches(&shown, &printed), "{arguments} prints\n{}\n{}", ran.stdout, ran.stderr);
    }
}

/// The commands that a page shows in running text, in tables and in blocks.
fn commands(page: &str) -> Vec<String> {
    let spans = page.split('`').skip(1).step_by(2).filter(|span| !span.contains('\n'));
    let lines = page.lines().map(|line| line.trim_start_matches("$ "));
    let shown = spans.chain(lines).filter_map(|text| text.trim().strip_prefix("regrain "));
    let shown = shown.map(|text| text.split(" > ").next().unwrap_or(text).trim().to_owned());
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown.dedup();
    shown
}

/// A command with names of files for placeholders; nothing if it is a pattern, or prose.
fn concrete(command: &str) -> Option<String> {
    let prose = ["[", "|", "...", "{", "\"", "(", ", "].iter().any(|sign| command.contains(sign));
    let first = command.split(' ').next().unwrap_or("");
    let known =
        ["verify", "show", "compare", "partition", "bench", "features", "completions", "man", "--version"];
    if prose || !known.contains(&first) {
        return None;
    }
    let word = |word: &str| match word {
        "FILE" | "FILE.c" => "program.c".to_owned(),
        "FOLDER" => "folder".to_owned(),
        "COMMAND" => "verify".to_owned(),
        "SHELL" => "bash".to_owned(),
        "PASS" => "none".to_owned(),
        other => other.to_owned(),
    };
    let mut words: Vec<String> = command.split_whitespace().map(word).collect();
    let named = |word: &String| {
        word == "folder"
            || word.starts_with("benchmarks")
            || [".c", ".i", ".yml"].iter().any(|end| word.ends_with(end))
    };
    // Running text says `regrain verify --engine cegar` without a program.
    match first {
        "verify" | "show" | "compare" | "partition" if !words.iter().any(named) => {
            words.push("program.c".to_owned())
        }
        "bench" if !words.iter().any(named) => words.push("folder".to_owned()),
        "completions" if words.len() == 1 => words.push("bash".to_owned()),
        _ => {}
    }
    Some(words.join(" "))
}

const SAFE: &str = "int x; int main(void) { if (x != 0) __VERIFIER_error(); return 0; }\n";

#[test]
fn every_command_that_is_shown_runs() {
    let scratch = Scratch::new("book-commands").with("program.c", SAFE).with("program.i", SAFE);
    let unreachable = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
    let task = "format_version: '2.0'\ninput_files: program.c\nproperties:\n  - property_file: unreach-call.prp\n    \
                expected_verdict: true\noptions:\n  language: C\n  data_model: LP64\n";
    let scratch = scratch.with("unreach-call.prp", unreachable).with("task.yml", task);
    copy_files(&root().join("docs/src/tutorial"), &scratch.path(""));
    fs::create_dir(scratch.path("folder")).expect("a folder");
    fs::copy(scratch.path("task.yml"), scratch.path("folder/task.yml")).expect("a copy");
    fs::copy(scratch.path("program.c"), scratch.path("folder/program.c")).expect("a copy");
    fs::copy(scratch.path("unreach-call.prp"), scratch.path("folder/unreach-call.prp")).expect("a copy");
    fs::copy(scratch.path("program.c"), scratch.path("account.c")).expect("a copy");
    std::os::unix::fs::symlink(root().join("benchmarks"), scratch.path("benchmarks")).expect("a link");
    let mut ran = 0;
    for (path, page) in pages() {
        for command in commands(&page).iter().filter_map(|command| concrete(command)) {
            // A whole folder of benchmarks takes its time.
            let command = command.replace("bench benchmarks", "bench folder");
            let limit = if command.starts_with("verify ") && !command.contains("--timeout") {
                " --timeout 20"
            } else {
                ""
            };
            let seen = scratch.run(&format!("{command}{limit}"));
            let fine = matches!(seen.code, Some(0 | 3 | 5 | 10));
            assert!(fine, "{}: regrain {command}\n{}", path.display(), seen.seen());
            ran += 1;
        }
    }
    assert!(ran > 30, "{ran}");
}

#[test]
fn links_lead_somewhere() {
    for (path, page) in pages() {
        for target in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let at = match file {
                "" => path.clone(),
                file => path.parent().expect("a folder").join(file),
            };
            assert!(at.exists(), "{}: {target}", path.display());
            if !anchor.is_empty() {
                let text = fs::read_to_string(&at).expect("a page");
                let slug = |line: &str| {
                    let kept = line.trim_start_matches('#').trim().to_lowercase();
                    let kept = kept.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-');
                    kept.collect::<String>().replace(' ', "-")
                };
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                assert!(headings.any(|line| slug(line) == anchor), "{}: {target}", path.display());
            }
        }
    }
}

#[test]
fn the_book_lists_all_pages() {
    let summary = include_str!("../docs/src/SUMMARY.md");
    for (path, _) in pages() {
        let Ok(page) = path.strip_prefix(root().join("docs/src")) else { continue };
        let page = page.display().to_string();
        assert!(page == "SUMMARY.md" || summary.contains(&format!("({page})")), "{page}");
    }
}

#[test]
fn the_script_for_continuous_integration_works() {
    let page = include_str!("../docs/src/install.md");
    let script = blocks(page, "sh")[0];
    let scratch = Scratch::new("book-ci").with("verify.sh", script).with("safe.c", SAFE);
    fs::create_dir(scratch.path("src")).expect("a folder");
    fs::rename(scratch.path("safe.c"), scratch.path("src/safe.c")).expect("moved");
    let binary = Path::new(env!("CARGO_BIN_EXE_regrain")).parent().expect("its folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let shell = |arguments: [&str; 3]| {
        let mut command = Command::new("sh");
        run(command.args(arguments).current_dir(scratch.path("")).env("PATH", &path))
    };
    let ran = shell(["verify.sh", "src", "results"]);
    assert_eq!(ran.code, Some(0), "{}", ran.seen());
    let unsafe_program = "int x; int main(void) { if (x == 0) __VERIFIER_error(); return 0; }\n";
    fs::write(scratch.path("src/unsafe.c"), unsafe_program).expect("a program");
    let ran = shell(["verify.sh", "src", "results"]);
    assert_eq!(ran.code, Some(1), "{}", ran.seen());
    for name in ["safe", "unsafe"] {
        let sarif = fs::read_to_string(scratch.path(&format!("results/{name}.sarif"))).expect("a result");
        let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("results");
        assert_eq!(results.len(), usize::from(name == "unsafe"));
    }
    // The job runs this script.
    let job = blocks(page, "yaml")[0];
    assert!(job.contains("sh verify.sh src results") && job.contains("sarif_file: results"));
}

/// The problem matcher finds the violated assertion, and the place of what is refused.
#[test]
fn the_editor_finds_places() {
    let page = include_str!("../docs/src/install.md");
    let tasks: serde_json::Value = serde_json::from_str(blocks(page, "json")[0]).expect("JSON");
    let matchers = tasks["tasks"][0]["problemMatcher"].as_array().expect("matchers");
    let scratch = Scratch::new("book-editor")
        .with("bad.c", "#include <assert.h>\nint x;\nint main(void) { assert(x == 1); }\n")
        .with("odd.c", "int main(void)\n{ long double x = 1; return x > 0; }\n");
    let violated = scratch.run("verify --quiet --color never bad.c").stdout;
    let refused = scratch.run("verify --quiet --color never odd.c").stderr;
    let found = [(&violated, "bad.c:3"), (&refused, "odd.c:2")];
    for (matcher, (text, place)) in matchers.iter().zip(found) {
        let pattern = matcher["pattern"]["regexp"].as_str().expect("a pattern");
        let script = "import re, sys\nm = re.search(sys.argv[1], sys.argv[2], re.M)\nprint(f'{m[int(sys.argv[3])]}:{m[int(sys.argv[4])]}')";
        let [file, line] = ["file", "line"].map(|name| matcher["pattern"][name].to_string());
        let mut python = Command::new("python3");
        let ran = run(python.args(["-c", script, pattern, text, &file, &line]));
        assert_eq!(ran.stdout.trim(), place, "{}\n{text}", ran.stderr);
    }
}

/// The container takes the archive that `./x package` makes.
#[test]
fn the_container_takes_the_archive() {
    let recipe = blocks(include_str!("../docs/src/install.md"), "dockerfile")[0];
    let packaging = include_str!("../.ci/package.py");
    assert!(recipe.contains("ADD regrain-*-linux.tar.xz /opt/"));
    assert!(packaging.contains("name = f\"regrain-{version}-{MACHINE}-linux\""));
    assert!(packaging.contains("f\"{name}.tar.xz\"") && packaging.contains("tree / \"bin/regrain\""));
}
