//! Inline assembly: barriers are recognised, a few instructions of x86 are followed (`x86.rs`), the rest is
//! refused when reached.
//!
//! What counts is what a barrier orders beyond the memory models we have (SC, TSO, PSO), which keep
//! everything in order but earlier stores before later loads (TSO) and stores (PSO). So `lwsync`, which
//! leaves stores before loads alone, is a store-store barrier here, and load barriers do nothing.

mod operand;
mod template;
mod x86;

use lang_c::ast;
use lang_c::span::Node;

use super::{Analyser, Result, make};
use crate::frontend::tree::{ExprKind, FenceKind, StmtKind};

impl<'a> Analyser<'a> {
    pub fn asm_statement(&mut self, node: &'a ast::AsmStatement) -> Result<StmtKind> {
        match node {
            ast::AsmStatement::GnuBasic(text) => self.assembly(&text.node, &[], &[]),
            ast::AsmStatement::GnuExtended(asm) => {
                self.assembly(&asm.template.node, &asm.outputs, &asm.inputs)
            }
        }
    }

    pub fn assembly(
        &mut self,
        text: &[String],
        outputs: &'a [Node<ast::GnuAsmOperand>],
        inputs: &'a [Node<ast::GnuAsmOperand>],
    ) -> Result<StmtKind> {
        let fence = classify(text);
        let writes = outputs.iter().find(|output| constraint(output).starts_with('='));
        match (fence, writes) {
            (Some(fence), None) => Ok(StmtKind::Fence(fence)),
            (Some(FenceKind::Compiler), Some(output)) => match (outputs, inputs) {
                ([_], [input]) if constraint(input) == "0" => self.hidden_copy(output, input),
                _ => Ok(refused(text)),
            },
            _ => self.x86(text, outputs, inputs),
        }
    }

    /// `asm("" : "=r" (x) : "0" (y))`: `x = y` behind the compiler's back.
    fn hidden_copy(
        &mut self,
        output: &'a Node<ast::GnuAsmOperand>,
        input: &'a Node<ast::GnuAsmOperand>,
    ) -> Result<StmtKind> {
        let span = self.span(output);
        let target = self.expression(&output.node.variable_name)?;
        let value = self.value(&input.node.variable_name)?;
        let ty = self.types.plain(target.ty);
        let value = self.convert(value, ty, span)?;
        Ok(StmtKind::Expr(make(ExprKind::Assign(Box::new(target), Box::new(value)), ty, span)))
    }
}

fn refused(text: &[String]) -> StmtKind {
    StmtKind::Unsupported(format!("inline assembly `{}`", template::lines(text).join("; ")))
}

fn constraint(operand: &Node<ast::GnuAsmOperand>) -> String {
    operand.node.constraints.node.iter().map(|piece| piece.trim_matches('"')).collect()
}

/// What the template orders; `None` if it does anything else.
fn classify(text: &[String]) -> Option<FenceKind> {
    let mut all = FenceKind::Compiler;
    let mut locked = false;
    for line in template::lines(text) {
        let (prefix, rest) = line.split_once([' ', '\t']).unwrap_or((&line, ""));
        let (word, rest) = match prefix {
            "lock" => rest.trim().split_once([' ', '\t']).unwrap_or((rest.trim(), "")),
            _ => (prefix, rest),
        };
        let lock = std::mem::take(&mut locked) || prefix == "lock";
        let fence = match word {
            "" if lock => {
                locked = true;
                FenceKind::Full
            }
            _ if lock && is_dummy(word, rest) => FenceKind::Full,
            _ => barrier(word, rest)?,
        };
        all = stronger(all, fence);
    }
    Some(all)
}

/// What one instruction orders; `None` if it is no barrier.
fn barrier(word: &str, rest: &str) -> Option<FenceKind> {
    Some(match word {
        "mfence" | "sync" | "hwsync" | "syncw" | "mb" | "membar" => FenceKind::Full,
        "dmb" | "dsb" if rest.contains("ld") => FenceKind::Compiler,
        "dmb" | "dsb" if rest.contains("st") => FenceKind::StoreStore,
        "dmb" | "dsb" => FenceKind::Full,
        "sfence" | "lwsync" | "eieio" | "wmb" => FenceKind::StoreStore,
        "rep" if matches!(rest.trim(), "" | "nop") => FenceKind::Compiler,
        "lfence" | "isync" | "isb" | "nop" | "pause" | "yield" | "wfe" => FenceKind::Compiler,
        "fence" => FenceKind::Full,
        _ => return None,
    })
}

/// Adding or or-ing zero to the stack.
fn is_dummy(word: &str, rest: &str) -> bool {
    let operation = ["add", "or", "addl", "orl", "addq", "orq"].contains(&word);
    let zero = rest.trim().starts_with("$0,") || rest.trim().starts_with("$0x0,");
    operation && zero && (rest.contains("sp)") || rest.contains("%0"))
}

fn stronger(a: FenceKind, b: FenceKind) -> FenceKind {
    match (a, b) {
        (FenceKind::Full, _) | (_, FenceKind::Full) => FenceKind::Full,
        (FenceKind::StoreStore, _) | (_, FenceKind::StoreStore) => FenceKind::StoreStore,
        _ => FenceKind::Compiler,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<FenceKind>) {
        assert_eq!(classify(&[format!("\"{text}\"")]), expected);
    }

    #[test]
    fn barriers() {
        check("", Some(FenceKind::Compiler));
        check("mfence", Some(FenceKind::Full));
        check("lock; addl $0,0(%%esp)", Some(FenceKind::Full));
        check("lock addq $0, -4(%%rsp)", Some(FenceKind::Full));
        check("lock; orl $0x0,(%%rsp)", Some(FenceKind::Full));
        check("sfence\\n\\tlfence", Some(FenceKind::StoreStore));
        check("dmb ish", Some(FenceKind::Full));
        check("dmb ishst", Some(FenceKind::StoreStore));
        check("dmb ishld", Some(FenceKind::Compiler));
        check("lwsync", Some(FenceKind::StoreStore));
        check("rep; nop", Some(FenceKind::Compiler));
        check("  # nothing", Some(FenceKind::Compiler));
    }

    #[test]
    fn other_instructions() {
        check("lock; addl $1,0(%%esp)", None);
        check("addl $0,0(%%esp)", None);
        check("xchgl %0, %1", None);
        check("lock; cmpxchgl %2, %1", None);
        check("mfence; movl $1, %0", None);
        check("rep movsb", None);
    }
}
