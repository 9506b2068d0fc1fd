//! Random C programs, for as long as one likes; `./x fuzz` builds and runs this.
//!
//! `fuzz [--minutes N] [--programs N] [--seed S] [--kind concurrent|bytes|sequential|all] [--jobs J] [--out FOLDER]`
//!
//! A line of progress goes to stderr every few seconds, totals and the reduced program of each disagreement
//! to stdout. The exit code is 1 if there was any, 2 if the command line makes no sense.

#[path = "../../tests/fuzz/mod.rs"]
mod fuzz;
#[path = "../../src/random.rs"]
mod random;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fuzz::features::{Feature, Features};
use fuzz::judge::{Finding, Report, judge};
use fuzz::native::Workshop;
use fuzz::plan::Plan;
use fuzz::prelude::{self, Inputs, Prelude};
use fuzz::tally::Tally;
use regrain::stack::on_large_stack;

use fuzz::{ast, checksum, generator, reducer, sequential};

/// Statements of a sequential program at most, not counting those inside others.
const SEQUENTIAL_SIZE: usize = 8;

/// Programs that a worker takes at once; sequential ones are compiled together.
const BATCH: u64 = 200;

/// Disagreements that are reduced and written down; more are only counted.
const KEPT: usize = 20;

/// What the command line asks for.
#[derive(Clone, Debug)]
struct Request {
    minutes: Option<f64>,
    programs: Option<u64>,
    seed: u64,
    kind: Kind,
    jobs: usize,
    out: PathBuf,
}

/// Which programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Concurrent,
    /// Concurrent ones with unions and bit-fields in each.
    Bytes,
    Sequential,
    /// One batch of sequential programs for nine of the others.
    All,
}

fn main() -> ExitCode {
    let request = match request() {
        Ok(request) => request,
        Err(complaint) => return refuse(&complaint),
    };
    // Panics are findings, and told as such.
    std::panic::set_hook(Box::new(|_| {}));
    let run = Run::new(request);
    std::thread::scope(|scope| {
        for worker in 0..run.request.jobs {
            let run = &run;
            scope.spawn(move || on_large_stack(|| run.work(worker)));
        }
    });
    run.finish()
}

fn request() -> Result<Request, String> {
    let out = PathBuf::from("target/fuzz");
    let mut request = Request { minutes: None, programs: None, seed: 0, kind: Kind::All, jobs: 1, out };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        let wrong = format!("{name}: {value} is no number");
        let number = value.parse().map_err(|_| wrong.clone());
        match name.as_str() {
            "--minutes" => request.minutes = Some(value.parse().map_err(|_| wrong)?),
            "--programs" => request.programs = Some(number?),
            "--seed" => request.seed = number?,
            "--jobs" => request.jobs = number? as usize,
            "--out" => request.out = PathBuf::from(value),
            "--kind" => {
                request.kind = match value.as_str() {
                    "concurrent" => Kind::Concurrent,
                    "bytes" => Kind::Bytes,
                    "sequential" => Kind::Sequential,
                    "all" => Kind::All,
                    _ => return Err(format!("{name}: {value} is none of concurrent, sequential, all")),
                }
            }
            _ => return Err(format!("{name} is no option")),
        }
    }
    if request.minutes.is_none() && request.programs.is_none() {
        request.minutes = Some(1.0);
    }
    Ok(request)
}

#[expect(clippy::print_stderr, reason = "a program of its own")]
fn refuse(complaint: &str) -> ExitCode {
    eprintln!("fuzz: {complaint}");
    ExitCode::from(2)
}

/// A run and what has come of it.
struct Run {
    request: Request,
    prelude: Prelude,
    start: Instant,
    next: AtomicU64,
    seen: Mutex<Seen>,
}

/// What all workers have seen.
struct Seen {
    tally: Tally,
    findings: Vec<Finding>,
    files: Vec<PathBuf>,
    told: Instant,
}

impl Run {
    fn new(request: Request) -> Run {
        let now = Instant::now();
        let seen = Seen { tally: Tally::default(), findings: Vec::new(), files: Vec::new(), told: now };
        let next = AtomicU64::new(request.seed);
        Run { request, prelude: Prelude::new(), start: now, next, seen: Mutex::new(seen) }
    }

