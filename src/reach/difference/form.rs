//! Combinations of bounds on integer differences, as `reader.rs` reads them off terms.

use super::zone::{Bound, Point};
use crate::term::VarId;

/// A combination of bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// `left - right <= limit`.
    Bound(Bound),
    /// `left - right != difference`.
    Differs(usize, usize, i128),
    /// All of these hold; `true` if there are none.
    All(Vec<Form>),
    /// One of these holds; `false` if there are none.
    Any(Vec<Form>),
}

impl Form {
    pub fn constant(value: bool) -> Form {
        if value { Form::All(Vec::new()) } else { Form::Any(Vec::new()) }
    }

    /// Its value, if it is written as a constant.
    pub fn as_constant(&self) -> Option<bool> {
        match self {
            Form::All(forms) if forms.is_empty() => Some(true),
            Form::Any(forms) if forms.is_empty() => Some(false),
            _ => None,
        }
    }

    /// Whether it holds at a point.
    pub fn holds_at(&self, point: &Point) -> bool {
        match self {
            Form::Bound(bound) => bound.holds_at(point),
            Form::Differs(left, right, difference) => point[*left] - point[*right] != *difference,
            Form::All(forms) => forms.iter().all(|form| form.holds_at(point)),
            Form::Any(forms) => forms.iter().any(|form| form.holds_at(point)),
        }
    }

    /// All of these; constants among them are worked in.
    pub fn all(mut forms: Vec<Form>) -> Form {
        if forms.iter().any(|form| form.as_constant() == Some(false)) {
            return Form::constant(false);
        }
        forms.retain(|form| form.as_constant().is_none());
        if forms.len() == 1 { forms.remove(0) } else { Form::All(forms) }
    }

    /// One of these; constants among them are worked in.
    pub fn any(mut forms: Vec<Form>) -> Form {
        if forms.iter().any(|form| form.as_constant() == Some(true)) {
            return Form::constant(true);
        }
        forms.retain(|form| form.as_constant().is_none());
        if forms.len() == 1 { forms.remove(0) } else { Form::Any(forms) }
    }

    pub fn and(self, other: Form) -> Form {
        match (self.as_constant(), other.as_constant()) {
            (Some(true), _) | (_, Some(false)) => other,
            (_, Some(true)) | (Some(false), _) => self,
            (None, None) => Form::All(vec![self, other]),
        }
    }
}

/// A truth term: where it holds, and where it does not.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Where it holds.
    pub holds: Form,
    /// Where it does not.
    pub fails: Form,
}

/// The variables of a question, in the order of their numbers there, which begin with 1.
#[derive(Default)]
pub struct Numbering {
    vars: Vec<VarId>,
}

impl Numbering {
    /// The variables.
    pub fn vars(&self) -> &[VarId] {
        &self.vars
    }

    fn number(&mut self, variable: usize) -> usize {
        let Some(var) = variable.checked_sub(1).map(VarId::new) else { return 0 };
        let known = self.vars.iter().position(|&known| known == var);
        known.unwrap_or_else(|| {
            self.vars.push(var);
            self.vars.len() - 1
        }) + 1
    }

    /// What was read, with the numbers of the question.
    pub fn truth(&mut self, truth: &Truth) -> Truth {
        Truth { holds: self.form(&truth.holds), fails: self.form(&truth.fails) }
    }

    fn form(&mut self, form: &Form) -> Form {
        match form {
            Form::Bound(bound) => {
                let (left, right) = (self.number(bound.left), self.number(bound.right));
                Form::Bound(Bound { left, right, limit: bound.limit })
            }
            Form::Differs(left, right, difference) => {
                Form::Differs(self.number(*left), self.number(*right), *difference)
            }
            Form::All(forms) => Form::All(forms.iter().map(|form| self.form(form)).collect()),
            Form::Any(forms) => Form::Any(forms.iter().map(|form| self.form(form)).collect()),
        }
    }
}

impl Truth {
    pub fn constant(value: bool) -> Truth {
        Truth { holds: Form::constant(value), fails: Form::constant(!value) }
    }

    /// Its value, if it is written as a constant.
    pub fn as_constant(&self) -> Option<bool> {
        self.holds.as_constant().or_else(|| self.fails.as_constant().map(|fails| !fails))
    }

    pub fn not(self) -> Truth {
        Truth { holds: self.fails, fails: self.holds }
    }

    pub fn all(parts: Vec<Truth>) -> Truth {
        let (holds, fails) = parts.into_iter().map(|part| (part.holds, part.fails)).unzip();
        Truth { holds: Form::all(holds), fails: Form::any(fails) }
    }

    pub fn any(parts: Vec<Truth>) -> Truth {
        Truth::all(parts.into_iter().map(Truth::not).collect()).not()
    }

    /// One of some cases that exclude each other and leave nothing out.
    pub fn by_cases(cases: Vec<(Form, Truth)>) -> Truth {
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        for (condition, truth) in cases {
            holds.push(condition.clone().and(truth.holds));
            fails.push(condition.and(truth.fails));
        }
        Truth { holds: Form::any(holds), fails: Form::any(fails) }
    }
}
