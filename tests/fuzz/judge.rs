//! Whether everybody says the same of a program: the reference on the program as it was written, the engines on what the passes leave of it.
//!
//! What an engine calls safe must have no reachable violation, and no reachable mark of undefined behaviour or of a bound either; what it calls unsafe
//! must have a violation. To know no answer is allowed and counted. A panic, evidence that does not hold, and a violation that a weaker memory
//! model loses are findings too.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::Claim;
use regrain::engine::cegar::{Preference, Refinement};
use regrain::engine::explore::{Limits, Reduction};
use regrain::engine::scar::{Formulation, Validation};
use regrain::frontend::{self, Options, SignedOverflow};
use regrain::observe::Silent;
use regrain::order::Density;
use regrain::program::{Mark, MemoryModel, Program};
use regrain::replay::reference;
use regrain::smt::IntModel;
use regrain::verify::{Engine, Fault, Settings, verify};

use super::prelude;
use super::settle::settle;

/// What is asked about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Decides which options the engines get.
    pub number: u64,
    pub models: Vec<MemoryModel>,
    pub engines: Vec<Engine>,
    /// States that the reference visits at most.
    pub states: usize,
    /// Time for one engine.
    pub time: Duration,
}

impl Plan {
    /// Each program is asked about under one model, some under all of them; the dear engines take turns.
    pub fn of(number: u64) -> Plan {
        let all = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];
        let models = match number % 16 {
            15 => all.to_vec(),
            _ => vec![all[(number % 3) as usize]],
        };
        let turn = |engine: &Engine| match engine {
            Engine::Explore => true,
            Engine::Scar => (number / 3).is_multiple_of(2),
            Engine::Auto => number.is_multiple_of(19),
            Engine::Cegar => number.is_multiple_of(15),
            Engine::Impact => number.is_multiple_of(12),
            Engine::Esst => false,
        };
        let engines = Engine::ALL.into_iter().filter(turn).collect();
        Plan { number, models, engines, states: 250, time: Duration::from_millis(500) }
    }

    /// How the front end reads the program.
    fn options(&self, memory_model: MemoryModel) -> Options {
        let meanings = [SignedOverflow::Assume, SignedOverflow::Wrap, SignedOverflow::Error];
        let signed_overflow = meanings[(self.number / 5 % 3) as usize];
        Options { memory_model, signed_overflow, ..Options::default() }
    }

    /// All combinations of options get their share of the programs.
    fn settings(&self, memory_model: MemoryModel) -> Settings {
        let number = self.number;
        Settings {
            memory_model,
            budget: Budget::unlimited().with_time(self.time),
            refinement: if number.is_multiple_of(2) {
                Refinement::NonMonotonic
            } else {
                Refinement::Monotonic
            },
            prefer: if number.is_multiple_of(7) { Preference::Control } else { Preference::Data },
            int_model: if number.is_multiple_of(4) { IntModel::BitVector } else { IntModel::Integer },
            unwind: Some(6),
            validation: match number % 5 {
                0 => Validation::Constraint,
                1 => Validation::Model,
                _ => Validation::Graph,
            },
            density: if number.is_multiple_of(2) { Density::Minimal } else { Density::Intuitive },
            encoding: if number.is_multiple_of(7) { Formulation::Monolithic } else { Formulation::Scar },
            ..Settings::default()
        }
    }
}

/// What is so, as far as the reference can tell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Truth {
    /// Whether an assertion is violated.
    pub violated: bool,
    /// Reachable marks of undefined behaviour and of bounds.
    pub marks: BTreeSet<String>,
    /// Who has visited all states.
    pub judge: Oracle,
}

/// Who knows all that is reachable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Oracle {
    /// The reference explorer.
    Reference,
    /// The fast explorer, without reduction, on the program before all passes.
    Unreduced,
    /// There are too many states or inputs.
    Nobody,
}