    fn is_over(&self) -> bool {
        let limit = self.request.minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0));
        limit.is_some_and(|limit| self.start.elapsed() >= limit)
    }

    /// The numbers of the next programs.
    fn batch(&self) -> std::ops::Range<u64> {
        let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
        let end = self.request.programs.map_or(u64::MAX, |count| self.request.seed + count);
        first.min(end)..first.saturating_add(BATCH).min(end)
    }

    fn work(&self, worker: usize) {
        let workshop = Workshop::new(&worker.to_string());
        loop {
            let batch = self.batch();
            if self.is_over() || batch.is_empty() {
                return;
            }
            match self.request.kind {
                Kind::Sequential => self.sequential(batch, &workshop),
                Kind::All if batch.start / BATCH % 10 == 9 => self.sequential(batch, &workshop),
                Kind::Concurrent | Kind::Bytes | Kind::All => {
                    batch.for_each(|number| self.concurrent(number))
                }
            }
        }
    }

    fn concurrent(&self, number: u64) {
        if self.is_over() {
            return;
        }
        let plan = Plan::of(number);
        let features = match self.request.kind {
            Kind::Bytes => Features::usual().always(Feature::Unions).always(Feature::Bitfields),
            _ => Features::usual(),
        };
        let program = generator::concurrent(number, plan.size, features);
        let ask = |program: &ast::Program| judge(&self.prelude.preprocessed(program, Inputs::Known), &plan);
        let report = ask(&program);
        self.tell(|tally| tally.count(&report));
        self.look(number, &program, &report, &format!("{plan:?}"), &ask);
    }

    fn sequential(&self, numbers: std::ops::Range<u64>, workshop: &Workshop) {
        let programs: Vec<(ast::Program, String)> = numbers
            .clone()
            .map(|number| {
                (
                    sequential::sequential(number, SEQUENTIAL_SIZE, Features::usual()),
                    sequential::entry(number),
                )
            })
            .collect();
        let results = workshop.results(&programs).expect("the compiler takes what we make");
        for ((number, (program, entry)), value) in numbers.zip(&programs).zip(results) {
            let Some(value) = value else {
                self.tell(|tally| tally.undefined += 1);
                continue;
            };
            let plan = checksum::plan(number);
            let report = checksum::judge(&self.prelude, program, entry, value, &plan);
            self.tell(|tally| tally.count(&report));
            let again = |candidate: &ast::Program| {
                let alone = [(candidate.clone(), entry.clone())];
                match workshop.results(&alone).and_then(|results| results[0]) {
                    Some(value) => checksum::judge(&self.prelude, candidate, entry, value, &plan),
                    None => Report::default(),
                }
            };
            self.look(number, program, &report, &format!("{plan:?}, native result {value}"), &again);
        }
    }

    /// Counts, and prints a line now and then.
    #[expect(clippy::print_stderr, reason = "a program of its own")]
    fn tell(&self, count: impl FnOnce(&mut Tally)) {
        let mut seen = self.seen.lock().expect("no worker panics");
        count(&mut seen.tally);
        if seen.told.elapsed() > Duration::from_secs(10) {
            seen.told = Instant::now();
            let seconds = self.start.elapsed().as_secs_f64();
            let (programs, findings) = (seen.tally.programs, seen.tally.findings);
            let rate = programs as f64 / seconds;
            eprintln!("{seconds:>6.0} s  {programs} programs, {rate:.0} a second, {findings} disagreements");
        }
    }

    /// Reduces the program of a finding and writes it down, unless there was one like it.
    #[expect(clippy::print_stderr, reason = "a program of its own")]
    fn look(
        &self,
        number: u64,
        program: &ast::Program,
        report: &Report,
        plan: &str,
        ask: &dyn Fn(&ast::Program) -> Report,
    ) {
        let Some(finding) = report.findings.first() else { return };
        {
            let mut seen = self.seen.lock().expect("no worker panics");
            if seen.findings.len() >= KEPT || seen.findings.iter().any(|known| known.same_kind(finding)) {
                return;
            }
            seen.findings.push(finding.clone());
        }
        eprintln!("program {number}: {finding:?}; it is being reduced");
        // Reducing may take long; until then there is the whole program.
        let path = self.write(number, plan, report, program);
        let mut again =
            |candidate: &ast::Program| ask(candidate).findings.iter().any(|other| other.same_kind(finding));
        let smaller = reducer::reduce(program, &mut again);
        self.write(number, plan, &ask(&smaller), &smaller);
        self.seen.lock().expect("no worker panics").files.push(path);
    }

    /// Writes a program down with what was said of it.
    fn write(&self, number: u64, plan: &str, report: &Report, program: &ast::Program) -> PathBuf {
        let text = format!("{}{}", comment(number, plan, report), prelude::plain(program));
        let path = self.request.out.join(format!("fuzz-{number}.c"));
        let written = std::fs::create_dir_all(&self.request.out).and_then(|()| std::fs::write(&path, text));
        written.expect("the program is written");
        path
    }

    #[expect(clippy::print_stdout, reason = "a program of its own")]
    fn finish(&self) -> ExitCode {
        let seen = self.seen.lock().expect("no worker panics");
        let seconds = self.start.elapsed().as_secs_f64();
        print!("{}", seen.tally);
        println!("Seconds:         {seconds:.1}");
        println!("Programs/s:      {:.1}", seen.tally.programs as f64 / seconds);
        for path in &seen.files {
            println!("\n== {}", path.display());
            print!("{}", std::fs::read_to_string(path).unwrap_or_default());
        }
        ExitCode::from(u8::from(seen.tally.findings > 0))
    }
}

/// What a reduced program begins with.
fn comment(number: u64, plan: &str, report: &Report) -> String {
    let mut lines = vec![format!("// Program {number}. {plan}")];
    lines.extend(report.findings.iter().map(|finding| format!("// {finding:?}")));
    lines.extend(report.truths.iter().map(|(model, truth)| format!("// {model}: reference {truth:?}")));
    lines.extend(
        report.answers.iter().map(|(engine, model, said)| format!("// {model}: {engine:?} {said:?}")),
    );
    lines.iter().fold(String::new(), |text, line| text + &line.replace('\n', " ") + "\n")
}
