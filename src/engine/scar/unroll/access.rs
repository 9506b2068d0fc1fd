//! Reads of a block: the images of the program's terms in the unrolled program.
//!
//! An array element at an index that is not constant is one conditional access for each element that the
//! index may name. An array that is used whole is read element by element.

use std::collections::BTreeSet;

use crate::order::CellId;
use crate::program::{Lanes, Role};
use crate::term::{Node, Sort, TermId, VarId, Word};

use super::block::{Build, Here, Need, Read, Way};
use super::event::Stable;
use super::guard::includes;
use super::memory::INDEX;
use super::{Obstacle, Unroller};

/// Arrays of more elements are not indexed by values that are not constant.
const MAX_ELEMENTS: u32 = 1_024;

/// What names of a point's parts begin with.
pub(super) mod part {
    pub const READ: u32 = u32::MAX;
    pub const WRITE: u32 = u32::MAX - 1;
    pub const INPUT: u32 = u32::MAX - 2;
}

impl Unroller<'_> {
    /// A term of the program as it is at a point.
    pub(super) fn image(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        way: &mut Way,
        root: TermId,
    ) -> Result<TermId, Obstacle> {
        let program = self.program;
        let mut below = Vec::new();
        program.terms.visit(&[root], |id, _| below.push(id));
        below.retain(|id| !way.images.contains_key(id));
        below.sort_unstable();
        let whole = self.used_whole(root, &below);
        let is_array = |id: TermId| matches!(program.terms.sort(id), Sort::Array(_));
        for id in below {
            let image = match *program.terms.node(id) {
                Node::Var(var) if program.is_shared(var) && is_array(id) && !whole.contains(&id) => continue,
                Node::Var(var) => self.leaf(build, here, way, var),
                Node::Select(array, index) => match program.terms.as_var(array) {
                    Some(var) if program.is_shared(var) => {
                        let index = self.import(way, index);
                        self.read_element(build, here, var, index)?
                    }
                    _ => continue,
                },
                _ => continue,
            };
            way.images.insert(id, image);
        }
        Ok(self.import(way, root))
    }

    fn import(&mut self, way: &mut Way, term: TermId) -> TermId {
        let known = |var: VarId| unreachable!("variable {} has an image", var.index());
        self.pool.import(&self.program.terms, term, &mut way.images, known)
    }

    /// The shared arrays among some terms that are used otherwise than by selecting an element.
    fn used_whole(&self, root: TermId, below: &[TermId]) -> BTreeSet<TermId> {
        let terms = &self.program.terms;
        let mut used: Vec<TermId> = vec![root];
        for &id in below {
            match terms.node(id) {
                Node::Select(array, index) if terms.as_var(*array).is_some() => used.push(*index),
                node => node.push_children(&mut used),
            }
        }
        used.into_iter().filter(|&id| matches!(terms.sort(id), Sort::Array(_))).collect()
    }

    /// The image of a variable.
    fn leaf(&mut self, build: &mut Build, here: &Here<'_>, way: &mut Way, var: VarId) -> TermId {
        let variable = self.program.variable(var);
        match (variable.role, variable.sort) {
            (Role::Private(_), _) => here.state.locals[self.slots[var.index()]],
            (Role::Input, sort) => self.input(here.name, way, var, sort),
            (Role::Shared, Sort::Array(array)) => {
                let mut term = self.pool.fill(0, array);
                for i in 0..array.len {
                    let value = self.read_place(build, here, var, i, None);
                    let index = self.pool.constant(i128::from(i), INDEX);
                    term = self.pool.store(term, index, value);
                }
                term
            }
            (Role::Shared, _) => self.read_place(build, here, var, 0, None),
        }
    }

    /// The value of an input when a transition is taken at a point.
    fn input(&mut self, name: Stable, way: &mut Way, input: VarId, sort: Sort) -> TermId {
        let name = self.stable(name, vec![part::INPUT, way.id.index() as u32]);
        let what = format!("{}#{name}", self.program.variable(input).name);
        let var = self.variable(name, input.index() as u32, &what, sort);
        if !way.inputs.contains(&(input, var)) {
            way.inputs.push((input, var));
        }
        self.pool.var(var)
    }

    /// The value of a scalar or an element at a point, of its bytes if these are the cells.
    fn read_place(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        var: VarId,
        element: u32,
        need: Option<TermId>,
    ) -> TermId {
        let cells = self.memory.bytes(var, element, Lanes::ALL);
        if !self.memory.is_apart(var) {
            return self.read(build, here, cells[0].1, need);
        }
        let word = word_of(self.program.variable(var).sort);
        let wide = Word::unsigned(word.bits());
        let mut whole = self.pool.constant(0, wide);
        for (byte, cell) in cells {
            let value = self.read(build, here, cell, need);
            let value = self.pool.cast(value, wide);
            let shift = self.pool.constant(8 * i128::from(byte), wide);
            let moved = self.pool.shl(value, shift);
            whole = self.pool.bit_or(whole, moved);
        }
        self.pool.cast(whole, word)
    }

    /// The value of a cell at a point; under a condition if it is not needed otherwise.
    fn read(&mut self, build: &mut Build, here: &Here<'_>, cell: CellId, need: Option<TermId>) -> TermId {
        if let Some(position) = self.memory.own(here.thread, cell) {
            return here.state.own[position];
        }
        let own = build.writes.get(&cell).cloned().unwrap_or_default();
        let certain = own.iter().rposition(|written| includes(&self.pool, here.guard, written.condition));
        let mut value = match certain {
            Some(at) => own[at].value,
            None => self.read_memory(build, cell, need),
        };
        for written in &own[certain.map_or(0, |at| at + 1)..] {
            value = self.pool.ite(written.condition, written.value, value);
        }
        value
    }

    /// The value of a cell when the block begins.
    fn read_memory(&mut self, build: &mut Build, cell: CellId, need: Option<TermId>) -> TermId {
        let name = self.stable(build.name, vec![part::READ, cell.index() as u32]);
        let sort = self.memory.sort(self.program, cell);
        let what = format!("{}#{name}", self.memory.name(self.program, cell));
        let var = self.variable(name, 0, &what, sort);
        let value = self.pool.var(var);
        let read = build.reads.entry(cell).or_insert(Read { value, need: Need::If(Vec::new()) });
        match (need, &mut read.need) {
            (None, known) => *known = Need::Always,
            (Some(need), Need::If(needs)) => needs.push(need),
            (Some(_), Need::Always) => {}
        }
        read.value
    }

    /// The value of an element of a shared array.
    fn read_element(
        &mut self,
        build: &mut Build,
        here: &Here<'_>,
        var: VarId,
        index: TermId,
    ) -> Result<TermId, Obstacle> {
        let Sort::Array(array) = self.program.variable(var).sort else { unreachable!("an array is indexed") };
        let mut value = self.pool.constant(0, array.elem);
        let cases = self.elements(var, index)?;
        for (element, condition) in cases {
            let need = self.pool.as_bool(condition).is_none().then_some(condition);
            let there = self.read_place(build, here, var, element, need);
            value = self.pool.ite(condition, there, value);
        }
        Ok(value)
    }

    /// The elements of a shared array that an index may name, each with the condition that it does.
    pub(super) fn elements(&mut self, var: VarId, index: TermId) -> Result<Vec<(u32, TermId)>, Obstacle> {
        let variable = self.program.variable(var);
        let Sort::Array(array) = variable.sort else { unreachable!("an array is indexed") };
        if let Some(index) = self.pool.as_const(index) {
            let inside = u32::try_from(index).ok().filter(|&index| index < array.len);
            return Ok(inside.map(|index| (index, self.pool.bool(true))).into_iter().collect());
        }
        if array.len > MAX_ELEMENTS {
            let what =
                format!("{} ({}) is indexed by a value that is not constant", variable.name, variable.sort);
            return Err(Obstacle::Unsupported(what));
        }
        let word = self.pool.word(index);
        let inside = (0..array.len).filter(|&i| word.contains(i128::from(i)));
        let mut cases = Vec::new();
        for element in inside {
            let constant = self.pool.constant(i128::from(element), word);
            let condition = self.pool.eq(index, constant);
            if self.pool.as_bool(condition) != Some(false) {
                cases.push((element, condition));
            }
        }
        Ok(cases)
    }
}

/// The word of a scalar, or of an array's elements.
fn word_of(sort: Sort) -> Word {
    match sort {
        Sort::Bool => Word::BOOL,
        Sort::Word(word) => word,
        Sort::Array(array) => array.elem,
    }
}
