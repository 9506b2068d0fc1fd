//! Whether everybody says the same of a program: the reference on the program as it was written and on what
//! the passes leave of it, the engines on the latter.
//!
//! What an engine calls safe must have no reachable violation, and no reachable mark of undefined behaviour
//! or of a bound either; what it calls unsafe must have a violation. To know no answer is allowed and
//! counted. A panic, evidence that does not hold, a mark that a pass adds or loses, and a violation that a
//! weaker memory model loses are findings too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use regrain::engine::Claim;
use regrain::frontend;
use regrain::observe::Silent;
use regrain::program::MemoryModel;
use regrain::verify::{Engine, Fault, verify};

use super::plan::{Opening, Plan};
use super::prelude;
use super::settle::settle;
use super::truth::{Oracle, Truth, truth};

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
    /// What is reachable before the passes and after them.
    Passes(&'static str, Truth, Truth),
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
            (Finding::Passes(m, a, b), Finding::Passes(n, c, d)) => {
                m == n && a.same_kind(c) && b.same_kind(d)
            }
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
    /// Where time went.
    pub times: Vec<(&'static str, Duration)>,
}

impl Report {
    /// Does something and notes how long it took.
    pub fn timed<T>(&mut self, what: &'static str, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = work();
        self.times.push((what, begin.elapsed()));
        result
    }
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
        // Where the weaker model is not followed to the end, a mark says so.
        let known = forbidden.judge != Oracle::Nobody && forbidden.marks.is_empty();
        if allowed.violated && known && !forbidden.violated {
            report.findings.push(Finding::NotMonotone(stronger, weaker));
        }
    }
    report
}

pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

pub fn name(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "sc",
        MemoryModel::Tso => "tso",
        MemoryModel::Pso => "pso",
    }
}

fn ask(text: &str, plan: &Plan, model: MemoryModel, report: &mut Report) {
    let options = plan.options(model);
    let raw = report.timed("front end", || frontend::load_text(prelude::path(), text, &options));
    let raw = match raw {
        Ok(raw) => raw,
        Err(diagnostic) => {
            report.findings.push(Finding::Refused(diagnostic.message));
            return;
        }
    };
    let written = if plan.written > 0 { Some(raw.clone()) } else { None };
    let open = report.timed("passes", || frontend::reduced(raw, &options));
    let settled = settle(open.clone());
    let truth = match truth(written, &settled, model, plan, report) {
        Ok(truth) => truth,
        Err(fault) => {
            report.findings.push(Finding::Evidence(Engine::Explore, name(model), fault.to_string()));
            return;
        }
    };
    let program = match plan.opening {
        Opening::Settled => settled,
        Opening::Open => open,
    };
    for &engine in plan.engines.iter().filter(|engine| engine.knows(model)) {
        let answer =
            report.timed(engine.name(), || verify(&program, engine, &plan.settings(model), &mut Silent));
        match answer {
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
    let program = settle(frontend::reduced(program, &options));
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

fn said(claim: &Claim) -> Said {
    match claim {
        Claim::Safe(_) => Said::Safe,
        Claim::Unsafe(_) => Said::Unsafe,
        Claim::Unknown(reason) => Said::Unknown(reason.summary.clone()),
    }
}
