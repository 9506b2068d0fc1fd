//! Instructions of x86 that kernels and lock-free code put into inline assembly, as statements of C.
//!
//! | instruction | becomes |
//! |---|---|
//! | `lock` with `inc`, `dec`, `add`, `sub`, `and`, `or`, `xor`, `xadd`, `cmpxchg`, `bts`, `btr`, `btc`; `xchg` with memory | one indivisible step on memory, and a full fence |
//! | the same without `lock` | a read and then a write |
//! | `mov`, `bt` | reads and writes |
//! | `set`*cc* behind one of them, `sbb` of a register and itself | from the flags it left |
//! | `in`, `rdtsc` | an input of the program |
//! | `out`, barriers | nothing, a fence |
//!
//! Operands in registers are locals that hold what the instruction sees; outputs are written back at the end.
//! Operands in memory (`"m"`) are accessed by the instructions themselves. Widths have to fit; everything
//! else is refused. Follows the Intel manual, volume 2. Faults are left out: what `.section .fixup` says
//! never happens.

use lang_c::ast;
use lang_c::span::Node;

use super::super::types::Types;
use super::super::{Analyser, Result, make};
use super::operand::{Flags, Home, Known, Machine, known, symbolic_name};
use super::template::{Instruction, Operand, instructions};
use super::{barrier, constraint, refused};
use crate::frontend::tree::{BinaryOp, CompareOp, Expr, ExprKind, FenceKind, Stmt, StmtKind, TypeId};

impl<'a> Analyser<'a> {
    pub(super) fn x86(
        &mut self,
        text: &[String],
        outputs: &'a [Node<ast::GnuAsmOperand>],
        inputs: &'a [Node<ast::GnuAsmOperand>],
    ) -> Result<StmtKind> {
        let Some(first) = outputs.iter().chain(inputs).next() else { return Ok(refused(text)) };
        let span = self.span(first);
        let names: Vec<String> = outputs.iter().chain(inputs).map(symbolic_name).collect();
        let constraints = outputs.iter().chain(inputs).map(constraint).collect();
        let mut machine =
            Machine { homes: Vec::new(), constraints, flags: Flags::default(), done: Vec::new(), span };
        let Some(write_back) = self.operands(&mut machine, outputs, inputs)? else {
            return Ok(refused(text));
        };
        for instruction in instructions(text, &names) {
            if self.instruction(&mut machine, &instruction)?.is_none() {
                return Ok(refused(text));
            }
        }
        machine.done.extend(write_back);
        Ok(StmtKind::Block(machine.done))
    }

    // ---- instructions

    fn instruction(&mut self, machine: &mut Machine, it: &Instruction) -> Known<()> {
        if let (Some(fence), [], false) = (barrier(&it.name, ""), &it.operands[..], it.locked) {
            if fence != FenceKind::Compiler {
                machine.done.push(Stmt { kind: StmtKind::Fence(fence), span: machine.span });
            }
            return Ok(Some(()));
        }
        let (name, width) = known!(split_suffix(&it.name));
        match (name, &it.operands[..], it.locked) {
            ("inc" | "dec", [to], _) => {
                let one = self.int(1, Types::INT, machine.span);
                let op = if name == "inc" { BinaryOp::Add } else { BinaryOp::Sub };
                let carry = machine.flags.carry.take();
                known!(self.modify_by(machine, it, to, width, op, one)?);
                machine.flags.carry = carry;
                Ok(Some(()))
            }
            ("add" | "sub" | "and" | "or" | "xor", [from, to], _) => {
                let value = known!(self.source(machine, from, width)?);
                known!(self.modify_by(machine, it, to, width, operation(name), value)?);
                Ok(Some(()))
            }
            ("xadd", [from, to], _) => self.exchange_add(machine, it, from, to, width),
            ("xchg", [a, b], _) => self.exchange(machine, a, b, width),
            ("cmpxchg", [from, to], _) => self.compare_exchange(machine, it, from, to, width),
            ("bts" | "btr" | "btc" | "bt", [bit, to], _) => self.bit_test(machine, it, name, bit, to, width),
            ("mov", [from, to], false) => {
                let value = known!(self.source(machine, from, width)?);
                let to = known!(self.destination(machine, to, width)?);
                self.write(machine, &to, value)
            }
            ("in", [_, to], false) => {
                let to = known!(self.destination(machine, to, width)?);
                let value = self.input(machine, to.width)?;
                self.write(machine, &to, value)
            }
            ("out", [from, _], false) => {
                known!(self.source(machine, from, width)?);
                Ok(Some(()))
            }
            ("sbb", [a, b], false) if a == b => {
                let carry = known!(machine.flags.carry.clone());
                let to = known!(self.destination(machine, b, width)?);
                let (zero, carry) = (self.int(0, Types::INT, machine.span), self.rvalue(carry));
                let value = self.arithmetic(BinaryOp::Sub, zero, carry, machine.span)?;
                self.write(machine, &to, value)
            }
            _ => self.condition_byte(machine, it),
        }
    }

