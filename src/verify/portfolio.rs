//! The engine `auto`: engines side by side. The first answer that passes its check counts.
//!
//! The first entrant has a head start, so that what takes it milliseconds takes no more; after that no engine
//! holds up another. An engine that gives up leaves its place to the next. An engine that has lost is told to
//! stop and not waited for beyond a moment; should it contradict the answer all the same, that is a fault. So
//! is a panic, unless another engine has an answer; then it is a note.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::Claim;
use crate::observe::{Observer, Progress, Statistics};
use crate::program::Program;
use crate::stack;

use super::entrants::{Entrant, entrants};
use super::reasons::merged;
use super::{Checked, Engine, Fault, Settings, alone};

/// States that `explore` visits before it gives up: a few seconds' work.
const STATES: u64 = 1_000_000;

/// How long the first entrant is alone.
const HEAD_START: Duration = Duration::from_millis(50);

/// How often what engines have told is passed on.
const SHOWN: Duration = Duration::from_millis(200);

/// How often limits are looked at while engines work.
const TICK: Duration = Duration::from_millis(20);

/// How long an engine that has to stop may take before nobody listens any more.
const MOMENT: Duration = Duration::from_millis(300);

/// What runs one engine and checks its answer: [`alone`], or something else in tests.
type Alone = fn(&Program, Engine, &Settings, &mut dyn Observer) -> Result<Checked, Fault>;

