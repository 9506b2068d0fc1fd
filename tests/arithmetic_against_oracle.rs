//! Random arithmetic near the limits of its types: each engine against values computed here, with signed
//! overflow under each of its meanings.
//!
//! A program makes a few choices and computes with variables of several types; one final value is an error.
//! All choices are tried here with plain 128-bit numbers, which know at each step whether a result fits.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use regrain::budget::Budget;
use regrain::engine::Claim;
use regrain::frontend::{self, Options, SignedOverflow};
use regrain::observe::Silent;
use regrain::term::Word;
use regrain::verify::{Engine, Settings, verify};

use crate::random::Random;

const TYPES: [(&str, Word); 6] = [
    ("int", Word::signed(32)),
    ("long", Word::signed(64)),
    ("short", Word::signed(16)),
    ("signed char", Word::signed(8)),
    ("unsigned", Word::unsigned(32)),
    ("unsigned char", Word::unsigned(8)),
];

const INT: Word = Word::signed(32);

/// `target = left op right`, perhaps under a condition.
#[derive(Clone, Debug)]
struct Statement {
    choice: Option<usize>,
    target: usize,
    left: usize,
    op: &'static str,
    right: Operand,
}

#[derive(Clone, Copy, Debug)]
enum Operand {
    Variable(usize),
    Constant(i128),
}

struct Arithmetic {
    /// Types and initial values.
    variables: Vec<(usize, i128)>,
    choices: usize,
    statements: Vec<Statement>,
    /// A variable and a value that it must not have in the end.
    error: (usize, i128),
}

/// What became of one way through a program.
enum End {
    Values(Vec<i128>),
    Overflow,
}

impl Arithmetic {
    fn random(seed: u64) -> Arithmetic {
        let mut random = Random::new(seed);
        let near = |random: &mut Random, word: Word| {
            let small = random.below(4) as i128;
            match random.below(8) {
                0 => word.max() - small,
                1 => word.min() + small,
                _ => word.wrap(small * 5 - 1),
            }
        };
        let variables: Vec<(usize, i128)> = (0..3)
            .map(|_| {
                let ty = random.below(TYPES.len());
                (ty, near(&mut random, TYPES[ty].1))
            })
            .collect();
        let choices = 2;
        let statements = (0..4).map(|_| {
            let op = random.pick(&["+", "-", "*", "+", "-", "/", "%", "<<", "++"]);
            let constant = match op {
                "/" | "%" => [-1, 2, 3, -5][random.below(4)],
                "<<" => [1, 2, 3, 7][random.below(4)],
                _ => [1, 2, -3, 7, -1, 100, i128::from(i32::MAX), i128::from(i32::MIN) + 1][random.below(8)],
            };
            let simple = matches!(op, "/" | "%" | "<<") || random.below(2) == 0;
            let right = if simple { Operand::Constant(constant) } else { Operand::Variable(random.below(3)) };
            let choice = (random.below(2) == 0).then(|| random.below(choices));
            Statement { choice, target: random.below(3), left: random.below(3), op, right }
        });
        let statements = statements.collect();
        let mut program = Arithmetic { variables, choices, statements, error: (0, 0) };
        let variable = random.below(3);
        let mut ends = (0..1 << choices).filter_map(|taken| match program.run(taken, SignedOverflow::Wrap) {
            End::Values(values) => Some(values[variable]),
            End::Overflow => None,
        });
        let end = ends.nth(random.below(4)).expect("wrapping never ends a run");
        let word = TYPES[program.variables[variable].0].1;
        program.error = (variable, word.wrap(end + random.below(2) as i128));
        program
    }

    /// The final values with some choices.
    fn run(&self, taken: usize, meaning: SignedOverflow) -> End {
        let mut values: Vec<i128> = self.variables.iter().map(|&(_, value)| value).collect();
        let word = |variable: usize| TYPES[self.variables[variable].0].1;
        for statement in &self.statements {
            if statement.choice.is_some_and(|choice| taken >> choice & 1 == 0) {
                continue;
            }
            let (mut left, mut right) = (statement.left, statement.right);
            if statement.op == "++" {
                (left, right) = (statement.target, Operand::Constant(1));
            }
            let (other, other_word) = match right {
                Operand::Variable(variable) => (values[variable], word(variable)),
                Operand::Constant(value) => (value, INT),
            };
            let computed = common(word(left), if statement.op == "<<" { INT } else { other_word });
            let (a, b) = (computed.wrap(values[left]), computed.wrap(other));
            let result = match statement.op {
                "+" | "++" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                "%" => a % b,
                _ => a << b,
            };
            let beyond = match statement.op {
                "<<" => a < 0 || !computed.contains(result),
                "%" => !computed.contains(a / b),
                _ => !computed.contains(result),
            };
            if beyond && computed.is_signed() && meaning != SignedOverflow::Wrap {
                return End::Overflow;
            }
            values[statement.target] = word(statement.target).wrap(computed.wrap(result));
        }
        End::Values(values)
    }

