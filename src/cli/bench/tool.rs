//! Other verifiers: their command lines for unreach-call tasks, and how their verdicts are read.
//!
//! A command is a list of words in which `{file}`, `{property}`, `{model}` (`sc`, `tso`, `pso`), `{bits}` (32
//! or 64), `{seconds}` and `{megabytes}` stand for what a task and the limits say. A `true` that holds only
//! up to a bound is `unknown`.

use std::path::{Path, PathBuf};
use std::process::Command;

use regrain::frontend::DataModel;
use regrain::frontend::task::Task;
use regrain::program::MemoryModel;
use regrain::report::bench::{Answer, Limits};

use super::child::{End, Measured};
use super::contestant::{Named, Said, end_text};
use super::words;
use crate::cli::value::memory_model_name;

/// Another verifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    /// Its name in the tables.
    pub name: String,
    /// Its command line.
    pub command: Vec<String>,
    reader: Reader,
    /// Whether its options make `true` mean "up to a bound".
    bounded: bool,
}

/// How the verdict is found in the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reader {
    /// CBMC and what is built on it.
    Cprover,
    Esbmc,
    Nidhugg,
    CpaChecker,
    /// Whatever prints a verdict on a line of its own.
    Lines,
}

/// A verifier that we know.
struct Known {
    name: &'static str,
    command: &'static str,
    reader: Reader,
    models: &'static [MemoryModel],
    /// Options that make `true` mean "up to a bound".
    bounding: &'static [&'static str],
}

const SC: &[MemoryModel] = &[MemoryModel::Sc];
const ALL: &[MemoryModel] = &[MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

const KNOWN: [Known; 5] = [
    Known {
        name: "cbmc",
        command: "cbmc --mm {model} --{bits} --unwinding-assertions {file}",
        reader: Reader::Cprover,
        models: ALL,
        bounding: &["--no-unwinding-assertions", "--partial-loops", "--depth"],
    },
    Known {
        name: "deagle",
        command: "deagle {property} {file} --{bits}",
        reader: Reader::Cprover,
        models: SC,
        bounding: &["--unwind", "--unwindset", "--no-unwinding-assertions"],
    },
    Known {
        name: "nidhuggc",
        command: "nidhuggc -- --{model} {file}",
        reader: Reader::Nidhugg,
        models: ALL,
        bounding: &["--unroll", "--max-search-depth"],
    },
    Known {
        name: "cpachecker",
        command: "cpachecker --spec {property} --{bits} --timelimit {seconds}s {file}",
        reader: Reader::CpaChecker,
        models: SC,
        bounding: &[],
    },
    Known {
        name: "esbmc",
        command: "esbmc --{bits} --no-bounds-check --no-pointer-check --no-div-by-zero-check {file}",
        reader: Reader::Esbmc,
        models: SC,
        bounding: &["--no-unwinding-assertions", "--partial-loops", "--context-bound"],
    },
];

/// A verifier as asked for: `NAME` or `NAME: OPTIONS` of one that we know, `NAME=COMMAND` of another, or
/// `available`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// All that we know and that are installed.
    Available,
    /// One that we know, with more options.
    Known(Named),
    /// A command.
    Command(Tool),
}

impl Wanted {
    /// Reads what users write.
    pub fn parse(text: &str) -> Result<Wanted, String> {
        if text == "available" {
            return Ok(Wanted::Available);
        }
        if let Some((name, command)) = text.split_once('=')
            && !name.contains([':', ' '])
        {
            let command = words::split(command)?;
            if !command.iter().any(|word| word.contains("{file}")) {
                return Err("the command needs {file} where the program's name goes".to_owned());
            }
            let tool = Tool { name: name.to_owned(), command, reader: Reader::Lines, bounded: false };
            return Ok(Wanted::Command(tool));
        }
        let named = match text.contains(':') {
            true => Named::parse(text)?,
            false => Named { name: text.to_owned(), options: Vec::new() },
        };
        match KNOWN.iter().any(|known| known.name == named.name) {
            true => Ok(Wanted::Known(named)),
            false => Err(format!(
                "`{}` is not known, only {}; any other is NAME=COMMAND with {{file}}",
                named.name,
                KNOWN.map(|known| known.name).join(", ")
            )),
        }
    }