impl Truth {
    /// Whether an engine may not say this.
    fn contradicts(&self, said: &Said) -> bool {
        let clean = self.judge != Oracle::Nobody && !self.violated;
        match said {
            Said::Safe => self.violated || !self.marks.is_empty(),
            Said::Unsafe => clean,
            Said::Unknown(why) => clean && self.marks.is_empty() && why.contains("undefined behaviour"),
        }
    }

    fn same_kind(&self, other: &Truth) -> bool {
        self.violated == other.violated && self.marks.is_empty() == other.marks.is_empty()
    }
}

/// What an engine says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Said {
    Safe,
    Unsafe,
    Unknown(String),
}

/// Something that should not be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Finding {
    /// The front end does not take the program.
    Refused(String),
    /// An engine against the reference.
    Wrong(Engine, &'static str, Said, Truth),
    /// Two engines against each other, where the reference does not know.
    Apart(Engine, Engine, &'static str),
    /// Evidence that does not hold.
    Evidence(Engine, &'static str, String),
    Panic(String),
    /// An engine against the native compiler: asked whether its result is, or is not, what it is.
    Native(Engine, &'static str, Said),
    /// What one model allows, the weaker one does not.
    NotMonotone(&'static str, &'static str),
}

impl Finding {
    /// Whether it is the same defect, as far as one can see.
    pub fn same_kind(&self, other: &Finding) -> bool {
        match (self, other) {
            (Finding::Wrong(a, m, s, t), Finding::Wrong(b, n, u, v)) => {
                a == b && m == n && same_variant(s, u) && t.same_kind(v)
            }
            (Finding::Native(a, o, s), Finding::Native(b, p, t)) => a == b && o == p && same_variant(s, t),
            (Finding::Refused(a), Finding::Refused(b)) => stem(a) == stem(b),
            (Finding::Evidence(a, m, t), Finding::Evidence(b, n, u)) => {
                a == b && m == n && stem(t) == stem(u)
            }
            (Finding::Panic(a), Finding::Panic(b)) => stem(a) == stem(b),
            _ => self == other,
        }
    }
}

fn same_variant<T>(one: &T, other: &T) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// A message without its particulars.
pub fn stem(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default();
    let text = text.split(" at fuzz.i").next().unwrap_or_default();
    let mut stem: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    if let Some(quote) = stem.find('`') {
        stem.truncate(quote);
    }
    stem.truncate(60);
    stem
}

/// All that was said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub truths: Vec<(&'static str, Truth)>,
    pub answers: Vec<(Engine, &'static str, Said)>,
    pub findings: Vec<Finding>,
}

/// Asks everybody about the program of a preprocessed text.
pub fn judge(text: &str, plan: &Plan) -> Report {
    let mut report = Report::default();
    let judged = catch_unwind(AssertUnwindSafe(|| {
        for &model in &plan.models {
            ask(text, plan, model, &mut report);
        }
    }));
    if let Err(panic) = judged {
        report.findings.push(Finding::Panic(message(&*panic)));
    }
    for pair in report.truths.windows(2) {
        let [(stronger, allowed), (weaker, forbidden)] = pair else { continue };
        if allowed.violated && forbidden.judge != Oracle::Nobody && !forbidden.violated {
            report.findings.push(Finding::NotMonotone(stronger, weaker));
        }
    }
    report
}

pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

fn name(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "sc",
        MemoryModel::Tso => "tso",
        MemoryModel::Pso => "pso",
    }
}

fn ask(text: &str, plan: &Plan, model: MemoryModel, report: &mut Report) {
    let options = plan.options(model);
    let raw = match frontend::load_text(prelude::path(), text, &options) {
        Ok(raw) => raw,
        Err(diagnostic) => {
            report.findings.push(Finding::Refused(diagnostic.message));
            return;
        }
    };
    let truth = match truth(&raw, model, plan) {
        Ok(truth) => truth,
        Err(fault) => {
            report.findings.push(Finding::Evidence(Engine::Explore, name(model), fault.to_string()));
            return;
        }
    };
    let program = frontend::reduced(raw, &options);
    for &engine in plan.engines.iter().filter(|engine| engine.knows(model)) {
        match verify(&program, engine, &plan.settings(model), &mut Silent) {
            Ok(checked) => {
                let said = said(checked.claim());
                compare(engine, model, &said, &truth, report);
                report.answers.push((engine, name(model), said));
            }
            Err(Fault::Panic(_, message)) => report.findings.push(Finding::Panic(message)),
            Err(fault) => {
                report.findings.push(Finding::Evidence(engine, name(model), fault.to_string()));
            }
        }
    }
    report.truths.push((name(model), truth));
}

/// What one engine says of the program of a preprocessed text.
pub fn answer(text: &str, engine: Engine, model: MemoryModel, plan: &Plan) -> Result<Said, Finding> {
    let options = plan.options(model);
    let program = frontend::load_text(prelude::path(), text, &options);
    let program = program.map_err(|diagnostic| Finding::Refused(diagnostic.message))?;
    let program = frontend::reduced(program, &options);
    let checked = verify(&program, engine, &plan.settings(model), &mut Silent);
    let checked = checked.map_err(|fault| Finding::Evidence(engine, name(model), fault.to_string()))?;
    Ok(said(checked.claim()))
}

fn compare(engine: Engine, model: MemoryModel, said: &Said, truth: &Truth, report: &mut Report) {
    if truth.contradicts(said) {
        report.findings.push(Finding::Wrong(engine, name(model), said.clone(), truth.clone()));
    }
    for (other, of, answer) in &report.answers {
        let opposite = matches!((said, answer), (Said::Safe, Said::Unsafe) | (Said::Unsafe, Said::Safe));
        if opposite && *of == name(model) && truth.judge == Oracle::Nobody {
            report.findings.push(Finding::Apart(*other, engine, of));
        }
    }
}

/// Visits all states of the program as it was written, plainly; if they are too many, by the fast explorer without any reduction.
fn truth(raw: &Program, model: MemoryModel, plan: &Plan) -> Result<Truth, Fault> {
    let samples = vec![-1, 0, 1, 2, 3];
    let options = reference::Options { model, states: plan.states, samples, ..reference::Options::default() };
    let settled = settle(raw.clone());
    let found = reference::explore(&settled, &options);
    let mut truth = Truth { violated: false, marks: BTreeSet::new(), judge: Oracle::Reference };
    for &location in found.reached.keys() {
        match &raw.location(location).mark {
            Some(Mark::Undefined(what) | Mark::Cut(what)) => drop(truth.marks.insert(what.clone())),
            Some(Mark::Error(_)) => truth.violated = true,
            Some(Mark::End) | None => {}
        }
    }
    if !found.is_complete() && !truth.violated {
        truth.judge = Oracle::Nobody;
        if found.stop.is_some() {
            unreduced(raw, model, plan, &mut truth)?;
        }
    }
    Ok(truth)
}

/// Asks the fast explorer, which is to leave nothing out.
fn unreduced(raw: &Program, model: MemoryModel, plan: &Plan, truth: &mut Truth) -> Result<(), Fault> {
    let limits = Limits { states: 10 * plan.states as u64, ..Limits::default() };
    let settings = Settings { reduction: Reduction::None, limits, ..plan.settings(model) };
    match verify(raw, Engine::Explore, &settings, &mut Silent)?.claim() {
        Claim::Safe(_) => truth.judge = Oracle::Unreduced,
        Claim::Unsafe(_) => (truth.violated, truth.judge) = (true, Oracle::Unreduced),
        Claim::Unknown(_) => {}
    }
    Ok(())
}

fn said(claim: &Claim) -> Said {
    match claim {
        Claim::Safe(_) => Said::Safe,
        Claim::Unsafe(_) => Said::Unsafe,
        Claim::Unknown(reason) => Said::Unknown(reason.summary.clone()),
    }
}