    /// Whether the program is violated.
    fn violated(&self, meaning: SignedOverflow) -> bool {
        (0..1 << self.choices).any(|taken| match self.run(taken, meaning) {
            End::Values(values) => values[self.error.0] == self.error.1,
            End::Overflow => meaning == SignedOverflow::Error,
        })
    }

    fn text(&self) -> String {
        let mut text =
            "extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);\n".to_owned();
        text += "int main(void) {\n";
        for choice in 0..self.choices {
            let _ = writeln!(text, "_Bool c{choice} = __VERIFIER_nondet_bool();");
        }
        for (number, &(ty, value)) in self.variables.iter().enumerate() {
            let _ = writeln!(text, "{} v{number} = ({})({});", TYPES[ty].0, TYPES[ty].0, constant(value));
        }
        for statement in &self.statements {
            let Statement { choice, target, left, op, right } = statement;
            if let Some(choice) = choice {
                let _ = write!(text, "if (c{choice}) ");
            }
            let right = match *right {
                Operand::Variable(variable) => format!("v{variable}"),
                Operand::Constant(value) => constant(value),
            };
            let _ = match *op {
                "++" => writeln!(text, "v{target}++;"),
                op => writeln!(text, "v{target} = v{left} {op} {right};"),
            };
        }
        let (variable, value) = self.error;
        let ty = TYPES[self.variables[variable].0].0;
        let _ = writeln!(text, "if (v{variable} == ({ty})({})) reach_error();\n}}", constant(value));
        text
    }
}

/// The type of a sum (C11 6.3.1.8).
fn common(a: Word, b: Word) -> Word {
    let promoted = |word: Word| if word.bits() < 32 { INT } else { word };
    let (a, b) = (promoted(a), promoted(b));
    if a.bits() != b.bits() {
        return if a.bits() > b.bits() { a } else { b };
    }
    if a.is_signed() { b } else { a }
}

/// A number as C reads it: the least one of a type has no literal.
fn constant(value: i128) -> String {
    match value {
        _ if value == i128::from(i64::MIN) => "-9223372036854775807L - 1".to_owned(),
        _ if value == i128::from(i32::MIN) => "-2147483647 - 1".to_owned(),
        _ if value > i128::from(i32::MAX) || value < i128::from(i32::MIN) => format!("{value}L"),
        _ => value.to_string(),
    }
}

#[test]
fn every_engine_computes_as_c_does() {
    let count = std::env::var("REGRAIN_RANDOM_ARITHMETIC").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut violated = [0; 3];
    for seed in 0..count {
        let program = Arithmetic::random(seed);
        let text = program.text();
        for (position, signed_overflow) in SignedOverflow::ALL.into_iter().enumerate() {
            let options = Options { signed_overflow, ..Options::default() };
            let raw = frontend::load_text(Path::new("random.i"), &text, &options).expect("plain C");
            let reduced = frontend::reduced(raw, &options);
            let expected = program.violated(signed_overflow);
            violated[position] += usize::from(expected);
            for engine in [Engine::Explore, Engine::Scar, Engine::Cegar] {
                let budget = Budget::unlimited().with_time(Duration::from_secs(60));
                let settings = Settings { budget, ..Settings::default() };
                let answer = verify(&reduced, engine, &settings, &mut Silent).expect("a claim that holds");
                let told = match answer.claim() {
                    Claim::Safe(_) => false,
                    Claim::Unsafe(_) => true,
                    Claim::Unknown(reason) => panic!("{seed} {engine:?}: {}\n{text}", reason.summary),
                };
                assert_eq!(told, expected, "{seed} {engine:?} {}:\n{text}", signed_overflow.name());
            }
        }
    }
    let all = usize::try_from(count).expect("few");
    assert!(violated.iter().all(|&some| some > 0 && some < all), "{violated:?} of {all}");
}