    /// `sete %0` and the like, and `rdtsc`.
    fn condition_byte(&mut self, machine: &mut Machine, it: &Instruction) -> Known<()> {
        if it.name == "rdtsc" && it.operands.is_empty() {
            for home in machine.homes.clone() {
                let Home::Register(register) = home else { continue };
                let width = self.types.size(register.ty).unwrap_or(8);
                let value = self.input(machine, width)?;
                let store = self.assign(register, None, value, machine.span)?;
                machine.push(store);
            }
            return Ok(Some(()));
        }
        let (Some(condition), [to]) = (it.name.strip_prefix("set"), &it.operands[..]) else {
            return Ok(None);
        };
        let value = known!(self.flag(machine, condition)?);
        let to = known!(self.destination(machine, to, Some(1))?);
        self.write(machine, &to, value)
    }

    /// A condition on the flags, as 0 or 1.
    fn flag(&mut self, machine: &Machine, condition: &str) -> Known<Expr> {
        let span = machine.span;
        let op = match condition {
            "e" | "z" => CompareOp::Eq,
            "ne" | "nz" => CompareOp::Ne,
            "s" => CompareOp::Lt,
            "ns" => CompareOp::Ge,
            "c" | "b" | "nc" | "ae" | "nb" => {
                let carry = known!(machine.flags.carry.clone());
                let (carry, zero) = (self.rvalue(carry), self.int(0, Types::INT, span));
                let op = if matches!(condition, "c" | "b") { CompareOp::Ne } else { CompareOp::Eq };
                return self.compare(op, carry, zero, span).map(Some);
            }
            _ => return Ok(None),
        };
        let result = known!(machine.flags.result.clone());
        let (result, zero) = (self.rvalue(result), self.int(0, Types::INT, span));
        let signed = known!(self.types.size(result.ty).and_then(|size| self.number(size, 0)));
        let result = self.convert_unchecked(result, signed);
        self.compare(op, result, zero, span).map(Some)
    }

    /// `to = to op value`, in one step if it is locked; the new value stays in the flags.
    fn modify_by(
        &mut self,
        machine: &mut Machine,
        it: &Instruction,
        to: &Operand,
        width: Option<u64>,
        op: BinaryOp,
        value: Expr,
    ) -> Known<()> {
        let to = known!(self.destination(machine, to, width)?);
        let unsigned = known!(self.number(to.width, 1));
        let value = self.convert_unchecked(value, unsigned);
        let value = self.kept(machine, value)?;
        let old = match it.locked {
            true => known!(self.locked(machine, &to, fetch(op), value.clone())?),
            false => {
                let old = self.read(machine, &to, unsigned)?;
                let new = self.arithmetic(op, old.clone(), value.clone(), machine.span)?;
                known!(self.write(machine, &to, new)?);
                old
            }
        };
        self.set_flags(machine, op, old, value, unsigned)?;
        Ok(Some(()))
    }

