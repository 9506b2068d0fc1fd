//! Constants of 128 bits, for initialisers: the calls that stand for operators (`wide.rs`), evaluated.

use super::types::Types;
use super::wide::Wide;
use super::{Analyser, make};
use crate::frontend::tree::{Expr, ExprKind};

impl Analyser<'_> {
    /// The two words of a constant of 128 bits, the lower one first.
    pub fn wide_constant(&self, expr: &Expr) -> Option<[Expr; 2]> {
        self.wide(expr.ty)?;
        let bits = self.fold_wide(expr)?;
        let high = match self.wide(expr.ty)? {
            Wide::Signed => (Types::LONG_LONG, bits >> 64),
            Wide::Unsigned => (Types::ULONG_LONG, ((bits as u128) >> 64) as i128),
        };
        let low = (Types::ULONG_LONG, i128::from(bits as u64));
        Some([low, high].map(|(ty, value)| make(ExprKind::Int(value), ty, expr.span)))
    }

    /// The bits of a constant. Signed arithmetic that overflows has none.
    fn fold_wide(&self, expr: &Expr) -> Option<i128> {
        let ExprKind::Call(callee, args) = &expr.kind else { return None };
        let ExprKind::Function(function) = callee.kind else { return None };
        let name = self.functions[function.index()].name.strip_prefix("__regrain_")?;
        let (signed, operation) = match name.split_at_checked(5)? {
            ("i128_", operation) => (true, operation),
            ("u128_", operation) => (false, operation),
            _ => return None,
        };
        match (operation, args.as_slice()) {
            ("from_i" | "from_u", [value]) => self.fold(value),
            ("from_i128" | "from_u128", [value]) => self.fold_wide(value),
            ("shl" | "shr", [value, amount]) => {
                let amount = u32::try_from(self.fold(amount)?).ok().filter(|amount| *amount < 128)?;
                let value = self.fold_wide(value)?;
                match (operation, signed) {
                    ("shl", true) => {
                        Some(value << amount).filter(|moved| value >= 0 && moved >> amount == value)
                    }
                    ("shl", false) => Some(value << amount),
                    (_, true) => Some(value >> amount),
                    (_, false) => Some(((value as u128) >> amount) as i128),
                }
            }
            (_, [a, b]) => {
                let (a, b) = (self.fold_wide(a)?, self.fold_wide(b)?);
                match signed {
                    true => signed_result(operation, a, b),
                    false => unsigned_result(operation, a as u128, b as u128).map(|result| result as i128),
                }
            }
            _ => None,
        }
    }
}

fn signed_result(operation: &str, a: i128, b: i128) -> Option<i128> {
    match operation {
        "add" => a.checked_add(b),
        "sub" => a.checked_sub(b),
        "mul" => a.checked_mul(b),
        "div" => a.checked_div(b),
        "rem" => a.checked_rem(b),
        "and" => Some(a & b),
        "or" => Some(a | b),
        "xor" => Some(a ^ b),
        _ => None,
    }
}

fn unsigned_result(operation: &str, a: u128, b: u128) -> Option<u128> {
    match operation {
        "add" => Some(a.wrapping_add(b)),
        "sub" => Some(a.wrapping_sub(b)),
        "mul" => Some(a.wrapping_mul(b)),
        "div" => a.checked_div(b),
        "rem" => a.checked_rem(b),
        "and" => Some(a & b),
        "or" => Some(a | b),
        "xor" => Some(a ^ b),
        _ => None,
    }
}
