//! The operands of inline assembly while its instructions run, and what happens between them.

use lang_c::ast;
use lang_c::span::Node;

use super::super::convert::is_lvalue;
use super::super::types::Types;
use super::super::{Analyser, Result, make};
use super::constraint;
use super::template::Operand;
use crate::frontend::tree::{Expr, ExprKind, Stmt, StmtKind, TypeId, UnaryOp};
use crate::program::Span;

/// What a statement's operand is while the instructions run.
#[derive(Clone)]
pub(super) enum Home {
    /// In a register: a local.
    Register(Expr),
    /// In memory: a pointer to it, and the type of the object.
    Memory(Expr, TypeId),
}

/// The flags that the last instruction left, as locals.
#[derive(Clone, Default)]
pub(super) struct Flags {
    /// The result, for "zero" and "sign".
    pub result: Option<Expr>,
    /// The carry, 0 or 1.
    pub carry: Option<Expr>,
}

/// The statements so far.
pub(super) struct Machine {
    pub homes: Vec<Home>,
    pub constraints: Vec<String>,
    pub flags: Flags,
    pub done: Vec<Stmt>,
    pub span: Span,
}

impl Machine {
    pub(super) fn push(&mut self, expr: Expr) {
        self.done.push(Stmt { kind: StmtKind::Expr(expr), span: self.span });
    }

    /// The accumulator as the operand of the statement that is kept in it: the one with the constraint `a`.
    pub(super) fn resolved(&self, operand: &Operand) -> Operand {
        let index = match operand {
            Operand::Other(name) if matches!(&name[..], "%%al" | "%%ax" | "%%eax" | "%%rax") => {
                self.constraints.iter().position(|text| text.contains('a'))
            }
            _ => None,
        };
        index.map_or_else(|| operand.clone(), |index| Operand::Statement(index, None))
    }
}

/// A place that an instruction reads or writes, with its width in bytes.
#[derive(Clone)]
pub(super) struct Target {
    pub place: Expr,
    pub in_memory: bool,
    pub width: u64,
}

/// `None`: this instruction, or this use of it, is not known.
pub(super) type Known<T> = Result<Option<T>>;