    fn set_flags(
        &mut self,
        machine: &mut Machine,
        op: BinaryOp,
        old: Expr,
        value: Expr,
        unsigned: TypeId,
    ) -> Result<()> {
        let span = machine.span;
        let old = self.convert_unchecked(old, unsigned);
        let new = self.arithmetic(op, old.clone(), value.clone(), span)?;
        let new = self.convert_unchecked(new, unsigned);
        let result = self.scratch(machine, "<asm result>", unsigned)?;
        let carry = self.scratch(machine, "<asm carry>", Types::INT)?;
        let keep = self.assign(result.clone(), None, new, span)?;
        machine.push(keep);
        let new = self.rvalue(result.clone());
        let borrow = match op {
            BinaryOp::Add => self.compare(CompareOp::Lt, new, old, span)?,
            BinaryOp::Sub => self.compare(CompareOp::Lt, old, value, span)?,
            _ => self.int(0, Types::INT, span),
        };
        let keep = self.assign(carry.clone(), None, borrow, span)?;
        machine.push(keep);
        machine.flags = Flags { result: Some(result), carry: Some(carry) };
        Ok(())
    }

    fn exchange_add(
        &mut self,
        machine: &mut Machine,
        it: &Instruction,
        from: &Operand,
        to: &Operand,
        width: Option<u64>,
    ) -> Known<()> {
        let to = known!(self.destination(machine, to, width)?);
        let from = known!(self.destination(machine, from, Some(to.width))?);
        let unsigned = known!(self.number(to.width, 1));
        let value = self.read(machine, &from, unsigned)?;
        let old = match it.locked {
            true => known!(self.locked(machine, &to, "fetch_add", value.clone())?),
            false => {
                let old = self.read(machine, &to, unsigned)?;
                let new = self.arithmetic(BinaryOp::Add, old.clone(), value.clone(), machine.span)?;
                known!(self.write(machine, &to, new)?);
                old
            }
        };
        self.set_flags(machine, BinaryOp::Add, old.clone(), value, unsigned)?;
        self.write(machine, &from, old)
    }

    /// `xchg` locks memory by itself.
    fn exchange(&mut self, machine: &mut Machine, a: &Operand, b: &Operand, width: Option<u64>) -> Known<()> {
        let (a, b) =
            (known!(self.destination(machine, a, width)?), known!(self.destination(machine, b, width)?));
        let (register, other) = if a.in_memory { (b, a) } else { (a, b) };
        if register.in_memory || register.width != other.width {
            return Ok(None);
        }
        let ty = self.types.plain(register.place.ty);
        let value = self.read(machine, &register, ty)?;
        let old = match other.in_memory {
            true => known!(self.locked(machine, &other, "exchange", value)?),
            false => {
                let ty = self.types.plain(other.place.ty);
                let old = self.read(machine, &other, ty)?;
                known!(self.write(machine, &other, value)?);
                old
            }
        };
        self.write(machine, &register, old)
    }

    fn compare_exchange(
        &mut self,
        machine: &mut Machine,
        it: &Instruction,
        from: &Operand,
        to: &Operand,
        width: Option<u64>,
    ) -> Known<()> {
        let span = machine.span;
        let to = known!(self.destination(machine, to, width)?);
        let accumulator = Operand::Other("%%eax".to_owned());
        let accumulator = known!(self.destination(machine, &accumulator, Some(to.width))?);
        let ty = known!(self.object_type(&to));
        let value = known!(self.source(machine, from, Some(to.width))?);
        let value = self.convert_unchecked(value, ty);
        let desired = self.kept(machine, value)?;
        let expected = self.read(machine, &accumulator, ty)?;
        let old = self.scratch(machine, "<asm old>", ty)?;
        if it.locked && !to.in_memory {
            return Ok(None);
        }
        if it.locked {
            let pointer = self.address_of(to.place.clone(), span)?;
            let swap = self.locked_swap(pointer, expected.clone(), desired, span)?;
            let keep = self.assign(old.clone(), None, swap, span)?;
            machine.push(keep);
        } else {
            let read = self.read(machine, &to, ty)?;
            let keep = self.assign(old.clone(), None, read, span)?;
            machine.push(keep);
            let seen = self.rvalue(old.clone());
            let equal = self.compare(CompareOp::Eq, seen.clone(), expected.clone(), span)?;
            // What does not change is written back, as the processor does it.
            let kind = ExprKind::Conditional(Box::new(equal), Box::new(desired), Box::new(seen));
            known!(self.write(machine, &to, make(kind, ty, span))?);
        }
        let seen = self.rvalue(old);
        let unsigned = known!(self.number(to.width, 1));
        let (a, b) =
            (self.convert_unchecked(expected, unsigned), self.convert_unchecked(seen.clone(), unsigned));
        self.set_flags(machine, BinaryOp::Sub, a, b, unsigned)?;
        self.write(machine, &accumulator, seen)
    }

