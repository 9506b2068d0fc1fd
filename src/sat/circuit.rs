//! Arithmetic on vectors of literals, least significant bit first, in two's complement.
//!
//! Each function builds the textbook circuit (ripple-carry adder, shift-and-add multiplier, restoring
//! divider, barrel shifter) and leaves the rest to the folding and sharing of [`Gates`]: with constant inputs
//! little or nothing remains. Operands of one operation have the same width, which is the result's too. What
//! happens at the edges (division by zero, shifting by too much) is what [`crate::term::Node`] says.

use super::gates::Gates;
use super::solver::Lit;
use crate::term::Sign;

/// A vector of literals.
pub type Bits = Vec<Lit>;

/// The two's complement of a value in `width` bits.
pub fn constant(value: i128, width: usize) -> Bits {
    (0..width).map(|i| Lit::constant(value >> i & 1 == 1)).collect()
}

/// All bits flipped.
pub fn complement(a: &[Lit]) -> Bits {
    a.iter().map(|&lit| !lit).collect()
}

/// The same value in another width: cut off, or filled up with the sign bit of a signed vector.
pub fn resize(a: &[Lit], sign: Sign, width: usize) -> Bits {
    let fill = match sign {
        Sign::Signed => *a.last().expect("at least one bit"),
        Sign::Unsigned => Lit::FALSE,
    };
    (0..width).map(|i| a.get(i).copied().unwrap_or(fill)).collect()
}

/// `if c then a else b`.
pub fn choose(gates: &mut Gates, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
    a.iter().zip(b).map(|(&a, &b)| gates.ite(c, a, b)).collect()
}

/// Bit by bit.
pub fn bitwise(gates: &mut Gates, gate: fn(&mut Gates, Lit, Lit) -> Lit, a: &[Lit], b: &[Lit]) -> Bits {
    a.iter().zip(b).map(|(&a, &b)| gate(gates, a, b)).collect()
}

/// `a + b + carry`, the carry out left over.
pub fn add(gates: &mut Gates, a: &[Lit], b: &[Lit], carry: Lit) -> Bits {
    let mut carry = carry;
    let mut sum = Bits::with_capacity(a.len());
    for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
        let half = gates.xor(a, b);
        sum.push(gates.xor(half, carry));
        if i + 1 < sum.capacity() {
            carry = gates.majority(a, b, carry);
        }
    }
    sum
}

