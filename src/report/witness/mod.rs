//! Witnesses: evidence that other verifiers can check, in the formats of SV-COMP.
//!
//! A violation is told as the waypoints that a run passes (`violation.rs`), a proof as invariants at
//! statements (`invariants.rs`), with ghost variables where other threads' locations matter (`ghosts.rs`).
//! `yaml.rs` and `graphml.rs` only write that down. All of it is about runs under sequential consistency;
//! there is no witness format for other memory models.
//!
//! Formats: YAML 2.0 (violations of programs without threads, proofs without ghosts), 2.1 (proofs with
//! ghosts), 2.2 (violations with threads); GraphML 1.0.

mod expression;
mod ghosts;
mod graphml;
mod invariants;
mod metadata;
mod place;
mod syntax;
mod violation;
mod yaml;

pub use ghosts::Ghost;
pub use invariants::{Correctness, InvariantKind, LocatedInvariant};
pub use metadata::{Task, specification, timestamp};
pub use place::Place;
pub use violation::{Waypoint, WaypointKind};

use crate::program::Program;
use crate::proof::Invariant;
use crate::replay::Run;
use place::Places;

/// How a witness is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// YAML, versions 2.0 to 2.2.
    #[default]
    Yaml,
    /// GraphML, version 1.0.
    Graphml,
}

/// A witness.
#[derive(Clone, Debug)]
pub struct Witness {
    task: Task,
    /// What is said.
    pub claim: Claim,
    /// What its readers should know besides.
    pub note: String,
}

/// What a witness says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The property is violated.
    Violation {
        /// What to follow.
        waypoints: Vec<Waypoint>,
        /// Whether there are threads besides `main`.
        threads: Threads,
    },
    /// The property holds.
    Correctness(Correctness),
}

/// Whether a program has several threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// `main` alone.
    One,
    /// It creates others.
    Several,
}

impl Witness {
    /// A run of a program that violates its property.
    pub fn violation(task: Task, program: &Program, run: &Run) -> Witness {
        let places = Places::new(program, &task.file, &task.text);
        let waypoints = violation::waypoints(program, run, &places);
        let threads = if program.threads.len() > 1 { Threads::Several } else { Threads::One };
        let note = format!("{} waypoints of a replayed run of {} steps", waypoints.len(), run.steps.len());
        Witness { task, claim: Claim::Violation { waypoints, threads }, note }
    }

    /// A checked proof. `whole` is the program before anything was removed.
    pub fn proof(task: Task, whole: &Program, program: &Program, invariant: &Invariant) -> Witness {
        let places = Places::new(whole, &task.file, &task.text);
        let correctness = invariants::correctness(whole, program, invariant, &places);
        let (said, all) = (correctness.invariants.len(), correctness.statements);
        let note = format!(
            "the checked proof in C: invariants at {said} of the {all} statements that it speaks of; the others, and \
             locations of other threads for which there is no ghost variable, are left out"
        );
        Witness { task, claim: Claim::Correctness(correctness.or_trivial(&places)), note }
    }

    /// A proof that has no invariants, with how it was found.
    pub fn without_invariants(task: Task, whole: &Program, how: &str) -> Witness {
        let places = Places::new(whole, &task.file, &task.text);
        let note = format!("{how}; such a proof has no invariants, and the one below says nothing");
        Witness { task, claim: Claim::Correctness(Correctness::default().or_trivial(&places)), note }
    }

    /// The witness as text.
    pub fn text(&self, format: Format) -> String {
        match format {
            Format::Yaml => yaml::text(self),
            Format::Graphml => graphml::text(self),
        }
    }
}

impl Correctness {
    /// Formats ask for at least one invariant: if there is none, that the beginning of `main` can be reached.
    fn or_trivial(mut self, places: &Places) -> Correctness {
        if self.invariants.is_empty() {
            let start = places.first_statement("main");
            self.invariants.extend(start.map(|place| LocatedInvariant {
                place,
                kind: InvariantKind::Location,
                value: "1".to_owned(),
                plain: "1".to_owned(),
            }));
        }
        self
    }
}
