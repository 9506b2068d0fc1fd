//! What is asked about the program of a number: under which memory models, by which engines, with which
//! options.
//!
//! Everything is drawn independently of everything else, so that over many programs all combinations come up.
//! What is cheap is asked often: `explore` about every program, engines that need Z3 about a few of a
//! hundred.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::cegar::{Preference, Refinement};
use regrain::engine::impact::{ForceCover, Reduction};
use regrain::engine::scar::{Formulation, Validation};
use regrain::frontend::{Options, SignedOverflow};
use regrain::order::Density;
use regrain::program::MemoryModel;
use regrain::smt::IntModel;
use regrain::verify::{Engine, Recheck, Settings};

use crate::random::Random;

/// What is asked about a program.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Statements of all threads together at most.
    pub size: usize,
    pub models: Vec<MemoryModel>,
    pub engines: Vec<Engine>,
    /// States of the program as it was written that the reference visits at most.
    pub written: usize,
    /// States of what the passes leave of it that the reference visits at most.
    pub states: usize,
    /// What engines are told of initial values that nobody sees.
    pub opening: Opening,
    /// What signed overflow means.
    pub overflow: SignedOverflow,
    /// Time for one engine.
    pub time: Duration,
    /// The options of engines.
    pub settings: Settings,
}

/// What engines are told of initial values that nobody sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// They are zero, so that a re-examination has few states.
    Settled,
    /// They are open, as lowering leaves them.
    Open,
}

impl Plan {
    /// The plan for the program of a number.
    pub fn of(number: u64) -> Plan {
        // Not the stream that the program itself is drawn from.
        let random = &mut Random::new(!number);
        let models = models(random);
        let engines = engines(random, &models);
        let small = one_in(8, random);
        let (size, written) = if small { (3, 600) } else { (7, 0) };
        let opening = if one_in(64, random) { Opening::Open } else { Opening::Settled };
        let overflow = random.pick(&[SignedOverflow::Assume, SignedOverflow::Wrap, SignedOverflow::Error]);
        let time = Duration::from_millis(500);
        let settings = settings(random, opening);
        Plan { size, models, engines, written, states: 3000, opening, overflow, time, settings }
    }

    /// How the front end reads the program.
    pub fn options(&self, memory_model: MemoryModel) -> Options {
        Options { memory_model, signed_overflow: self.overflow, ..Options::default() }
    }

    /// What an engine is told that begins now.
    pub fn settings(&self, memory_model: MemoryModel) -> Settings {
        let budget = Budget::unlimited().with_time(self.time);
        Settings { memory_model, budget, ..self.settings.clone() }
    }
}

fn one_in(count: usize, random: &mut Random) -> bool {
    random.below(count) == 0
}

/// One model, sometimes all of them, from the strongest to the weakest.
fn models(random: &mut Random) -> Vec<MemoryModel> {
    let all = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];
    if one_in(16, random) { all.to_vec() } else { vec![random.pick(&all)] }
}

/// The engines whose turn it is and that know one of the models.
fn engines(random: &mut Random, models: &[MemoryModel]) -> Vec<Engine> {
    let mut turn = |engine: &Engine| match engine {
        Engine::Explore => true,
        Engine::Scar => one_in(2, random),
        Engine::Auto => one_in(24, random),
        Engine::Cegar => one_in(10, random),
        Engine::Impact => one_in(10, random),
        Engine::Esst | Engine::Crowd => false,
    };
    let all = Engine::ALL.into_iter().filter(|engine| turn(engine));
    all.filter(|engine| models.iter().any(|&model| engine.knows(model))).collect()
}

fn settings(random: &mut Random, opening: Opening) -> Settings {
    Settings {
        recheck: match opening {
            Opening::Settled if one_in(8, random) => Recheck::Full,
            Opening::Settled | Opening::Open => Recheck::Brief,
        },
        refinement: random.pick(&[Refinement::NonMonotonic, Refinement::Monotonic]),
        prefer: random.pick(&[Preference::Data, Preference::Data, Preference::Control]),
        int_model: random.pick(&[IntModel::Integer, IntModel::Integer, IntModel::BitVector]),
        por: random.pick(&[Reduction::Dynamic, Reduction::Dynamic, Reduction::Static, Reduction::None]),
        force_cover: random.pick(&[ForceCover::On, ForceCover::Off]),
        unwind: Some(6),
        validation: random.pick(&[
            Validation::Graph,
            Validation::Graph,
            Validation::Model,
            Validation::Constraint,
        ]),
        density: random.pick(&[Density::Minimal, Density::Intuitive]),
        encoding: random.pick(&[Formulation::Scar, Formulation::Scar, Formulation::Monolithic]),
        ..Settings::default()
    }
}
