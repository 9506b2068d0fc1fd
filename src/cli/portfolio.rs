//! The engine `auto`: the states of a small program first; if they are too many, proof and search for violations side by side.
//!
//! The first answer counts. An engine that has lost is told to stop and not waited for beyond a moment; should it
//! contradict the answer all the same, there is none, or if the engines speak of the same integers, that is an internal error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use regrain::engine::{Reason, Verdict, cegar, explore};
use regrain::observe::{Observer, Progress, Statistics};
use regrain::program::{MemoryModel, Program};
use regrain::smt::IntModel;

use super::STACK;
use super::engine::{Engine, Settings, visit};

/// States that are visited before the others get their turn: a few seconds' work.
const STATES_FIRST: u64 = 1_000_000;

/// How often limits are looked at while engines work.
const TICK: Duration = Duration::from_millis(20);

/// How long an engine that has lost may take to stop before nobody listens any more.
const MOMENT: Duration = Duration::from_millis(300);

/// A verdict, and what `cegar` can tell besides.
type Answer = (Verdict, Option<cegar::Report>);

/// What an engine at work tells.
enum News {
    Phase(&'static str),
    Done(Engine, Box<Answer>, Box<Statistics>),
}

/// Listens to an engine in another thread.
struct Listener {
    seen: Statistics,
    news: Sender<News>,
}

impl Observer for Listener {
    fn notice(&mut self, progress: Progress) {
        if let Progress::Phase(phase) = progress {
            // Nobody listens any more once there is an answer.
            let _ = self.news.send(News::Phase(phase));
        }
        self.seen.notice(progress);
    }
}

/// Decides a program.
pub fn check(program: &Program, settings: &Settings, observer: &mut dyn Observer) -> Answer {
    observer.notice(Progress::Note("Engine", Engine::Explore.name().to_owned()));
    let limits = explore::Limits { states: STATES_FIRST, ..explore::Limits::default() };
    let first = match visit(program, settings, limits, observer) {
        Verdict::Unknown(first) => first,
        decided => return (decided, None),
    };
    if settings.budget.check().is_err() {
        return (Verdict::Unknown(first), None);
    }
    let rivals = match settings.memory_model {
        MemoryModel::Sc => vec![Engine::Scar, Engine::Cegar],
        MemoryModel::Tso | MemoryModel::Pso => vec![Engine::Scar],
    };
    compete(program, settings, rivals, observer).unwrap_or_else(|reasons| {
        let tried = std::iter::once((Engine::Explore, first)).chain(reasons);
        (Verdict::Unknown(all_reasons(tried.collect())), None)
    })
}

/// Lets engines work side by side until one has an answer; without any, gives their reasons.
fn compete(
    program: &Program,
    settings: &Settings,
    rivals: Vec<Engine>,
    observer: &mut dyn Observer,
) -> Result<Answer, Vec<(Engine, Reason)>> {
    let (sender, news) = mpsc::channel();
    let flags: Vec<Arc<AtomicBool>> =
        rivals.iter().map(|&engine| start(engine, program.clone(), settings, sender.clone())).collect();
    drop(sender);
    let stop = || flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
    let mut reasons = Vec::new();
    loop {
        match news.recv_timeout(TICK) {
            Ok(News::Phase(phase)) => observer.notice(Progress::Phase(phase)),
            Ok(News::Done(engine, answer, seen)) => {
                repeat(&seen, observer);
                if let Verdict::Unknown(reason) = answer.0 {
                    reasons.push((engine, reason));
                    continue;
                }
                stop();
                observer.notice(Progress::Note("Engine", engine.name().to_owned()));
                return Ok(match opponent(&answer.0, &news) {
                    None => *answer,
                    Some(other) => {
                        (disputed(settings.cegar.common.int_model, (engine, answer.0), other), None)
                    }
                });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(reasons),
        }
        if settings.budget.check().is_err() {
            stop();
        }
    }
}

/// Starts an engine in a thread of its own; gives the flag that stops it.
fn start(engine: Engine, program: Program, settings: &Settings, news: Sender<News>) -> Arc<AtomicBool> {
    let budget = settings.budget.separate();
    let flag = budget.cancellation();
    let settings = Settings { budget, ..settings.clone() };
    let work = move || {
        let mut listener = Listener { seen: Statistics::default(), news };
        let answer = engine.check(&program, &settings, &mut listener);
        let Listener { seen, news } = listener;
        let _ = news.send(News::Done(engine, Box::new(answer), Box::new(seen)));
    };
    std::thread::Builder::new().stack_size(STACK).spawn(work).expect("the system lets us start a thread");
    flag
}

/// Tells an observer what was seen elsewhere.
fn repeat(seen: &Statistics, observer: &mut dyn Observer) {
    seen.counts.iter().for_each(|(&name, &count)| observer.notice(Progress::Count(name, count)));
    seen.times.iter().for_each(|(&name, &time)| observer.notice(Progress::Time(name, time)));
    seen.notes.iter().for_each(|(&name, note)| observer.notice(Progress::Note(name, note.clone())));
}

/// Waits a moment for the engines that have lost; gives the one that says the opposite, if there is one.
fn opponent(verdict: &Verdict, news: &Receiver<News>) -> Option<(Engine, Verdict)> {
    let end = Instant::now() + MOMENT;
    while let Ok(next) = news.recv_timeout(end.saturating_duration_since(Instant::now())) {
        if let News::Done(loser, answer, _) = next {
            match (verdict, answer.0) {
                (Verdict::Safe(_), other @ Verdict::Unsafe(_)) => return Some((loser, other)),
                (Verdict::Unsafe(_), other @ Verdict::Safe(_)) => return Some((loser, other)),
                _ => {}
            }
        }
    }
    None
}

/// What two contradicting answers amount to. Where signed integers are mathematical ones for `cegar` and wrap for `scar`, a program
/// whose answer depends on signed overflow, which is undefined, has none.
///
/// # Panics
/// If the engines speak of the same integers.
fn disputed(int_model: IntModel, one: (Engine, Verdict), other: (Engine, Verdict)) -> Verdict {
    let [first, second] = [one.0.name(), other.0.name()];
    assert_eq!(int_model, IntModel::Integer, "{first} says {:?} and {second} says {:?}", one.1, other.1);
    let summary = format!("engines {first} and {second} contradict each other");
    Verdict::Unknown(Reason::new(summary).with(
        "the answer may depend on signed overflow, which is undefined; --int-model bitvector gives all engines the same integers",
    ))
}

/// One reason made of those of several engines. The summary is that of `scar`, which tells how far it came.
fn all_reasons(mut tried: Vec<(Engine, Reason)>) -> Reason {
    tried.sort_by_key(|(engine, _)| *engine == Engine::Scar);
    let (_, mut reason) = tried.pop().expect("some engine was tried");
    for (engine, other) in tried.into_iter().rev() {
        reason = reason.with(format!("engine {}: {}", engine.name(), other.summary));
        reason = other.details.into_iter().fold(reason, Reason::with);
    }
    reason
}