/// `a - b`.
pub fn subtract(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Bits {
    add(gates, a, &complement(b), Lit::TRUE)
}

/// `-a` if the condition holds, else `a`.
pub fn negate_if(gates: &mut Gates, condition: Lit, a: &[Lit]) -> Bits {
    let flipped: Bits = a.iter().map(|&lit| gates.xor(lit, condition)).collect();
    add(gates, &flipped, &constant(0, a.len()), condition)
}

/// `a << n`, zeros moving in.
fn shifted(a: &[Lit], n: usize) -> Bits {
    std::iter::repeat_n(Lit::FALSE, n).chain(a.iter().copied()).take(a.len()).collect()
}

/// `a * b`.
pub fn multiply(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Bits {
    let mut sum = constant(0, a.len());
    for (i, &digit) in b.iter().enumerate() {
        let partial: Bits = shifted(a, i).into_iter().map(|lit| gates.and(lit, digit)).collect();
        sum = add(gates, &sum, &partial, Lit::FALSE);
    }
    sum
}

/// `start + a * factor`. One adder for each digit of the factor that is not zero in non-adjacent form (digits
/// 1, 0, -1, of which few are needed: -1 and 2^k - 1 take one and two).
pub fn add_multiple(gates: &mut Gates, start: &[Lit], a: &[Lit], factor: i128) -> Bits {
    let width = a.len();
    // The representative of the factor nearest to zero has the fewest digits.
    let unused = 128 - width as u32;
    let mut rest = (factor << unused) >> unused;
    let mut sum = start.to_vec();
    for i in 0..width {
        if rest & 1 == 1 {
            let minus = rest & 3 == 3;
            let term = shifted(a, i);
            sum = if minus { subtract(gates, &sum, &term) } else { add(gates, &sum, &term, Lit::FALSE) };
            rest += if minus { 1 } else { -1 };
        }
        rest >>= 1;
    }
    sum
}

/// `a <= b` as unsigned numbers.
fn less_equal_unsigned(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    // The carry out of `b + !a + 1`.
    a.iter().zip(b).fold(Lit::TRUE, |carry, (&a, &b)| gates.majority(!a, b, carry))
}

/// `a <= b`.
pub fn less_equal(gates: &mut Gates, sign: Sign, a: &[Lit], b: &[Lit]) -> Lit {
    match sign {
        Sign::Unsigned => less_equal_unsigned(gates, a, b),
        Sign::Signed => {
            // Flipping the sign bits maps the signed order to the unsigned one.
            let (mut a, mut b) = (a.to_vec(), b.to_vec());
            for bits in [&mut a, &mut b] {
                let top = bits.last_mut().expect("at least one bit");
                *top = !*top;
            }
            less_equal_unsigned(gates, &a, &b)
        }
    }
}

/// `a == b`.
pub fn equal(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let bits = bitwise(gates, Gates::equal, a, b);
    gates.all(&bits)
}

/// Quotient and remainder.
pub fn divide(gates: &mut Gates, sign: Sign, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let nonzero = gates.any(b);
    let (quotient, remainder) = match sign {
        Sign::Unsigned => divide_unsigned(gates, a, b),
        Sign::Signed => {
            let (top_a, top_b) = (a[a.len() - 1], b[b.len() - 1]);
            let (a, b) = (negate_if(gates, top_a, a), negate_if(gates, top_b, b));
            let (quotient, remainder) = divide_unsigned(gates, &a, &b);
            let minus = gates.xor(top_a, top_b);
            (negate_if(gates, minus, &quotient), negate_if(gates, top_a, &remainder))
        }
    };
    (quotient.into_iter().map(|lit| gates.and(lit, nonzero)).collect(), remainder)
}

/// Restoring division; by zero it gives all ones and the dividend.
fn divide_unsigned(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let width = a.len();
    let mut quotient = constant(0, width);
    let mut remainder = constant(0, width);
    let divisor: Bits = b.iter().copied().chain([Lit::FALSE]).collect();
    for i in (0..width).rev() {
        let partial: Bits = [a[i]].into_iter().chain(remainder.iter().copied()).collect();
        let fits = less_equal_unsigned(gates, &divisor, &partial);
        let reduced = subtract(gates, &partial, &divisor);
        quotient[i] = fits;
        remainder = choose(gates, fits, &reduced[..width], &partial[..width]);
    }
    (quotient, remainder)
}

/// Which way a shift moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Towards the most significant bit; zeros move in.
    Left,
    /// Towards the least significant bit; zeros or, for signed vectors, copies of the sign bit move in.
    Right(Sign),
}

/// `a` shifted by a variable amount; an amount outside `0..width` shifts everything out.
pub fn shift(gates: &mut Gates, direction: Direction, a: &[Lit], amount: &[Lit]) -> Bits {
    let width = a.len();
    let fill = match direction {
        Direction::Right(Sign::Signed) => a[width - 1],
        _ => Lit::FALSE,
    };
    // Digits worth less than the width move; any other digit, a sign bit among them, shifts everything out.
    let stages = amount.iter().enumerate().take_while(|&(k, _)| k < 7 && 1 << k < width).count();
    let mut bits = a.to_vec();
    for (k, &digit) in amount[..stages].iter().enumerate() {
        let moved: Bits = (0..width)
            .map(|i| {
                let source = match direction {
                    Direction::Left => i.checked_sub(1 << k),
                    Direction::Right(_) => Some(i + (1 << k)),
                };
                source.and_then(|i| bits.get(i).copied()).unwrap_or(fill)
            })
            .collect();
        bits = choose(gates, digit, &moved, &bits);
    }
    let out = gates.any(&amount[stages..]);
    bits.into_iter().map(|lit| gates.ite(out, fill, lit)).collect()
}

/// For each `i` below `len` a literal that says `index == i`.
fn decode(gates: &mut Gates, sign: Sign, index: &[Lit], len: usize) -> Bits {
    // One digit more than positions need, so that a negative index has a digit that is none of theirs.
    let digits = len.next_power_of_two().trailing_zeros() as usize;
    let index = resize(index, sign, index.len().max(digits + 1));
    let inside = !gates.any(&index[digits..]);
    // Digit by digit from the most significant one, doubling the prefixes.
    let mut prefixes = vec![inside];
    for k in (0..digits).rev() {
        let positions = len.div_ceil(1 << k);
        prefixes = (0..positions)
            .map(|i| {
                let digit = if i & 1 == 1 { index[k] } else { !index[k] };
                gates.and(prefixes[i / 2], digit)
            })
            .collect();
    }
    prefixes.truncate(len);
    prefixes
}

/// The element at an index, zero outside. `elements` holds vectors of one width, one after the other.
pub fn select(gates: &mut Gates, elements: &[Lit], width: usize, sign: Sign, index: &[Lit]) -> Bits {
    let here = decode(gates, sign, index, elements.len() / width);
    (0..width)
        .map(|bit| {
            let cases: Bits =
                here.iter().enumerate().map(|(i, &at)| gates.and(at, elements[i * width + bit])).collect();
            gates.any(&cases)
        })
        .collect()
}

/// The elements with the one at an index replaced; unchanged if the index is outside.
pub fn store(gates: &mut Gates, elements: &[Lit], sign: Sign, index: &[Lit], value: &[Lit]) -> Bits {
    let here = decode(gates, sign, index, elements.len() / value.len());
    elements
        .chunks(value.len())
        .zip(here)
        .flat_map(|(element, at)| choose(gates, at, value, element))
        .collect()
}
