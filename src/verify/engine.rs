//! The engines: the one list, and the one match.

use crate::engine::{Answer, Reason, cegar, esst, explore, impact, scar};
use crate::observe::{Observer, Progress};
use crate::program::{MemoryModel, Program};
use crate::smt::IntModel;

use super::{Recheck, Settings};

/// A way to an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Engine {
    /// The engines of `portfolio.rs` side by side.
    #[default]
    Auto,
    /// Visits every state.
    Explore,
    /// Proves without a bound, by predicates and classes of control locations.
    Cegar,
    /// Proves without a bound, by an unfolding with interpolants.
    Impact,
    /// Proves cooperative programs without a bound: the scheduler is executed, the threads are abstracted.
    Esst,
    /// Unrolls loops to a bound that grows.
    Scar,
}

impl Engine {
    /// All of them.
    pub const ALL: [Engine; 6] =
        [Engine::Auto, Engine::Explore, Engine::Cegar, Engine::Impact, Engine::Esst, Engine::Scar];

    /// The name that users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explore => "explore",
            Engine::Cegar => "cegar",
            Engine::Impact => "impact",
            Engine::Esst => "esst",
            Engine::Scar => "scar",
        }
    }

    /// Whether it knows a memory model. An engine that does not says so when asked all the same.
    pub fn knows(self, model: MemoryModel) -> bool {
        match self {
            Engine::Auto | Engine::Explore | Engine::Scar => true,
            Engine::Cegar | Engine::Impact | Engine::Esst => model == MemoryModel::Sc,
        }
    }

    /// Whether it knows schedulers of cooperative programs. One that does not is not asked.
    pub fn schedules(self) -> bool {
        match self {
            Engine::Auto | Engine::Explore | Engine::Esst => true,
            Engine::Cegar | Engine::Impact | Engine::Scar => false,
        }
    }

    /// Whether it knows threads that are preempted.
    pub fn preempts(self) -> bool {
        self != Engine::Esst
    }
}

/// Why an engine is not asked about a program, if so: cooperative ones are for engines that know schedulers,
/// and for SC.
pub(super) fn refusal(engine: Engine, program: &Program, model: MemoryModel) -> Option<Reason> {
    let policy = program.policy?;
    if model != MemoryModel::Sc {
        let text = "cooperative programs are verified under sequential consistency only";
        return Some(Reason::new(text).with("one thread runs at a time: use --memory-model sc"));
    }
    if engine.schedules() {
        return None;
    }
    let able: Vec<&str> = Engine::ALL.into_iter().filter(|able| able.schedules()).map(Engine::name).collect();
    let (name, policy) = (engine.name(), policy.name());
    let text = format!("engine {name} does not know cooperative programs (scheduler {policy})");
    Some(Reason::new(text).with(format!("engines that do: {}", able.join(", "))))
}

/// What one engine, which is not `auto`, says of a program: unchecked.
pub(super) fn ask(
    engine: Engine,
    program: &Program,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Answer {
    match engine {
        Engine::Auto => unreachable!("the portfolio asks others"),
        Engine::Explore => explore::check(program, &explore_options(settings), observer),
        Engine::Cegar => {
            let name = int_model_name(settings.int_model);
            observer.notice(Progress::Note("Int model", name.to_owned()));
            cegar::check(program, &cegar_options(settings), observer)
        }
        Engine::Impact => {
            let name = int_model_name(settings.int_model);
            observer.notice(Progress::Note("Int model", name.to_owned()));
            impact::check(program, &impact_options(settings), observer)
        }
        Engine::Esst => {
            let name = int_model_name(settings.int_model);
            observer.notice(Progress::Note("Int model", name.to_owned()));
            esst::check(program, &esst_options(settings), observer)
        }
        Engine::Scar => scar::check(program, &scar_options(settings), observer),
    }
}

/// The name of an integer model, in arguments and reports.
pub fn int_model_name(model: IntModel) -> &'static str {
    match model {
        IntModel::Integer => "integer",
        IntModel::BitVector => "bitvector",
    }
}

fn explore_options(settings: &Settings) -> explore::Options {
    explore::Options {
        model: settings.memory_model,
        budget: settings.budget.clone(),
        limits: settings.limits.clone(),
        reduction: settings.reduction,
        symmetry: settings.symmetry,
        hints: Vec::new(),
    }
}

fn cegar_options(settings: &Settings) -> cegar::Options {
    cegar::Options {
        refinement: settings.refinement,
        prefer: settings.prefer,
        symmetry: settings.symmetry,
        int_model: settings.int_model,
        memory_model: settings.memory_model,
        budget: settings.budget.clone(),
    }
}

fn impact_options(settings: &Settings) -> impact::Options {
    impact::Options {
        reduction: settings.por,
        force_cover: settings.force_cover,
        int_model: settings.int_model,
        memory_model: settings.memory_model,
        budget: settings.budget.clone(),
    }
}

fn esst_options(settings: &Settings) -> esst::Options {
    esst::Options {
        reduction: settings.blocks,
        int_model: settings.int_model,
        memory_model: settings.memory_model,
        budget: settings.budget.clone(),
    }
}

fn scar_options(settings: &Settings) -> scar::Options {
    scar::Options {
        model: settings.memory_model,
        budget: settings.budget.clone(),
        unwind: settings.unwind,
        validation: settings.validation,
        density: settings.density,
        encoding: settings.encoding,
        symmetry: settings.symmetry,
        certificate: match settings.recheck {
            Recheck::Brief => scar::Certified::No,
            Recheck::Full => scar::Certified::Yes,
        },
    }
}