    /// The verifiers meant, if they are installed and know the memory model.
    pub fn tools(&self, model: MemoryModel) -> Result<Vec<Tool>, String> {
        let fits = |known: &&Known| known.models.contains(&model) && on_path(known.name).is_some();
        match self {
            Wanted::Available => Ok(KNOWN.iter().filter(fits).map(|known| known.with(&[])).collect()),
            Wanted::Command(tool) => match on_path(&tool.command[0]) {
                Some(_) => Ok(vec![tool.clone()]),
                None => Err(format!("there is no command `{}`", tool.command[0])),
            },
            Wanted::Known(named) => {
                let known = KNOWN.iter().find(|known| known.name == named.name);
                let known = known.expect("only known ones are parsed");
                if !known.models.contains(&model) {
                    return Err(format!(
                        "{} does not know the memory model {}",
                        known.name,
                        memory_model_name(model)
                    ));
                }
                if on_path(known.name).is_none() {
                    return Err(format!("there is no command `{}` on the PATH", known.name));
                }
                Ok(vec![known.with(&named.options)])
            }
        }
    }
}

impl Known {
    fn with(&self, options: &[String]) -> Tool {
        let mut command: Vec<String> = self.command.split(' ').map(str::to_owned).collect();
        let last = command.len() - 1;
        command.splice(last..last, options.iter().cloned());
        let bounds = |option: &String| {
            let name = option.split('=').next().unwrap_or(option);
            self.bounding.contains(&name)
        };
        let bounded = options.iter().any(bounds);
        Tool { name: self.name.to_owned(), command, reader: self.reader, bounded }
    }
}

/// Where a command is.
fn on_path(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|path| path.is_file());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(command)).find(|path| path.is_file())
}

impl Tool {
    /// The command for a task.
    pub fn run_command(&self, task: &Task, model: MemoryModel, limits: &Limits) -> Result<Command, Said> {
        let path = |path: &Path| path.display().to_string();
        let property = task.property_file.as_deref().map(path);
        if property.is_none() && self.command.iter().any(|word| word.contains("{property}")) {
            return Err(Said::because(Answer::Refused, "the task names no property file"));
        }
        let bits = if task.data_model == Some(DataModel::Ilp32) { "32" } else { "64" };
        let stand_for = [
            ("{file}", path(&task.input)),
            ("{property}", property.unwrap_or_default()),
            ("{model}", memory_model_name(model).to_owned()),
            ("{bits}", bits.to_owned()),
            ("{seconds}", limits.time.as_secs().max(1).to_string()),
            ("{megabytes}", limits.memory.unwrap_or(u64::from(u32::MAX)).to_string()),
        ];
        let filled = |word: &String| {
            stand_for.iter().fold(word.clone(), |word, (name, value)| word.replace(name, value))
        };
        let mut command = Command::new(filled(&self.command[0]));
        command.args(self.command[1..].iter().map(filled));
        Ok(command)
    }

    /// What a run said.
    pub fn said(&self, ran: &Measured) -> Said {
        let lines: Vec<&str> = ran.stdout.lines().chain(ran.stderr.lines()).map(str::trim).collect();
        let answer = match self.reader {
            Reader::Cprover => cprover(&lines),
            Reader::Esbmc => esbmc(&lines),
            Reader::Nidhugg => nidhugg(ran.end),
            Reader::CpaChecker => lines.iter().rev().find_map(|line| cpachecker(line)),
            Reader::Lines => lines.iter().rev().find_map(|line| plain_verdict(line)),
        };
        match answer {
            Some(Answer::True) if self.bounded => Said::because(Answer::Unknown, "true up to a bound"),
            Some(Answer::Unknown) => Said::because(Answer::Unknown, "the tool does not know"),
            Some(answer) => Said::plainly(answer),
            None => Said::because(Answer::Crashed, end_text(ran)),
        }
    }
}

