//! Threads without number: loops that create threads and end nobody knows when.
//!
//! A program whose creating loops had to be cut, or went round so often that nobody wants to know the threads
//! apart, is lowered once more. Such loops are then loops, and what they create is a *template*: a pair of
//! threads that run the same code and stand for any number of copies (`program/template.rs` says what that
//! means). So is whatever a template creates, and whatever is created where control may come back.
//!
//! A proof there is one for the C program, since everything that it could do is still possible:
//! - All copies are there from the beginning. They wait until one of them has been created; what is created
//!   later may as well wait longer. Where the loop has a condition it is counted how many were created and have
//!   not begun, in whole numbers: each copy that begins is one of these.
//! - An argument that is not a constant is any value, for each copy anew.
//! - The number of a copy is any number from [`FIRST`] on; those of other threads are less. Nothing says
//!   that numbers differ. The C program gives each thread one of its own, which is one of these.
//! - Joining a copy does not wait, and gives any value. Whether a copy has ended is anybody's guess.
//!
//! Templates of the same function with the same arguments are the same one. Cancelling is not supported.

use std::collections::BTreeSet;

use super::code::Op;
use super::thread::Arg;
use super::{Lower, Result};
use crate::frontend::diagnostic::Kind;
use crate::frontend::tree::FunctionId;
use crate::program::{Action, Copies, Twins};
use crate::term::{Sort, TermId, VarId, Word};

/// The least number of a copy.
pub(super) const FIRST: i128 = 1 << 20;
/// What numbers are counted in from there on; one more still fits an `int`.
const NUMBER: Word = Word::unsigned(30);

/// A loop that creates threads so often may as well do it any number of times.
pub(super) const MANY: u32 = 4;

/// What is known of templates.
#[derive(Debug, Default)]
pub(super) struct Templates {
    /// The loops that create too many threads to know them apart, by the statement's place in memory.
    loops: BTreeSet<usize>,
    /// Whether creating threads was cut elsewhere.
    cut: bool,
    /// Whether there are templates: in the second lowering.
    wanted: bool,
    /// How the loop around ends.
    end: End,
    list: Vec<Template>,
}

/// How a loop ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum End {
    /// It does not, or nobody looks.
    #[default]
    Never,
    /// Where its condition says.
    Known,
}

/// A template.
#[derive(Debug)]
struct Template {
    /// What its copies call.
    function: FunctionId,
    /// The arguments, where they are constants.
    args: Vec<Option<TermId>>,
    twins: Twins,
    /// Where each twin keeps its number, if it wants to know.
    numbers: [Option<VarId>; 2],
}

impl Templates {
    /// What the second lowering has to know, if there should be one.
    pub fn wanted(self) -> Option<Templates> {
        let Templates { loops, cut, .. } = self;
        (cut || !loops.is_empty()).then(|| Templates { loops, wanted: true, ..Templates::default() })
    }

    /// Notes that a loop creates too many threads to know them apart.
    pub fn note(&mut self, statement: usize) {
        self.loops.insert(statement);
    }

    /// Notes that creating threads was cut.
    pub fn note_cut(&mut self) {
        self.cut = true;
    }

    /// Whether a creating loop is lowered as a loop.
    pub fn goes_round(&self, statement: usize) -> bool {
        self.wanted && self.loops.contains(&statement)
    }

    /// Notes how the loop ends that is being lowered; how the one around it does.
    pub fn enter(&mut self, end: End) -> End {
        std::mem::replace(&mut self.end, end)
    }

    /// All pairs of threads.
    pub fn twins(&self) -> Vec<Twins> {
        self.list.iter().map(|template| template.twins).collect()
    }
}

impl<'a> Lower<'a> {
    /// Whether what is created now is a template.
    pub(super) fn creates_copies(&self) -> bool {
        let within = self.threads[self.thread.index()].copies;
        self.templates.wanted && (within == Copies::Any || !self.runs_once())
    }

    /// Creates copies that call a function; the number of one.
    pub(super) fn create_copy(&mut self, id: FunctionId, values: &[TermId]) -> Result<TermId> {
        if self.uses("pthread_cancel") {
            return Err(self.unsupported("cancelling threads without number"));
        }
        let args: Vec<Option<TermId>> = values
            .iter()
            .map(|&value| Some(value).filter(|&value| self.builder.terms().as_const(value).is_some()))
            .collect();
        let known = self.templates.list.iter().find(|known| known.function == id && known.args == args);
        let twins = match known {
            Some(template) => template.twins,
            None => self.new_template(id, args, values)?,
        };
        self.announce = None;
        let [thread, _] = twins.threads;
        let (values, again) = (Vec::new(), None);
        self.emit_with(vec![Action::Create(thread)], |next| Op::Create { thread, values, again, next })?;
        self.copy_number()
    }

    fn new_template(
        &mut self,
        function: FunctionId,
        args: Vec<Option<TermId>>,
        values: &[TermId],
    ) -> Result<Twins> {
        let name = self.unit.functions[function.index()].name.clone();
        let threads = [self.new_thread(&name, self.span)?, self.new_thread(&name, self.span)?];
        let started = self.threads[threads[0].index()].started;
        let waiting = match self.templates.end {
            End::Never => None,
            End::Known => Some(self.flag(format!("{name}.waiting"), Sort::Word(Word::signed(64)))),
        };
        for thread in threads {
            let data = &mut self.threads[thread.index()];
            (data.copies, data.started, data.waiting) = (Copies::Any, started, waiting);
            let handed = args.iter().zip(values).map(|(arg, &value)| match arg {
                Some(constant) => Arg::Constant(*constant),
                None => Arg::Any(self.builder.terms().sort(value)),
            });
            let handed = handed.collect();
            self.calls_in(thread, function, handed, None);
        }
        let twins = Twins { threads };
        self.templates.list.push(Template { function, args, twins, numbers: [None; 2] });
        Ok(twins)
    }

    /// The number of a copy that was created.
    fn copy_number(&mut self) -> Result<TermId> {
        let number = self.temporary(Sort::Word(NUMBER));
        self.havoc(number, "copy")?;
        Ok(self.number_of(number))
    }

    /// The number of the copy that is being lowered: whatever its variable holds from the beginning.
    pub(super) fn own_copy_number(&mut self) -> Result<TermId> {
        let thread = self.thread;
        let mut templates = self.templates.list.iter().enumerate();
        let found = templates.find_map(|(at, template)| {
            let twin = template.twins.threads.iter().position(|&twin| twin == thread)?;
            Some((at, twin))
        });
        let Some((at, twin)) = found else {
            return Err(self.refuse(Kind::Unsupported, "a thread without number that is none"));
        };
        let number = match self.templates.list[at].numbers[twin] {
            Some(number) => number,
            None => self.temporary(Sort::Word(NUMBER)),
        };
        self.templates.list[at].numbers[twin] = Some(number);
        Ok(self.number_of(number))
    }

    /// The number of a copy, counted from the first one.
    fn number_of(&mut self, from_first: VarId) -> TermId {
        let word = self.layout.pointer();
        let terms = self.builder.terms();
        let from_first = terms.var(from_first);
        let (further, first) = (terms.cast(from_first, word), terms.constant(FIRST, word));
        terms.add(further, first)
    }
}
