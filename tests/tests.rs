//! The end-to-end tests: one binary, one module a topic.
//!
//! Test support comes first: `answer` asks engines, `command` runs the binary, `fuzz` makes C programs from
//! seeds and asks everybody about them, `random`, `random_cooperative`, `random_litmus` and `random_programs`
//! make programs from seeds, `validator` checks witnesses. A new test of one function goes to the foot of its
//! file instead.

mod answer;
mod command;
mod fuzz;
#[path = "../src/random.rs"]
mod random;
mod random_cooperative;
mod random_litmus;
mod random_programs;
mod validator;

mod arithmetic_against_oracle;
mod bench;
mod benchmark_tasks;
mod browser;
mod c_library;
mod c_programs;
mod cegar_against_explore;
mod cegar_partitions;
mod cegar_unbounded;
mod cli;
mod cooperative;
mod cooperative_programs;
mod cooperative_reports;
mod damaged_programs;
mod diagnostics;
mod esst_against_reference;
mod explore_against_reference;
mod explore_verdicts;
mod families;
mod features;
mod impact;
mod impact_against_explore;
mod impact_evidence;
mod json_schema;
mod language;
mod layering;
mod litmus;
mod monotone_models;
mod pictures;
mod random_c;
mod real_runs;
mod reports;
mod robustness;
mod sarif;
mod scar;
mod scar_against_explore;
mod scar_on_litmus;
mod signed_overflow;
mod symmetry;
mod truth_inputs;
mod witnesses;