fn violated() -> Answer {
    Answer::False("false(unreach-call)".to_owned())
}

/// Each property has a line `[FUNCTION.KIND.NUMBER] ...: SUCCESS` or `FAILURE`. Only assertions are our
/// property: another failure, as of an unwinding assertion, cuts runs short and leaves the question open.
fn cprover(lines: &[&str]) -> Option<Answer> {
    let failures: Vec<&&str> =
        lines.iter().filter(|line| line.starts_with('[') && line.ends_with(": FAILURE")).collect();
    if failures.iter().any(|line| line.contains(".assertion.")) {
        return Some(violated());
    }
    if !failures.is_empty() {
        return Some(Answer::Unknown);
    }
    if lines.contains(&"VERIFICATION SUCCESSFUL") {
        return Some(Answer::True);
    }
    lines.contains(&"VERIFICATION FAILED").then(violated)
}

fn esbmc(lines: &[&str]) -> Option<Answer> {
    if lines.contains(&"VERIFICATION FAILED") {
        let unwinding = lines.iter().any(|line| line.starts_with("unwinding assertion"));
        return Some(if unwinding { Answer::Unknown } else { violated() });
    }
    if lines.contains(&"VERIFICATION SUCCESSFUL") {
        return Some(Answer::True);
    }
    lines.contains(&"VERIFICATION UNKNOWN").then_some(Answer::Unknown)
}

fn nidhugg(end: End) -> Option<Answer> {
    match end {
        End::Code(0) => Some(Answer::True),
        End::Code(42) => Some(violated()),
        _ => None,
    }
}

fn cpachecker(line: &str) -> Option<Answer> {
    let result = line.strip_prefix("Verification result: ")?;
    match result.split(['.', ' ', '(']).next()? {
        "TRUE" => Some(Answer::True),
        "FALSE" => Some(violated()),
        _ => Some(Answer::Unknown),
    }
}