/// Decides a program.
pub(super) fn verify(
    program: &Program,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Checked, Fault> {
    let able = |Entrant { engine, .. }: &Entrant| {
        let knows_threads = if program.policy.is_some() { engine.schedules() } else { engine.preempts() };
        engine.knows(settings.memory_model) && knows_threads
    };
    let mut entrants = entrants(program);
    entrants.retain(able);
    Race::new(program, settings, entrants, alone).run(observer)
}

/// What an engine at work tells.
enum News {
    Phase(&'static str),
    Done(Engine, Box<Result<Checked, Fault>>, Box<Statistics>),
}

/// Listens to an engine in another thread.
struct Listener {
    seen: Arc<Mutex<Statistics>>,
    news: Sender<News>,
}

/// A snapshot of what an engine has told.
fn told(seen: &Mutex<Statistics>) -> Statistics {
    seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Observer for Listener {
    fn notice(&mut self, progress: Progress) {
        if let Progress::Phase(phase) = progress {
            // Nobody listens any more once there is an answer.
            let _ = self.news.send(News::Phase(phase));
        }
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).notice(progress);
    }
}

/// An engine at work.
struct Runner {
    engine: Engine,
    /// Stops it.
    flag: Arc<AtomicBool>,
    /// What it has told.
    seen: Arc<Mutex<Statistics>>,
}

/// Engines at work on a program.
struct Race<'a> {
    program: Arc<Program>,
    settings: &'a Settings,
    alone: Alone,
    waiting: VecDeque<Entrant>,
    /// Who is at work.
    running: Vec<Runner>,
    sender: Sender<News>,
    news: Receiver<News>,
    /// What those say who gave up.
    given_up: Vec<Checked>,
    /// The first panic.
    panicked: Option<Fault>,
}

impl<'a> Race<'a> {
    fn new(program: &Program, settings: &'a Settings, entrants: VecDeque<Entrant>, alone: Alone) -> Race<'a> {
        let (sender, news) = mpsc::channel();
        Race {
            program: Arc::new(program.clone()),
            settings,
            alone,
            waiting: entrants,
            running: Vec::new(),
            sender,
            news,
            given_up: Vec::new(),
            panicked: None,
        }
    }

    /// Lets engines work until one has an answer, all have given up, or a limit is reached.
    fn run(mut self, observer: &mut dyn Observer) -> Result<Checked, Fault> {
        let begin = Instant::now();
        let (mut overdue, mut last) = (None, begin);
        self.start_up_to(1);
        while !self.running.is_empty() {
            match self.news.recv_timeout(TICK) {
                Ok(News::Phase(phase)) => observer.notice(Progress::Phase(phase)),
                Ok(News::Done(engine, result, seen)) => {
                    observer.notice(Progress::Rival(engine.name(), None));
                    repeat(&seen, observer);
                    if let Some(answer) = self.settle(engine, *result, observer)? {
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if last.elapsed() >= SHOWN {
                last = Instant::now();
                for runner in &self.running {
                    let seen = Box::new(told(&runner.seen));
                    observer.notice(Progress::Rival(runner.engine.name(), Some(seen)));
                }
            }
            if self.settings.budget.check().is_err() {
                self.waiting.clear();
                if overdue.get_or_insert_with(Instant::now).elapsed() > MOMENT {
                    break;
                }
            }
            if begin.elapsed() >= HEAD_START || self.running.is_empty() {
                self.start_up_to(places());
            }
        }
        self.without_answer()
    }

    /// Starts engines until so many are at work; one that is at work already has its second turn later.
    fn start_up_to(&mut self, places: usize) {
        let idle = |race: &Self, entrant: &Entrant| race.running.iter().all(|at| at.engine != entrant.engine);
        while self.running.len() < places
            && let Some(next) = self.waiting.iter().position(|entrant| idle(self, entrant))
            && let Some(entrant) = self.waiting.remove(next)
        {
            let runner = self.start(entrant);
            self.running.push(runner);
        }
    }

    /// Starts an engine in a thread of its own.
    fn start(&self, Entrant { engine, patience }: Entrant) -> Runner {
        let (budget, flag) = self.settings.budget.rival();
        let budget = patience.map_or(budget.clone(), |patience| budget.at_most(patience));
        let mut settings = Settings { budget, ..self.settings.clone() };
        settings.limits.states = settings.limits.states.min(STATES);
        let (alone, program, news) = (self.alone, Arc::clone(&self.program), self.sender.clone());
        let seen: Arc<Mutex<Statistics>> = Arc::default();
        let mut listener = Listener { seen: Arc::clone(&seen), news };
        let work = move || {
            let result = catch_unwind(AssertUnwindSafe(|| alone(&program, engine, &settings, &mut listener)));
            let result = result.unwrap_or_else(|panic| Err(Fault::Panic(engine, message(&*panic))));
            let Listener { seen, news } = listener;
            let _ = news.send(News::Done(engine, Box::new(result), Box::new(told(&seen))));
        };
        stack::spawn(work);
        Runner { engine, flag, seen }
    }

    /// Takes the result of an engine; the answer, if it is one.
    fn settle(
        &mut self,
        engine: Engine,
        result: Result<Checked, Fault>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Checked>, Fault> {
        self.running.retain(|runner| runner.engine != engine);
        match result {
            Err(panic @ Fault::Panic(..)) => {
                observer.notice(Progress::Note("Internal error", panic.to_string()));
                self.panicked.get_or_insert(panic);
                Ok(None)
            }
            Err(fault) => Err(fault),
            Ok(checked) => match checked.claim() {
                Claim::Unknown(_) => {
                    self.given_up.push(checked);
                    Ok(None)
                }
                Claim::Safe(_) | Claim::Unsafe(_) => self.won(checked).map(Some),
            },
        }
    }

    /// There is an answer: stops the others and waits a moment for them; one may say the opposite.
    fn won(&mut self, answer: Checked) -> Result<Checked, Fault> {
        self.running.iter().for_each(|runner| runner.flag.store(true, Ordering::Relaxed));
        let end = Instant::now() + MOMENT;
        while !self.running.is_empty()
            && let Ok(next) = self.news.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            let News::Done(loser, result, _) = next else { continue };
            self.running.retain(|runner| runner.engine != loser);
            let Ok(other) = *result else { continue };
            let contrary = matches!(
                (answer.claim(), other.claim()),
                (Claim::Safe(_), Claim::Unsafe(_)) | (Claim::Unsafe(_), Claim::Safe(_))
            );
            if contrary {
                let both = [&answer, &other];
                return Err(Fault::Contradiction(both.map(|by| (by.engine(), self.evidence(by.claim())))));
            }
        }
        Ok(answer)
    }

    /// A claim with what stands behind it, for who has to find out which one is wrong.
    fn evidence(&self, claim: &Claim) -> String {
        match claim {
            Claim::Safe(certificate) => format!("safe: {certificate:?}"),
            Claim::Unsafe(violation) => {
                let assertion = &self.program.assertions[violation.assertion.index()].text;
                format!("{assertion} is violated by {:?}", violation.trace)
            }
            Claim::Unknown(reason) => reason.summary.clone(),
        }
    }

    fn without_answer(self) -> Result<Checked, Fault> {
        match (self.settings.budget.check(), self.panicked) {
            (Ok(()), Some(panic)) => Err(panic),
            (stop, _) => Ok(merged(self.given_up, stop.err())),
        }
    }
}

/// How many engines work at once: one more than there are cores, as the first one soon gives up or is done.
fn places() -> usize {
    thread::available_parallelism().map_or(2, usize::from).max(2) + 1
}

/// What a panic said.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

/// Tells an observer what was seen elsewhere.
fn repeat(seen: &Statistics, observer: &mut dyn Observer) {
    seen.counts.iter().for_each(|(&name, &count)| observer.notice(Progress::Count(name, count)));
    seen.times.iter().for_each(|(&name, &time)| observer.notice(Progress::Time(name, time)));
    seen.notes.iter().for_each(|(&name, note)| observer.notice(Progress::Note(name, note.clone())));
}