/// Leaves the function with `None` if there is nothing.
macro_rules! known {
    ($value:expr) => {
        match $value {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}
pub(super) use known;

impl<'a> Analyser<'a> {
    /// Finds homes for the operands; gives the statements that write outputs back.
    pub(super) fn operands(
        &mut self,
        machine: &mut Machine,
        outputs: &'a [Node<ast::GnuAsmOperand>],
        inputs: &'a [Node<ast::GnuAsmOperand>],
    ) -> Known<Vec<Stmt>> {
        let mut write_back = Vec::new();
        for output in outputs {
            let (text, lvalue) = (constraint(output), self.expression(&output.node.variable_name)?);
            if is_memory(&text) {
                known!(self.memory_home(machine, lvalue)?);
                continue;
            }
            let register = known!(self.register_home(machine, self.types.plain(lvalue.ty))?);
            if text.starts_with('+') {
                let value = self.rvalue(lvalue.clone());
                let load = self.assign(register.clone(), None, value, machine.span)?;
                machine.push(load);
            }
            let value = self.rvalue(register);
            let store = self.assign(lvalue, None, value, machine.span)?;
            write_back.push(Stmt { kind: StmtKind::Expr(store), span: machine.span });
        }
        for input in inputs {
            let text = constraint(input);
            if is_memory(&text) {
                let lvalue = self.expression(&input.node.variable_name)?;
                known!(self.memory_home(machine, lvalue)?);
                continue;
            }
            let value = self.value(&input.node.variable_name)?;
            let matched = text.trim_start_matches('%').parse::<usize>().ok();
            let register = match matched.and_then(|index| machine.homes.get(index).cloned()) {
                Some(home) => {
                    machine.homes.push(home.clone());
                    match home {
                        Home::Register(register) => register,
                        // The memory that an output writes: the same object, by the rules of gcc.
                        Home::Memory(..) => continue,
                    }
                }
                None => known!(self.register_home(machine, value.ty)?),
            };
            let load = self.assign(register, None, value, machine.span)?;
            machine.push(load);
        }
        Ok(Some(write_back))
    }

    pub(super) fn memory_home(&mut self, machine: &mut Machine, lvalue: Expr) -> Known<()> {
        if !is_lvalue(&lvalue) {
            return Ok(None);
        }
        let ty = lvalue.ty;
        let address = self.address_of(lvalue, machine.span)?;
        let local = self.new_local("<asm address>".to_owned(), address.ty, machine.span)?;
        let local = make(ExprKind::Local(local), address.ty, machine.span);
        let keep = self.assign(local.clone(), None, address, machine.span)?;
        machine.push(keep);
        let pointer = self.rvalue(local);
        machine.homes.push(Home::Memory(pointer, ty));
        Ok(Some(()))
    }

    pub(super) fn register_home(&mut self, machine: &mut Machine, ty: TypeId) -> Known<Expr> {
        if !self.types.is_scalar(ty) {
            return Ok(None);
        }
        let register = self.scratch(machine, "<asm register>", ty)?;
        machine.homes.push(Home::Register(register.clone()));
        Ok(Some(register))
    }

    pub(super) fn scratch(&mut self, machine: &Machine, name: &str, ty: TypeId) -> Result<Expr> {
        let local = self.new_local(name.to_owned(), ty, machine.span)?;
        Ok(make(ExprKind::Local(local), ty, machine.span))
    }

    /// Where an instruction writes, if it has that width.
    pub(super) fn destination(
        &mut self,
        machine: &Machine,
        operand: &Operand,
        width: Option<u64>,
    ) -> Known<Target> {
        let (pointer, ty) = match &machine.resolved(operand) {
            Operand::Statement(index, modifier) => match machine.homes.get(*index) {
                Some(Home::Register(register)) => {
                    let size = known!(self.types.size(register.ty));
                    let wanted = width.or(*modifier).unwrap_or(size);
                    // A byte that is set leaves the others of its register alone; only those of one byte are
                    // followed.
                    return Ok((size == wanted && modifier.is_none_or(|modifier| modifier == size))
                        .then(|| Target { place: register.clone(), in_memory: false, width: size }));
                }
                Some(Home::Memory(pointer, ty)) => (pointer.clone(), *ty),
                None => return Ok(None),
            },
            Operand::Indirect(index) => match machine.homes.get(*index) {
                Some(Home::Register(register)) if self.types.is_pointer(register.ty) => {
                    let ty = known!(self.types.pointee(register.ty));
                    (self.rvalue(register.clone()), ty)
                }
                _ => return Ok(None),
            },
            Operand::Number(_) | Operand::Other(_) => return Ok(None),
        };
        let fits = self.types.is_scalar(ty) && width.is_none_or(|width| self.types.size(ty) == Some(width));
        let ty = match (fits, width) {
            (true, _) => ty,
            (false, Some(width)) => known!(self.number(width, 1)),
            (false, None) => return Ok(None),
        };
        let to = self.types.pointer(ty);
        let pointer = self.convert_unchecked(pointer, to);
        let place = self.dereference(pointer, machine.span)?;
        Ok(Some(Target { place, in_memory: true, width: known!(self.types.size(ty)) }))
    }

    /// The value of an operand that is only read.
    pub(super) fn source(
        &mut self,
        machine: &mut Machine,
        operand: &Operand,
        width: Option<u64>,
    ) -> Known<Expr> {
        let operand = &machine.resolved(operand);
        match operand {
            Operand::Number(value) => Ok(Some(self.int(*value, Types::LONG_LONG, machine.span))),
            Operand::Statement(index, modifier) => match machine.homes.get(*index).cloned() {
                // Of a wider register the instruction sees the lower part.
                Some(Home::Register(register)) => {
                    let size = known!(self.types.size(register.ty));
                    let wanted = width.or(*modifier).unwrap_or(size);
                    if wanted > size && !machine.constraints[*index].contains(['i', 'I', 'n', 'N', 'e']) {
                        return Ok(None);
                    }
                    Ok(Some(self.rvalue(register)))
                }
                _ => {
                    let target = known!(self.destination(machine, operand, width)?);
                    let ty = self.types.plain(target.place.ty);
                    self.read(machine, &target, ty).map(Some)
                }
            },
            Operand::Indirect(_) => {
                let target = known!(self.destination(machine, operand, width)?);
                let ty = self.types.plain(target.place.ty);
                self.read(machine, &target, ty).map(Some)
            }
            Operand::Other(_) => Ok(None),
        }
    }

    /// Reads a place, once; gives what was read, in a type of the same width.
    pub(super) fn read(&mut self, machine: &mut Machine, from: &Target, ty: TypeId) -> Result<Expr> {
        let value = self.rvalue(from.place.clone());
        let value = self.convert_unchecked(value, ty);
        self.kept(machine, value)
    }

    /// Evaluates a value now, into a local.
    pub(super) fn kept(&mut self, machine: &mut Machine, value: Expr) -> Result<Expr> {
        let local = self.scratch(machine, "<asm value>", value.ty)?;
        let keep = self.assign(local.clone(), None, value, machine.span)?;
        machine.push(keep);
        Ok(self.rvalue(local))
    }

    pub(super) fn write(&mut self, machine: &mut Machine, to: &Target, value: Expr) -> Known<()> {
        let ty = self.types.plain(to.place.ty);
        let value = self.convert_unchecked(value, ty);
        let store = self.assign(to.place.clone(), None, value, machine.span)?;
        machine.push(store);
        Ok(Some(()))
    }

    /// An indivisible operation on memory; gives the old value.
    pub(super) fn locked(
        &mut self,
        machine: &mut Machine,
        to: &Target,
        operation: &str,
        value: Expr,
    ) -> Known<Expr> {
        if !to.in_memory {
            return Ok(None);
        }
        let ty = known!(self.object_type(to));
        let pointer = self.address_of(to.place.clone(), machine.span)?;
        let value = self.convert_unchecked(value, ty);
        let call = self.locked_operation(operation, pointer, value, machine.span)?;
        self.kept(machine, call).map(Some)
    }

    pub(super) fn object_type(&self, to: &Target) -> Option<TypeId> {
        let ty = self.types.plain(to.place.ty);
        self.types.is_scalar(ty).then_some(ty)
    }

    pub(super) fn complement(&mut self, value: Expr, ty: TypeId) -> Expr {
        let span = value.span;
        let not = ExprKind::Unary(UnaryOp::BitNot, Box::new(value));
        make(not, ty, span)
    }

    /// A value from outside.
    pub(super) fn input(&mut self, machine: &mut Machine, width: u64) -> Result<Expr> {
        let (name, ty) = match width {
            1 => ("__regrain_nondet_char", Types::CHAR),
            8 => ("__regrain_nondet_long", self.types.difference_type()),
            _ => ("__regrain_nondet_int", Types::INT),
        };
        let value = self.plain_intrinsic(name, ty, Vec::new(), machine.span)?;
        self.kept(machine, value)
    }

    /// The integer type of a width, unsigned if `unsigned` is 1.
    pub(super) fn number(&self, width: u64, unsigned: u32) -> Option<TypeId> {
        let signed = match width {
            1 => Types::CHAR,
            2 => Types::SHORT,
            4 => Types::INT,
            8 => Types::LONG_LONG,
            _ => return None,
        };
        Some(TypeId(signed.0 + unsigned))
    }
}

pub(super) fn symbolic_name(operand: &Node<ast::GnuAsmOperand>) -> String {
    operand.node.symbolic_name.as_ref().map_or_else(String::new, |name| name.node.name.clone())
}

/// Whether the constraint leaves no choice but memory.
fn is_memory(constraint: &str) -> bool {
    let letters = constraint.trim_start_matches(['=', '+', '&', '%']);
    !letters.is_empty() && letters.chars().all(|letter| matches!(letter, 'm' | 'o' | 'V' | '*' | ','))
}
