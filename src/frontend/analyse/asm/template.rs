//! Templates of inline assembly, taken apart: instructions in AT&T's notation with their operands.
//!
//! Directives are dropped, and so is everything between `.section` (or `.pushsection`) and `.previous` (or
//! `.popsection`): tables and code that run only when an instruction faults. Local labels are dropped; a jump
//! to one is an instruction that nobody knows.

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instruction {
    /// Whether it is `lock`ed.
    pub locked: bool,
    /// Its name, in lower case, with its suffix of width.
    pub name: String,
    /// What it works on; the destination comes last.
    pub operands: Vec<Operand>,
}

/// An operand of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// `%2`, `%w2`, `%[name]`: an operand of the statement, with the width in bytes that its modifier says.
    Statement(usize, Option<u64>),
    /// `(%2)`: what the operand points to.
    Indirect(usize),
    /// `$5`.
    Number(i128),
    /// Anything else, in words.
    Other(String),
}

/// The pieces of a template as one text, with escapes resolved.
fn joined(pieces: &[String]) -> String {
    let text: String = pieces.iter().map(|piece| piece.trim_matches('"')).collect();
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"")
}

/// The instructions as lines, in lower case, without directives.
pub(super) fn lines(pieces: &[String]) -> Vec<String> {
    let text = joined(pieces).to_ascii_lowercase();
    let (mut lines, mut elsewhere) = (Vec::new(), false);
    for line in text.split([';', '\n']) {
        let line = without_labels(line.split('#').next().unwrap_or("").trim());
        match line.split_whitespace().next() {
            Some(".section" | ".pushsection" | ".subsection") => elsewhere = true,
            Some(".previous" | ".popsection" | ".text") => elsewhere = false,
            Some(word) if word.starts_with('.') => {}
            Some(_) if !elsewhere => lines.push(line.to_owned()),
            _ => {}
        }
    }
    lines
}

/// The line behind `661:` and the like.
fn without_labels(line: &str) -> &str {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(':') {
        Some(rest) if digits > 0 => without_labels(rest.trim()),
        _ => line,
    }
}

/// The instructions of a template; `names` are the symbolic names of the statement's operands.
pub(super) fn instructions(pieces: &[String], names: &[String]) -> Vec<Instruction> {
    let (mut list, mut locked) = (Vec::new(), false);
    for line in lines(pieces) {
        let (mut word, mut rest) = first_word(&line);
        if word == "lock" {
            locked = true;
            (word, rest) = first_word(rest);
        }
        if word.is_empty() {
            continue;
        }
        let operands = match rest {
            "" => Vec::new(),
            rest => pieces_of(rest).into_iter().map(|text| operand(text, names)).collect(),
        };
        list.push(Instruction { locked: std::mem::take(&mut locked), name: word.to_owned(), operands });
    }
    list
}

fn first_word(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    (word, rest.trim())
}

/// The text between commas that are not in parentheses.
fn pieces_of(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let split = text.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    split.map(str::trim).collect()
}

fn operand(text: &str, names: &[String]) -> Operand {
    let other = || Operand::Other(text.to_owned());
    if let Some(number) = text.strip_prefix('$') {
        return number_of(number).map_or_else(other, Operand::Number);
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return match operand(inside.trim(), names) {
            Operand::Statement(index, _) => Operand::Indirect(index),
            _ => other(),
        };
    }
    statement_operand(text, names).unwrap_or_else(other)
}

fn number_of(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn statement_operand(text: &str, names: &[String]) -> Option<Operand> {
    let rest = text.strip_prefix('%')?;
    let modifier = rest.chars().next().filter(char::is_ascii_alphabetic);
    let width = match modifier {
        None => None,
        Some('b') => Some(1),
        Some('w') => Some(2),
        Some('k') => Some(4),
        Some('q') => Some(8),
        Some(_) => return None,
    };
    let rest = &rest[modifier.map_or(0, char::len_utf8)..];
    let index = match rest.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(name) => names.iter().position(|known| known.eq_ignore_ascii_case(name))?,
        None => rest.parse().ok().filter(|&index| index < names.len())?,
    };
    Some(Operand::Statement(index, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<Instruction> {
        let names = ["", "ptr", "value"].map(str::to_owned);
        instructions(&[format!("\"{text}\"")], &names)
    }

    fn one(locked: bool, name: &str, operands: &[Operand]) -> Instruction {
        Instruction { locked, name: name.to_owned(), operands: operands.to_vec() }
    }

    #[test]
    fn operands_and_prefixes() {
        let (zero, one_operand) = (Operand::Statement(0, None), Operand::Statement(1, None));
        assert_eq!(parsed("lock; incl %0"), [one(true, "incl", std::slice::from_ref(&zero))]);
        assert_eq!(
            parsed("lock\\n\\txaddl %0, %1"),
            [one(true, "xaddl", &[zero.clone(), one_operand.clone()])]
        );
        assert_eq!(
            parsed("inb %w1,%b0"),
            [one(false, "inb", &[Operand::Statement(1, Some(2)), Operand::Statement(0, Some(1))])]
        );
        assert_eq!(
            parsed("addl $0x10, (%[ptr])"),
            [one(false, "addl", &[Operand::Number(16), Operand::Indirect(1)])]
        );
        assert_eq!(
            parsed("movl %%eax, 4(%1,%2)"),
            [one(
                false,
                "movl",
                &[Operand::Other("%%eax".to_owned()), Operand::Other("4(%1,%2)".to_owned())]
            )]
        );
    }

    #[test]
    fn sections_and_labels_are_dropped() {
        let text =
            ".section .smp_locks,\\\"a\\\"\\n.balign 4\\n.long 671f - .\\n.previous\\n671:\\tlock; decl %0";
        assert_eq!(parsed(text), [one(true, "decl", &[Operand::Statement(0, None)])]);
        let fixup = "1: movl $1, %0\\n2:\\n.section .fixup\\n3: movl %2, %0\\njmp 2b\\n.previous";
        assert_eq!(parsed(fixup), [one(false, "movl", &[Operand::Number(1), Operand::Statement(0, None)])]);
    }
}
