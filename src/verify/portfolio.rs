//! The engine `auto`: engines side by side. The first answer that passes its check counts.
//!
//! The first entrant has a head start, so that what takes it milliseconds takes no more; after that no engine
//! holds up another. An engine that gives up leaves its place to the next. An engine that has lost is told to
//! stop and not waited for beyond a moment; should it contradict the answer all the same, that is a fault. So
//! is a panic, unless another engine has an answer; then it is a note.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::Claim;
use crate::observe::{Observer, Progress, Statistics};
use crate::program::Program;
use crate::proof::Certificate;
use crate::stack;

use super::reasons::merged;
use super::{Checked, Engine, Fault, Settings, alone};

/// Who takes part, in the order in which they start.
const ENTRANTS: [Engine; 4] = [Engine::Explore, Engine::Esst, Engine::Scar, Engine::Cegar];

/// States that `explore` visits before it gives up: a few seconds' work.
const STATES: u64 = 1_000_000;

/// How long the first entrant is alone.
const HEAD_START: Duration = Duration::from_millis(50);

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
    let able = |engine: &Engine| {
        let knows_threads = if program.policy.is_some() { engine.schedules() } else { engine.preempts() };
        engine.knows(settings.memory_model) && knows_threads
    };
    let entrants = ENTRANTS.into_iter().filter(able);
    Race::new(program, settings, entrants.collect(), alone).run(observer)
}

/// What an engine at work tells.
enum News {
    Phase(&'static str),
    Done(Engine, Box<Result<Checked, Fault>>, Box<Statistics>),
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

/// Engines at work on a program.
struct Race<'a> {
    program: Arc<Program>,
    settings: &'a Settings,
    alone: Alone,
    waiting: VecDeque<Engine>,
    /// Who is at work, and the flag that stops them.
    running: Vec<(Engine, Arc<AtomicBool>)>,
    sender: Sender<News>,
    news: Receiver<News>,
    /// What those say who gave up.
    given_up: Vec<Checked>,
    /// The first panic.
    panicked: Option<Fault>,
}

impl<'a> Race<'a> {
    fn new(program: &Program, settings: &'a Settings, entrants: VecDeque<Engine>, alone: Alone) -> Race<'a> {
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
        let mut overdue = None;
        self.start_up_to(1);
        while !self.running.is_empty() {
            match self.news.recv_timeout(TICK) {
                Ok(News::Phase(phase)) => observer.notice(Progress::Phase(phase)),
                Ok(News::Done(engine, result, seen)) => {
                    repeat(&seen, observer);
                    if let Some(answer) = self.settle(engine, *result, observer)? {
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
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

    /// Starts engines until so many are at work.
    fn start_up_to(&mut self, places: usize) {
        while self.running.len() < places
            && let Some(engine) = self.waiting.pop_front()
        {
            let flag = self.start(engine);
            self.running.push((engine, flag));
        }
    }

    /// Starts an engine in a thread of its own; gives the flag that stops it.
    fn start(&self, engine: Engine) -> Arc<AtomicBool> {
        let (budget, flag) = self.settings.budget.rival();
        let mut settings = Settings { budget, ..self.settings.clone() };
        settings.limits.states = settings.limits.states.min(STATES);
        let (alone, program, news) = (self.alone, Arc::clone(&self.program), self.sender.clone());
        let work = move || {
            let mut listener = Listener { seen: Statistics::default(), news };
            let result = catch_unwind(AssertUnwindSafe(|| alone(&program, engine, &settings, &mut listener)));
            let result = result.unwrap_or_else(|panic| Err(Fault::Panic(engine, message(&*panic))));
            let Listener { seen, news } = listener;
            let _ = news.send(News::Done(engine, Box::new(result), Box::new(seen)));
        };
        stack::spawn(work);
        flag
    }

    /// Takes the result of an engine; the answer, if it is one.
    fn settle(
        &mut self,
        engine: Engine,
        result: Result<Checked, Fault>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Checked>, Fault> {
        self.running.retain(|(other, _)| *other != engine);
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
                Claim::Safe(_) | Claim::Unsafe(_) => self.won(checked, observer).map(Some),
            },
        }
    }

    /// There is an answer: stops the others and waits a moment for them; one may say the opposite.
    fn won(&mut self, answer: Checked, observer: &mut dyn Observer) -> Result<Checked, Fault> {
        self.running.iter().for_each(|(_, flag)| flag.store(true, Ordering::Relaxed));
        let end = Instant::now() + MOMENT;
        while !self.running.is_empty()
            && let Ok(next) = self.news.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            let News::Done(loser, result, _) = next else { continue };
            self.running.retain(|(other, _)| *other != loser);
            let other = match *result {
                Ok(other) => other,
                Err(panic @ Fault::Panic(..)) => {
                    observer.notice(Progress::Note("Internal error", panic.to_string()));
                    continue;
                }
                Err(_) => continue,
            };
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
            Claim::Safe(Certificate::Views(invariant)) => {
                format!("safe\n{}", invariant.display(&self.program))
            }
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