/// `true`, `false`, `false(...)` or `unknown` in letters of either kind, alone or after `Verdict:` and the
/// like, or what CBMC's family prints.
fn plain_verdict(line: &str) -> Option<Answer> {
    let lower = line.to_lowercase();
    let word = match lower.split_once(": ") {
        Some(("verdict" | "result" | "verification result", rest)) => rest,
        Some(_) => return None,
        None => lower.as_str(),
    };
    match word.split(['(', ' ', '.']).next()? {
        "true" | "safe" => Some(Answer::True),
        "false" | "unsafe" if word.contains('(') => Some(Answer::False(word.replace("unsafe", "false"))),
        "false" | "unsafe" => Some(violated()),
        "unknown" => Some(Answer::Unknown),
        "verification" if word == "verification successful" => Some(Answer::True),
        "verification" if word == "verification failed" => Some(violated()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn known(text: &str) -> Tool {
        let Wanted::Known(named) = Wanted::parse(text).expect("a tool") else { panic!("{text} is known") };
        let known = KNOWN.iter().find(|known| known.name == named.name).expect("it was parsed");
        known.with(&named.options)
    }

    fn answer(tool: &Tool, code: i32, stdout: &str) -> Answer {
        let [wall, cpu] = [Duration::ZERO; 2];
        let (stdout, stderr) = (stdout.to_owned(), String::new());
        tool.said(&Measured { end: End::Code(code), stopped: None, wall, cpu, memory: 0, stdout, stderr })
            .answer
    }

    #[test]
    fn cbmc_is_believed_about_assertions_only() {
        let cbmc = known("cbmc");
        let fails = "** Results:\n[main.assertion.1] line 9 assertion x == 2: FAILURE\n** 1 of 2 failed\nVERIFICATION FAILED";
        assert_eq!(answer(&cbmc, 10, fails), violated());
        let unwinding = fails.replace(".assertion.1", ".unwind.0");
        assert_eq!(answer(&cbmc, 10, &unwinding), Answer::Unknown);
        let holds = "[main.assertion.1] line 9 assertion x == 2: SUCCESS\nVERIFICATION SUCCESSFUL";
        assert_eq!(answer(&cbmc, 0, holds), Answer::True);
        assert_eq!(answer(&known("cbmc: --unwind 3"), 0, holds), Answer::True);
        assert_eq!(answer(&known("cbmc: --unwind 3 --no-unwinding-assertions"), 0, holds), Answer::Unknown);
        assert_eq!(answer(&cbmc, 6, "PARSING ERROR"), Answer::Crashed);
    }

    #[test]
    fn the_others_are_read_by_what_they_document() {
        assert_eq!(answer(&known("nidhuggc"), 42, ""), violated());
        assert_eq!(answer(&known("nidhuggc"), 0, "No errors were detected."), Answer::True);
        assert_eq!(answer(&known("nidhuggc: --unroll=3"), 0, ""), Answer::Unknown);
        let cpa = known("cpachecker");
        assert_eq!(answer(&cpa, 0, "Verification result: TRUE. No property violation found."), Answer::True);
        let violation = "Verification result: FALSE. Property violation (unreach-call) found.";
        assert_eq!(answer(&cpa, 0, violation), violated());
        assert_eq!(answer(&cpa, 0, "Verification result: UNKNOWN, incomplete analysis."), Answer::Unknown);
        let esbmc = known("esbmc");
        assert_eq!(answer(&esbmc, 1, "Violated property:\n  assertion\n\nVERIFICATION FAILED"), violated());
        let unwinding = "Violated property:\n  unwinding assertion loop 1\nVERIFICATION FAILED";
        assert_eq!(answer(&esbmc, 1, unwinding), Answer::Unknown);
        assert_eq!(answer(&known("deagle"), 0, "VERIFICATION SUCCESSFUL"), Answer::True);
    }

    #[test]
    fn any_command_may_print_a_verdict() {
        let Ok(Wanted::Command(mine)) = Wanted::parse("mine=run --model {model} {file}") else { panic!() };
        for (output, expected) in [
            ("Verdict: true", Answer::True),
            ("noise\nFALSE(unreach-call)\n\n", violated()),
            ("Result: unknown (limit)", Answer::Unknown),
            ("true\nfalse", violated()),
            ("VERIFICATION SUCCESSFUL", Answer::True),
            ("it is true: no bug", Answer::Crashed),
            ("", Answer::Crashed),
        ] {
            assert_eq!(answer(&mine, 1, output), expected, "{output}");
        }
    }

    #[test]
    fn placeholders_are_filled_in() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/mutex/bakery.yml");
        let task = regrain::frontend::task::read_task(&path).expect("a task");
        let limits = Limits { time: Duration::from_secs(9), memory: Some(500) };
        let Ok(Wanted::Command(mine)) = Wanted::parse("x=run {model} {bits} {seconds} {megabytes} f={file}")
        else {
            panic!()
        };
        let command = mine.run_command(&task, MemoryModel::Pso, &limits).expect("all is known");
        let arguments: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(arguments[..4], ["pso", "64", "9", "500"]);
        assert!(arguments[4].starts_with("f=") && arguments[4].ends_with("bakery.c"), "{arguments:?}");
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        for (text, part) in [("magic", "is not known"), ("x=run", "{file}"), ("x='run {file}", "quotation")] {
            let error = Wanted::parse(text).expect_err("it makes no sense");
            assert!(error.contains(part), "{error}");
        }
        let missing = Wanted::parse("x=/no/such/command {file}").expect("a command");
        assert!(missing.tools(MemoryModel::Sc).is_err());
        let weak = Wanted::parse("cpachecker").expect("known").tools(MemoryModel::Tso);
        assert_eq!(weak, Err("cpachecker does not know the memory model tso".to_owned()));
    }
}
