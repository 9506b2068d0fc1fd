//! The end-to-end tests: one binary, one module a topic.
//!
//! Test support comes first: `command` runs the binary, `random`, `random_litmus` and `random_programs` make programs from seeds, `reference` is a slow and plain
//! explorer to compare with, `validator` checks witnesses. A new test of one function goes to the foot of its file instead.

mod command;
#[path = "../src/random.rs"]
mod random;
mod random_litmus;
mod random_programs;
mod reference;
mod validator;

mod bench;
mod benchmark_tasks;
mod browser;
mod c_programs;
mod cegar_against_explore;
mod cegar_partitions;
mod cegar_unbounded;
mod cli;
mod damaged_programs;
mod diagnostics;
mod explore_against_reference;
mod explore_verdicts;
mod families;
mod features;
mod json_schema;
mod litmus;
mod monotone_models;
mod pictures;
mod reports;
mod robustness;
mod sarif;
mod scar;
mod scar_against_explore;
mod scar_on_litmus;
mod witnesses;
