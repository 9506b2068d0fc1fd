//! Expressions of random concurrent programs: small values, at most one side effect each, nothing undefined
//! but rarely.

use super::ast::{Expr, Int, Place, Type};
use super::features::Feature;
use super::generator::{Generator, Kind, Shared, Where};

impl Generator {
    /// A shared object.
    pub fn object(&mut self) -> Shared {
        let index = self.random.below(self.shared.len());
        let mut shared = self.shared[index].clone();
        if self.has(Feature::Index)
            && let Place::Element(array, _) = &shared.place
            && !self.locals.is_empty()
            && self.one_in(2)
        {
            let index = self.local_value();
            shared.place = array.as_ref().clone().element(Expr::binary("&", index, Expr::int(1)));
        }
        shared
    }

    /// A shared object that can be given to functions by its address, of a kind.
    pub fn object_of(&mut self, kind: Kind) -> Option<Shared> {
        let own = |shared: &Shared| matches!(&shared.place, Place::Name(name) if name == "own");
        let fitting: Vec<Shared> =
            self.shared.iter().filter(|shared| shared.kind == kind && !own(shared)).cloned().collect();
        (!fitting.is_empty()).then(|| fitting[self.random.below(fitting.len())].clone())
    }

    /// A local variable.
    pub fn local(&mut self) -> Option<(String, Int)> {
        let count = self.locals.len();
        (count > 0).then(|| self.locals[self.random.below(count)].clone())
    }

    fn local_value(&mut self) -> Expr {
        match self.local() {
            Some((name, _)) => Place::name(&name).read(),
            None => self.small(),
        }
    }

    /// A small number.
    pub fn small(&mut self) -> Expr {
        let value = self.random.pick(&[0, 1, 1, 1, 2, 2, 3, -1]);
        match self.one_in(3) {
            true => Expr::Number(value.max(0), Int::UInt),
            false => Expr::int(value),
        }
    }

    /// A number, a local variable, or sometimes a shared object.
    pub fn operand(&mut self, place: Where) -> Expr {
        match self.random.below(if place == Where::Alone { 3 } else { 8 }) {
            0 | 1 => self.object().place.read(),
            2 | 3 => self.small(),
            _ => self.local_value(),
        }
    }

    /// A value to store or to compute with.
    pub fn value(&mut self, place: Where) -> Expr {
        let operand = self.operand(place);
        match self.random.below(20) {
            0..=7 => operand,
            8..=11 => Expr::binary(self.random.pick(&["+", "+", "-"]), operand, self.small()),
            12 => Expr::binary(self.random.pick(&["&", "|", "^"]), operand, self.small()),
            13 => {
                let amount = Expr::binary("&", operand, Expr::int(3));
                Expr::binary("<<", Expr::Number(1, Int::UInt), amount)
            }
            14 => {
                let divisor = Expr::int(self.random.pick(&[2, 3]));
                Expr::binary(self.random.pick(&["/", "%", "*"]), operand, divisor)
            }
            15 => {
                let (condition, other) = (self.comparison(place), self.small());
                Expr::Choice(Box::new(condition), Box::new(operand), Box::new(other))
            }
            16 => Expr::Unary(self.random.pick(&["!", "~", "-"]), Box::new(operand)),
            17 => {
                let ty = self.int();
                Expr::Cast(Type::Int(ty), Box::new(operand))
            }
            18 if self.has(Feature::SignedOverflow) => {
                let edge =
                    self.random.pick(&[i128::from(i32::MAX), i128::from(i32::MIN), i128::from(i32::MAX) - 1]);
                Expr::binary(self.random.pick(&["+", "-", "*"]), operand, Expr::int(edge))
            }
            _ => {
                let other = self.operand(place);
                Expr::binary(self.random.pick(&["+", "-", "=="]), operand, other)
            }
        }
    }

    /// A comparison.
    pub fn comparison(&mut self, place: Where) -> Expr {
        let left = self.operand(place);
        let right = if self.one_in(5) { self.operand(place) } else { self.small() };
        let operator = self.random.pick(&["==", "==", "!=", "<", "<=", ">", ">="]);
        Expr::binary(operator, left, right)
    }

    /// A condition.
    pub fn condition(&mut self, place: Where) -> Expr {
        match self.random.below(8) {
            0 => self.operand(place),
            1 => {
                let (left, right) = (self.comparison(place), self.comparison(place));
                Expr::binary(self.random.pick(&["&&", "||"]), left, right)
            }
            2 => {
                let operand = self.operand(place);
                Expr::Unary("!", Box::new(operand))
            }
            _ => self.comparison(place),
        }
    }
}
