//! Floating-point operations of terms, by Z3's theory: bits become floats, and results bits again.
//!
//! The theory has one NaN; which bits it has is said here, as `term/float.rs` does. Z3's safe interface makes
//! no floats of bits or integers, but its parser does: an application is read once for each pair of sorts,
//! and its declaration applied from then on.

use rustc_hash::FxHashMap;
use z3::ast::{Ast, BV, Bool, Dynamic, Float, RoundingMode};
use z3::{FuncDecl, Solver, Sort as Z3Sort};

use crate::term::float::{default_nan, format, quiet_bit};
use crate::term::{FloatMap, FloatOp, FloatOrder, Word};

/// What a float is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Source {
    /// Its bits.
    Bits,
    /// An integer in two's complement.
    Signed(u32),
    /// A natural number.
    Unsigned(u32),
}

/// Exponent and significand of a sort, the leading bit included.
type Format = (u32, u32);

/// Exact for all integers of up to 112 bits and all floats of programs.
const WIDE: Format = (15, 113);

/// Makes floats.
#[derive(Default)]
pub(super) struct Floats {
    conversions: FxHashMap<(Source, Format), FuncDecl>,
}

impl Floats {
    /// Arithmetic on bits.
    pub fn arithmetic(&mut self, op: FloatOp, a: &BV, b: &BV, bits: u8) -> BV {
        let (x, y) = (self.float(a, bits), self.float(b, bits));
        let nearest = RoundingMode::round_nearest_ties_to_even();
        let result = match op {
            FloatOp::Add => x.add_with_rounding_mode(y.clone(), &nearest),
            FloatOp::Sub => x.sub_with_rounding_mode(y.clone(), &nearest),
            FloatOp::Mul => x.mul_with_rounding_mode(y.clone(), &nearest),
            FloatOp::Div => x.div_with_rounding_mode(y.clone(), &nearest),
        };
        let quiet = BV::from_u64(quiet_bit(bits), u32::from(bits));
        let result = y.is_nan().ite(&b.bvor(&quiet), &valid(&result, bits));
        x.is_nan().ite(&a.bvor(&quiet), &result)
    }

    /// A comparison of bits.
    pub fn compare(&mut self, order: FloatOrder, a: &BV, b: &BV, bits: u8) -> Bool {
        let (x, y) = (self.float(a, bits), self.float(b, bits));
        match order {
            FloatOrder::Equal => x.eq_fpa(&y),
            FloatOrder::Less => x.lt(&y),
            FloatOrder::LessEqual => x.le(&y),
        }
    }

    /// An operation with one operand.
    pub fn map(&mut self, operation: FloatMap, a: &BV, from: Word, to: Word) -> BV {
        match operation {
            FloatMap::Sqrt => {
                let x = self.float(a, from.bits());
                let quiet = BV::from_u64(quiet_bit(to.bits()), u32::from(to.bits()));
                x.is_nan().ite(&a.bvor(&quiet), &valid(&x.sqrt(), to.bits()))
            }
            FloatMap::Resize => {
                let x = self.float(a, from.bits());
                let sort = sort_of(sorts(to.bits()));
                let result = x.to_fp_with_rounding_mode(&RoundingMode::round_nearest_ties_to_even(), &sort);
                x.is_nan().ite(&resized_nan(a, from.bits(), to.bits()), &valid(&result, to.bits()))
            }
            FloatMap::FromWord => {
                let source = match from.is_signed() {
                    true => Source::Signed(u32::from(from.bits())),
                    false => Source::Unsigned(u32::from(from.bits())),
                };
                self.made(source, sorts(to.bits()), a).to_ieee_bv()
            }
            FloatMap::ToWord => self.whole(a, from.bits(), to),
        }
    }

    /// Rounded towards zero; 0 for what does not fit.
    fn whole(&mut self, a: &BV, bits: u8, to: Word) -> BV {
        let x = self.float(a, bits);
        let wide = x.to_fp_with_rounding_mode(&RoundingMode::round_nearest_ties_to_even(), &sort_of(WIDE));
        let (below, above) = (self.limit(to.min() - 1), self.limit(to.max() + 1));
        let fits = Bool::and(&[below.lt(&wide), wide.lt(&above)]);
        // With one bit more, so that naturals are in two's complement, too.
        let width = u32::from(to.bits());
        let whole = x.to_sbv_with_rounding_mode(&RoundingMode::round_towards_zero(), width + 1);
        fits.ite(&whole.extract(width - 1, 0), &BV::from_u64(0, width))
    }

    /// A whole number of at most 66 bits.
    fn limit(&mut self, value: i128) -> Float {
        let high = BV::from_i64((value >> 32) as i64, 64);
        let low = BV::from_u64((value & 0xffff_ffff) as u64, 32);
        self.made(Source::Signed(96), WIDE, &high.concat(&low))
    }

    /// The float with these bits.
    fn float(&mut self, bits: &BV, width: u8) -> Float {
        self.made(Source::Bits, sorts(width), bits)
    }

    fn made(&mut self, source: Source, format: Format, from: &BV) -> Float {
        let decl = self.conversions.entry((source, format)).or_insert_with(|| conversion(source, format));
        let made: Dynamic = match source {
            Source::Bits => decl.apply(&[from]),
            Source::Signed(_) | Source::Unsigned(_) => {
                decl.apply(&[&RoundingMode::round_nearest_ties_to_even(), from])
            }
        };
        made.as_float().expect("a float")
    }
}

/// The declaration of a conversion, from a formula that has it.
fn conversion(source: Source, (exponent, significand): Format) -> FuncDecl {
    let (width, application) = match source {
        Source::Bits => (exponent + significand, format!("((_ to_fp {exponent} {significand}) x)")),
        Source::Signed(width) => (width, format!("((_ to_fp {exponent} {significand}) RNE x)")),
        Source::Unsigned(width) => (width, format!("((_ to_fp_unsigned {exponent} {significand}) RNE x)")),
    };
    let solver = Solver::new();
    solver.from_string(format!("(declare-const x (_ BitVec {width}))(assert (fp.isNaN {application}))"));
    let formula = solver.get_assertions().pop().expect("the assertion");
    formula.nth_child(0).expect("the application").decl()
}

fn sorts(bits: u8) -> Format {
    let (exponent, significand) = format(bits);
    (exponent, significand + 1)
}

fn sort_of((exponent, significand): Format) -> Z3Sort {
    Z3Sort::float(exponent, significand)
}

/// The bits of a result that is NaN only if the operation was invalid.
fn valid(result: &Float, bits: u8) -> BV {
    let nan = BV::from_u64(default_nan(bits), u32::from(bits));
    result.is_nan().ite(&nan, &result.to_ieee_bv())
}

/// A NaN of another width: the sign and the upper bits of the significand stay.
fn resized_nan(a: &BV, from: u8, to: u8) -> BV {
    let (_, width) = format(from);
    let (exponent, target) = format(to);
    let sign = a.extract(u32::from(from) - 1, u32::from(from) - 1);
    let ones = BV::from_u64((1 << exponent) - 1, exponent);
    let payload = match target >= width {
        true => a.extract(width - 1, 0).concat(BV::from_u64(0, target - width)),
        false => a.extract(width - 1, width - target),
    };
    sign.concat(&ones).concat(&payload).bvor(BV::from_u64(quiet_bit(to), u32::from(to)))
}
