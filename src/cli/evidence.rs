//! The files that `verify` writes besides its report: witnesses for other verifiers, SARIF for continuous
//! integration.
//!
//! They are made while the program is at hand and written after the report is printed, so that no file that
//! cannot be written costs the verdict. Where there is no file to write a note on stderr says why.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use regrain::engine::Claim;
use regrain::program::{MemoryModel, Program};
use regrain::proof::Certificate;
use regrain::report::retell::Retold;
use regrain::report::witness::{Format, Task, Witness, specification, timestamp};
use regrain::verify::Checked;

use super::exit::Failure;
use super::job::Job;
use super::output;

/// Which files are wanted.
#[derive(Args, Clone, Debug, Default)]
pub struct EvidenceArguments {
    /// Write the violation or the proof to this file, as a witness that other verifiers can check
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,

    /// Form of the witness: YAML 2.0 to 2.2, or the older GraphML 1.0
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, requires = "witness")]
    pub witness_format: WitnessFormat,

    /// Write the result to this file as SARIF 2.1.0, for editors and continuous integration
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}

/// Form of a witness.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WitnessFormat {
    /// Versions 2.0 (sequential violations, proofs), 2.1 (proofs with ghost variables), 2.2 (violations with
    /// threads)
    #[default]
    Yaml,
    /// Version 1.0
    Graphml,
}

/// What is known at the end of a run.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// What was asked.
    pub job: &'a Job,
    /// The program before any pass.
    pub raw: &'a Program,
    /// The program that the engine saw.
    pub program: &'a Program,
    /// The answer.
    pub answer: &'a Checked,
    /// The violating run, if there is one.
    pub story: Option<&'a Retold>,
}

/// Files to write, and what to say about them.
#[derive(Debug, Default)]
pub struct Files {
    files: Vec<(PathBuf, String)>,
    notes: Vec<String>,
}

impl EvidenceArguments {
    /// The files for a finished run.
    pub fn files(&self, finished: &Finished<'_>) -> Files {
        let mut files = Files::default();
        if let Some(path) = &self.witness {
            match self.witness(finished) {
                Ok(text) => files.files.push((path.clone(), text)),
                Err(reason) => files.notes.push(format!("{} is not written: {reason}", path.display())),
            }
        }
        files
    }

    /// What to say if the engine was left behind.
    pub fn nothing(&self) -> Files {
        let note = |path: &PathBuf| format!("{} is not written: {NO_ANSWER}", path.display());
        Files { files: Vec::new(), notes: self.witness.iter().map(note).collect() }
    }

    fn witness(&self, finished: &Finished<'_>) -> Result<String, String> {
        let options = &finished.job.options;
        if options.memory_model != MemoryModel::Sc {
            return Err("there is no witness format for memory models other than sc".to_owned());
        }
        if finished.raw.policy.is_some() {
            return Err("there is no witness format for cooperative programs".to_owned());
        }
        let file = finished.job.file.display().to_string();
        let bytes =
            std::fs::read(&finished.job.file).map_err(|error| format!("cannot read {file}: {error}"))?;
        let task = Task {
            file,
            text: String::from_utf8(bytes).map_err(|_| "the input is not UTF-8".to_owned())?,
            specification: specification(&options.property, finished.raw),
            data_model: options.data_model,
            creation_time: timestamp(now()),
        };
        let witness = match (finished.answer.claim(), finished.story) {
            (Claim::Unsafe(_), Some(story)) => Witness::violation(task, &story.program, &story.run),
            (Claim::Safe(Certificate::Views(invariant)), _) => {
                Witness::proof(task, finished.raw, finished.program, invariant)
            }
            (Claim::Safe(Certificate::Unfolding(unfolding)), _) => {
                match unfolding.invariant(finished.program) {
                    Some(invariant) => Witness::proof(task, finished.raw, finished.program, &invariant),
                    None => {
                        let how =
                            format!("a complete unfolding of {} nodes was checked", unfolding.nodes.len());
                        Witness::without_invariants(task, finished.raw, &how)
                    }
                }
            }
            (Claim::Safe(Certificate::Crowd(_)), _) => {
                let how = "an inductive invariant for any number of threads was checked";
                Witness::without_invariants(task, finished.raw, how)
            }
            (Claim::Safe(Certificate::Forest(forest)), _) => {
                let how = format!("a complete forest of {} nodes was checked", forest.nodes.len());
                Witness::without_invariants(task, finished.raw, &how)
            }
            (Claim::Safe(Certificate::Exhausted { states }), _) => {
                let how = format!("all {states} states were visited");
                Witness::without_invariants(task, finished.raw, &how)
            }
            (Claim::Safe(Certificate::Bounded { events, .. }), _) => {
                let how = format!("all runs of {events} reads and writes were looked at symbolically");
                Witness::without_invariants(task, finished.raw, &how)
            }
            (Claim::Unsafe(_), None) | (Claim::Unknown(_), _) => return Err(NO_ANSWER.to_owned()),
        };
        Ok(witness.text(match self.witness_format {
            WitnessFormat::Yaml => Format::Yaml,
            WitnessFormat::Graphml => Format::Graphml,
        }))
    }
}

const NO_ANSWER: &str = "there is no answer to bear witness to";

/// Seconds since 1970; builds that must be reproducible state them.
fn now() -> u64 {
    let stated = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    stated.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

impl Files {
    /// One more file.
    pub fn add(&mut self, path: &Path, text: String) {
        self.files.push((path.to_owned(), text));
    }

    /// Writes what there is; every failure is reported.
    pub fn write(&self) -> Result<(), Failure> {
        self.notes.iter().for_each(|note| output::complain(&format!("regrain: {note}")));
        self.files.iter().map(|(path, text)| output::write(path, text)).fold(Ok(()), output::both)
    }
}
