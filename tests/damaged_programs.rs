//! The whole front end on damaged programs: whatever a file contains, it is accepted or refused with a
//! message.
//!
//! Each variant is a program of `benchmarks/`, preprocessed, with a few tokens deleted, doubled, exchanged or
//! replaced by tokens of other programs. Lowering and passes run too, since much damaged text is still C.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use regrain::frontend::{self, Options, source};
use regrain::program::pass::{self, PassOptions};

use crate::random::Random;

/// Variants in all. Each takes a few milliseconds.
const VARIANTS: usize = 10_000;

/// No variant may take longer, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The C files below a folder, in order.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "c" => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Splits a text into words, numbers and single other characters, white space included.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        tokens.push(&rest[..len]);
        rest = &rest[len..];
    }
    tokens
}

fn damage<'t>(tokens: &mut Vec<&'t str>, foreign: &[&'t str], random: &mut Random) {
    let at = random.below(tokens.len());
    match random.below(6) {
        0 => {
            tokens.remove(at);
        }
        1 => tokens.insert(at, tokens[at]),
        2 => {
            let other = random.below(tokens.len());
            tokens.swap(at, other);
        }
        3 => tokens[at] = foreign[random.below(foreign.len())],
        4 => tokens.insert(at, foreign[random.below(foreign.len())]),
        _ => {
            let end = (at + 1 + random.below(12)).min(tokens.len());
            tokens.drain(at..end);
        }
    }
    if tokens.is_empty() {
        tokens.push(";");
    }
}

#[test]
fn damaged_programs_are_accepted_or_refused() {
    let options = Options::default();
    let files = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks"));
    let texts: Vec<String> =
        files.iter().step_by(4).map(|file| source::read(file, &options).expect("preprocessed")).collect();
    let originals: Vec<Vec<&str>> = texts.iter().map(|text| tokens(text)).collect();
    let workers = 2;
    let accepted: usize = std::thread::scope(|scope| {
        let work = |worker: usize| {
            let (originals, options) = (&originals, &options);
            scope.spawn(move || {
                (worker..VARIANTS).step_by(workers).filter(|&i| survives(originals, i, options)).count()
            })
        };
        let running: Vec<_> = (0..workers).map(work).collect();
        running.into_iter().map(|worker| worker.join().expect("no variant may panic")).sum()
    });
    // Damage that always, or never, left C would test little.
    assert!((VARIANTS / 50..VARIANTS).contains(&accepted), "{accepted} of {VARIANTS} accepted");
}

/// Feeds one variant to the front end; whether it was accepted.
fn survives(originals: &[Vec<&str>], number: usize, options: &Options) -> bool {
    let mut random = Random::new(number as u64);
    let mut variant = originals[number % originals.len()].clone();
    let foreign = &originals[random.below(originals.len())];
    for _ in 0..=random.below(3) {
        damage(&mut variant, foreign, &mut random);
    }
    let text = variant.concat();
    let begin = Instant::now();
    let result = frontend::load_text(Path::new("damaged.i"), &text, options);
    let accepted = result.is_ok();
    if let Ok(program) = result {
        pass::run(program, &PassOptions { memory_model: options.memory_model });
    }
    assert!(begin.elapsed() < PATIENCE, "variant {number} took {:?}", begin.elapsed());
    accepted
}
