//! What is wrong with Regrain itself.

use std::fmt;

use crate::proof::Flaw;
use crate::proof::bounded::Objection;
use crate::replay::RunError;

use super::Engine;

/// A bug of ours that was noticed in time: there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The trace that an engine gives is not a run.
    Run(Engine, RunError),
    /// The trace that an engine gives is a run, but does not end where it should.
    End(Engine),
    /// The proof that an engine gives does not hold.
    Proof(Engine, Flaw),
    /// What an engine gives for a bounded proof does not hold.
    Refutation(Engine, Objection),
    /// An engine calls unreachable what the reference explorer reaches.
    Reached(Engine, String),
    /// Two engines contradict each other; both claims passed their checks.
    Contradiction([(Engine, String); 2]),
    /// An engine panicked, with this message, and no other engine has an answer.
    Panic(Engine, String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Run(engine, error) => {
                write!(f, "the counterexample of engine {} is not a run: {error}", engine.name())
            }
            Fault::End(engine) => {
                write!(f, "the counterexample of engine {} does not violate the assertion", engine.name())
            }
            Fault::Proof(engine, flaw) => write!(f, "the proof of engine {} is wrong: {flaw}", engine.name()),
            Fault::Refutation(engine, objection) => {
                write!(f, "the bounded proof of engine {} is wrong: {objection}", engine.name())
            }
            Fault::Reached(engine, what) => {
                write!(f, "engine {} missed a run, the reference explorer found it: {what}", engine.name())
            }
            Fault::Contradiction([(one, claim), (other, contrary)]) => {
                let (one, other) = (one.name(), other.name());
                write!(f, "engines contradict each other:\n{one}: {claim}\n{other}: {contrary}")
            }
            Fault::Panic(engine, message) => write!(f, "engine {} panicked: {message}", engine.name()),
        }
    }
}

impl std::error::Error for Fault {}