    /// Bits of memory are counted through the words behind the operand; the carry is the old bit.
    fn bit_test(
        &mut self,
        machine: &mut Machine,
        it: &Instruction,
        name: &str,
        bit: &Operand,
        to: &Operand,
        width: Option<u64>,
    ) -> Known<()> {
        let span = machine.span;
        let bit = known!(self.source(machine, bit, None)?);
        let bit = self.kept(machine, bit)?;
        let mut to = known!(self.destination(machine, to, width)?);
        let (unsigned, signed) = (known!(self.number(to.width, 1)), known!(self.number(to.width, 0)));
        let bits = i128::from(to.width) * 8;
        if to.in_memory {
            let index = self.convert_unchecked(bit.clone(), signed);
            let shift = self.int(i128::from(bits.ilog2()), Types::INT, span);
            let index = self.arithmetic(BinaryOp::Shr, index, shift, span)?;
            let base = self.address_of(to.place.clone(), span)?;
            to.place = self.index(base, index, span)?;
        }
        let mask = self.int(bits - 1, unsigned, span);
        let bit = self.convert_unchecked(bit, unsigned);
        let bit = self.arithmetic(BinaryOp::And, bit, mask, span)?;
        let one = self.int(1, unsigned, span);
        let one = self.arithmetic(BinaryOp::Shl, one, bit, span)?;
        let one = self.convert_unchecked(one, unsigned);
        let one = self.kept(machine, one)?;
        let old = match (name, it.locked) {
            ("bt", false) => self.read(machine, &to, unsigned)?,
            ("bt", true) => return Ok(None),
            _ => {
                let (op, operand) = match name {
                    "bts" => (BinaryOp::Or, one.clone()),
                    "btc" => (BinaryOp::Xor, one.clone()),
                    _ => (BinaryOp::And, self.complement(one.clone(), unsigned)),
                };
                match it.locked {
                    true => known!(self.locked(machine, &to, fetch(op), operand)?),
                    false => {
                        let old = self.read(machine, &to, unsigned)?;
                        let new = self.arithmetic(op, old.clone(), operand, span)?;
                        known!(self.write(machine, &to, new)?);
                        old
                    }
                }
            }
        };
        let old = self.convert_unchecked(old, unsigned);
        let set = self.arithmetic(BinaryOp::And, old, one, span)?;
        let zero = self.int(0, unsigned, span);
        let set = self.compare(CompareOp::Ne, set, zero, span)?;
        let carry = self.scratch(machine, "<asm carry>", Types::INT)?;
        let keep = self.assign(carry.clone(), None, set, span)?;
        machine.push(keep);
        machine.flags = Flags { result: None, carry: Some(carry) };
        Ok(Some(()))
    }
}

fn operation(name: &str) -> BinaryOp {
    match name {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        _ => BinaryOp::Xor,
    }
}

/// The atomic operation that gives the old value.
fn fetch(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "fetch_add",
        BinaryOp::Sub => "fetch_sub",
        BinaryOp::And => "fetch_and",
        BinaryOp::Or => "fetch_or",
        _ => "fetch_xor",
    }
}

/// The name of an instruction without its suffix, and the width in bytes that it says.
fn split_suffix(name: &str) -> Option<(&str, Option<u64>)> {
    const NAMES: [&str; 16] = [
        "inc", "dec", "add", "sub", "and", "or", "xor", "xadd", "xchg", "cmpxchg", "bts", "btr", "btc", "bt",
        "mov", "sbb",
    ];
    if NAMES.contains(&name) || name == "rdtsc" || name.starts_with("set") {
        return Some((name, None));
    }
    let (stem, suffix) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let width = match suffix {
        "b" => 1,
        "w" => 2,
        "l" => 4,
        "q" => 8,
        _ => return None,
    };
    (NAMES.contains(&stem) || matches!(stem, "in" | "out")).then_some((stem, Some(width)))
}
