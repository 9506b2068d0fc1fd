//! Who takes part: Regrain with some options, or another verifier. A contestant knows its command line for a
//! task, and what its output says.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Parser;
use regrain::budget::Stop;
use regrain::program::MemoryModel;
use regrain::report::bench::{self, Answer, Limits};

use super::child::{Allowance, End, Measured};
use super::select::Entry;
use super::tool::Tool;
use super::words;
use crate::cli::args::{self, Arguments, VerifyArguments};
use crate::cli::value::memory_model_name;

/// What of a run's time Regrain may use to come to its own end at a limit, before it is killed.
const SLACK: Duration = Duration::from_secs(5);

/// A participant.
#[derive(Clone, Debug)]
pub struct Contestant {
    name: String,
    kind: Kind,
    /// The memory model that it assumes.
    pub model: MemoryModel,
}

#[derive(Clone, Debug)]
enum Kind {
    /// This binary with options of `verify`.
    Regrain(Vec<String>),
    Tool(Tool),
}

/// What a run said.
#[derive(Debug)]
pub struct Said {
    /// The answer.
    pub answer: Answer,
    /// Why it is no verdict.
    pub reason: String,
    /// What was counted.
    pub statistics: BTreeMap<String, serde_json::Value>,
}

impl Said {
    /// An answer with nothing more to say.
    pub fn plainly(answer: Answer) -> Said {
        Said { answer, reason: String::new(), statistics: BTreeMap::new() }
    }

    /// No verdict.
    pub fn because(answer: Answer, reason: impl Into<String>) -> Said {
        Said { reason: reason.into(), ..Said::plainly(answer) }
    }
}

/// A name and options, as `NAME: OPTIONS` or as options alone, which then are the name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub name: String,
    pub options: Vec<String>,
}

impl Named {
    /// Reads what users write.
    pub fn parse(text: &str) -> Result<Named, String> {
        let (name, options) = match text.split_once(':') {
            Some((name, options)) if !text.trim_start().starts_with('-') => (name, options),
            _ => (text, text),
        };
        Ok(Named { name: name.trim().to_owned(), options: words::split(options)? })
    }
}

impl Contestant {
    /// Regrain with options; `common` are those that all contestants get. Refuses what `verify` would refuse.
    pub fn regrain(named: Named, common: &[String], limits: &Limits) -> Result<Contestant, clap::Error> {
        let options: Vec<String> = common.iter().chain(&named.options).cloned().collect();
        let model = parsed(&options, limits)?.program.memory_model;
        Ok(Contestant { name: named.name, kind: Kind::Regrain(options), model })
    }

    /// Another verifier.
    pub fn tool(tool: Tool, model: MemoryModel) -> Contestant {
        Contestant { name: tool.name.clone(), kind: Kind::Tool(tool), model }
    }

    /// For the report.
    pub fn described(&self) -> bench::Contestant {
        let command = match &self.kind {
            Kind::Regrain(options) => {
                ["regrain", "verify"].into_iter().chain(options.iter().map(String::as_str))
            }
            Kind::Tool(tool) => return self.description(tool.command.join(" ")),
        };
        self.description(command.collect::<Vec<_>>().join(" "))
    }

    fn description(&self, command: String) -> bench::Contestant {
        bench::Contestant { name: self.name.clone(), command, memory_model: memory_model_name(self.model) }
    }

    /// What the program is expected to be under the contestant's memory model.
    pub fn expected(&self, entry: &Entry) -> Option<bool> {
        entry.task.as_ref().ok()?.expected_under(self.model)
    }

    /// The command that runs a task.
    pub fn command(&self, entry: &Entry, limits: &Limits) -> Result<Command, Said> {
        let task = entry.task.as_ref().map_err(|error| Said::because(Answer::Refused, error.to_string()))?;
        match &self.kind {
            Kind::Regrain(options) => {
                let binary = std::env::current_exe()
                    .map_err(|error| Said::because(Answer::Crashed, format!("where is regrain? {error}")))?;
                let mut command = Command::new(binary);
                command.args(verify_arguments(options, limits, &entry.path));
                Ok(command)
            }
            Kind::Tool(tool) => tool.run_command(task, self.model, limits),
        }
    }

    /// What a run of this contestant is allowed. Regrain watches its limits itself and is killed only if it
    /// does not.
    pub fn allowance<'a>(
        &self,
        limits: &Limits,
        cancelled: &'a std::sync::atomic::AtomicBool,
    ) -> Allowance<'a> {
        match &self.kind {
            Kind::Regrain(_) => Allowance {
                time: limits.time + SLACK,
                memory: limits.memory.map(|limit| limit + limit / 10 + 64),
                cancelled,
            },
            Kind::Tool(_) => Allowance { time: limits.time, memory: limits.memory, cancelled },
        }
    }

    /// What the output of a run means.
    pub fn said(&self, ran: &Measured) -> Said {
        match (&self.kind, ran.stopped) {
            (_, Some(stop @ Stop::Time(_))) => Said::because(Answer::Timeout, stop.to_string()),
            (_, Some(stop @ Stop::Memory(_))) => Said::because(Answer::Memory, stop.to_string()),
            (Kind::Tool(_), Some(stop @ (Stop::Cancelled | Stop::Beaten))) => {
                Said::because(Answer::Unknown, stop.to_string())
            }
            (Kind::Regrain(_), _) => own_words(ran),
            (Kind::Tool(tool), None) => tool.said(ran),
        }
    }
}

