//! Whether engines compute what the native compiler's code computes: that the checksum of a program has its
//! value is to be proved, that it has not is to be refuted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use regrain::program::MemoryModel;
use regrain::verify::Engine;

use super::ast::{Expr, Int, Place, Program, Stmt, Type};
use super::judge::{Finding, Report, Said, answer, message};
use super::plan::Plan;
use super::prelude::{Inputs, Prelude};
use super::statements::variable;

/// What is asked about the program of a number.
pub fn plan(number: u64) -> (Plan, Inputs) {
    let mut plan = Plan::of(number);
    plan.models = vec![MemoryModel::Sc];
    let turn = |engine: &Engine| match engine {
        Engine::Explore => true,
        Engine::Scar => number.is_multiple_of(4),
        Engine::Cegar => number.is_multiple_of(40),
        Engine::Impact => number.is_multiple_of(20),
        Engine::Auto | Engine::Esst | Engine::Crowd => false,
    };
    plan.engines = Engine::ALL.into_iter().filter(turn).collect();
    let inputs = if number.is_multiple_of(2) { Inputs::Assumed } else { Inputs::Known };
    (plan, inputs)
}

/// Asks about a program whose function `entry` returns `value`.
pub fn judge(prelude: &Prelude, program: &Program, entry: &str, value: u64, plan: &(Plan, Inputs)) -> Report {
    let mut report = Report::default();
    let judged = catch_unwind(AssertUnwindSafe(|| {
        ask(prelude, program, entry, value, plan, "==", &mut report);
        ask(prelude, program, entry, value, plan, "!=", &mut report);
    }));
    if let Err(panic) = judged {
        report.findings.push(Finding::Panic(message(&*panic)));
    }
    report
}

fn ask(
    prelude: &Prelude,
    program: &Program,
    entry: &str,
    value: u64,
    (plan, inputs): &(Plan, Inputs),
    operator: &'static str,
    report: &mut Report,
) {
    let mut program = program.clone();
    let result = Expr::binary(operator, Place::name("result").read(), Expr::Number(value.into(), Int::ULong));
    program.before = vec![
        variable("result", Type::Int(Int::ULong), Expr::call(entry, Vec::new())),
        Stmt::Expr(Expr::call("assert", vec![result])),
    ];
    let text = prelude.preprocessed(&program, *inputs);
    for &engine in &plan.engines {
        let said = match answer(&text, engine, MemoryModel::Sc, plan) {
            Ok(said) => said,
            Err(finding) => {
                report.findings.push(finding);
                return;
            }
        };
        let wrong = match &said {
            Said::Safe => operator != "==",
            Said::Unsafe => operator == "==",
            Said::Unknown(why) => why.contains("undefined behaviour"),
        };
        if wrong {
            report.findings.push(Finding::Native(engine, operator, said.clone()));
        }
        report.answers.push((engine, "sc", said));
    }
}