/// The arguments as `verify` will understand them.
fn parsed(options: &[String], limits: &Limits) -> Result<VerifyArguments, clap::Error> {
    let arguments = verify_arguments(options, limits, Path::new("TASK"));
    let line = [OsString::from("regrain")].into_iter().chain(arguments);
    match Arguments::try_parse_from(line)?.command {
        args::Command::Verify(verify) => Ok(verify),
        _ => unreachable!("the line names `verify`"),
    }
}

/// The memory model that common options ask for.
pub fn common_model(common: &[String], limits: &Limits) -> Result<MemoryModel, clap::Error> {
    Ok(parsed(common, limits)?.program.memory_model)
}

fn verify_arguments(options: &[String], limits: &Limits, file: &Path) -> Vec<OsString> {
    let mut arguments = vec![OsString::from("verify")];
    arguments.extend(options.iter().map(OsString::from));
    for fixed in ["--quiet", "--format", "json", "--trace", "none", "--timeout"] {
        arguments.push(fixed.into());
    }
    arguments.push(limits.time.as_secs_f64().to_string().into());
    if let Some(megabytes) = limits.memory {
        arguments.extend(["--memory-limit".into(), megabytes.to_string().into()]);
    }
    arguments.push("--".into());
    arguments.push(PathBuf::from(file).into());
    arguments
}

/// What Regrain's document says. Verdict and exit code have to agree.
fn own_words(ran: &Measured) -> Said {
    let Ok(document) = serde_json::from_str::<serde_json::Value>(&ran.stdout) else {
        return Said::because(Answer::Crashed, end_text(ran));
    };
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let summary = text(&document["reason"]["summary"]);
    let verdict = text(&document["verdict"]);
    let mut said = match (verdict.split(['(', ' ']).next().unwrap_or_default(), ran.end) {
        ("true", End::Code(0)) => Said::plainly(Answer::True),
        ("false", End::Code(10)) => Said::plainly(Answer::False(verdict)),
        ("unknown", End::Code(5)) if summary.starts_with("time limit") => {
            Said::because(Answer::Timeout, summary)
        }
        ("unknown", End::Code(5)) if summary.starts_with("memory limit") => {
            Said::because(Answer::Memory, summary)
        }
        ("unknown", End::Code(5)) => Said::because(Answer::Unknown, summary),
        ("", End::Code(3)) => Said::because(Answer::Refused, complaint(&document["error"])),
        _ => Said::because(Answer::Crashed, end_text(ran)),
    };
    if let Some(statistics) = document["statistics"].as_object() {
        said.statistics = statistics.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    }
    said
}

fn complaint(error: &serde_json::Value) -> String {
    let message = error["message"].as_str().unwrap_or("no message");
    match (error["file"].as_str(), error["line"].as_u64()) {
        (Some(file), Some(line)) => format!("{file}:{line}: {message}"),
        _ => message.to_owned(),
    }
}

/// How a process ended and what it said last.
pub fn end_text(ran: &Measured) -> String {
    let end = match ran.end {
        End::Code(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("killed by signal {signal}"),
    };
    let last = |text: &str| text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
    match last(&ran.stderr).or_else(|| last(&ran.stdout)) {
        Some(line) => format!("{end}: {}", line.trim().chars().take(200).collect::<String>()),
        None => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { time: Duration::from_secs(7), memory: Some(100) };

    fn ran(code: i32, stdout: &str) -> Measured {
        let (stdout, stderr) = (stdout.to_owned(), "last words\n".to_owned());
        let [wall, cpu] = [Duration::ZERO; 2];
        Measured { end: End::Code(code), stopped: None, wall, cpu, memory: 0, stdout, stderr }
    }

    #[test]
    fn names_and_options() {
        let named = |text: &str| Named::parse(text).map(|named| (named.name, named.options.join("|")));
        assert_eq!(named("proof: --engine cegar"), Ok(("proof".to_owned(), "--engine|cegar".to_owned())));
        assert_eq!(named("--mm tso"), Ok(("--mm tso".to_owned(), "--mm|tso".to_owned())));
        assert!(named("a: 'b").is_err());
    }

    #[test]
    fn options_are_those_of_verify() {
        let named = |text| Named::parse(text).expect("a name");
        let tso = Contestant::regrain(named("weak: --mm tso"), &[], &LIMITS).expect("these are options");
        assert_eq!(
            (tso.model, tso.described().command.as_str()),
            (MemoryModel::Tso, "regrain verify --mm tso")
        );
        for wrong in ["x: --engine magic", "x: --timeout 3", "x: another.c", "x: --format json"] {
            assert!(Contestant::regrain(named(wrong), &[], &LIMITS).is_err(), "{wrong}");
        }
    }

    #[test]
    fn verdict_and_exit_code_must_agree() {
        let answer = |code, text: &str| own_words(&ran(code, text)).answer;
        assert_eq!(answer(0, r#"{"verdict": "true"}"#), Answer::True);
        assert_eq!(answer(10, r#"{"verdict": "true"}"#), Answer::Crashed);
        let violated = "false(unreach-call)";
        assert_eq!(answer(10, r#"{"verdict": "false(unreach-call)"}"#), Answer::False(violated.to_owned()));
        assert_eq!(answer(0, "nonsense"), Answer::Crashed);
        assert_eq!(own_words(&ran(70, "")).reason, "exit code 70: last words");
        let limit = r#"{"verdict": "unknown (x)", "reason": {"summary": "time limit of 7 s reached"}}"#;
        assert_eq!(answer(5, limit), Answer::Timeout);
        let refused = r#"{"verdict": null, "error": {"message": "no", "file": "a.c", "line": 3}}"#;
        assert_eq!(own_words(&ran(3, refused)).reason, "a.c:3: no");
    }
}
