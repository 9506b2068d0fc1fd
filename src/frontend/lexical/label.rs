//! Labels as values (GNU C): `&&label` is a number of its own, and `goto *p;` goes to the label of the
//! function around that has the number `p`.
//!
//! Only labels whose address is taken in the function can be meant; any other value is undefined, as in gcc.
//! A function is what is between braces that no other braces are around; functions inside functions are not
//! C.

use super::{Edit, Kind, LexicalError, Tokens, replace, syntax_error};

/// Whether `&&` stands before a label: no operand comes before it.
pub(super) fn is_address(around: &Tokens<'_>, at: usize) -> bool {
    let (first, second) = (around.list[at], around.next(at));
    let joined = second
        .is_some_and(|second| around.word(Some(second)) == "&" && around.list[second].start == first.end);
    let name = second.and_then(|second| around.next(second));
    let named = name.is_some_and(|name| around.list[name].kind == Kind::Word && around.braces[name] > 0);
    let Some(before) = around.previous(at) else { return false };
    joined && named && begins_operand(around, before) && is_label(around, at + 2)
}

/// Whether an operand, and no operator between two, follows a token.
fn begins_operand(around: &Tokens<'_>, before: usize) -> bool {
    match (around.list[before].kind, around.word(Some(before))) {
        // A cast to a pointer type.
        (_, ")") => around.previous(before).is_some_and(|inside| around.word(Some(inside)) == "*"),
        // `x++` and `x--` are operands.
        (_, sign @ ("+" | "-")) => !around.previous(before).is_some_and(|first| {
            around.word(Some(first)) == sign && around.list[first].end == around.list[before].start
        }),
        (Kind::Punctuation, word) => !matches!(word, "]" | "}" | "&"),
        (_, word) => word == "return",
    }
}

/// Whether the function around has a label of that name.
fn is_label(around: &Tokens<'_>, name: usize) -> bool {
    let (start, end) = function(around, name);
    let word = around.word(Some(name));
    (start + 1..end).any(|i| {
        around.word(Some(i)) == word
            && around.word(around.next(i)) == ":"
            && matches!(around.word(around.previous(i)), ";" | "{" | "}" | ":" | ")" | "else" | "do")
    })
}

/// `&&label` to `__regrain_label(label)`.
pub(super) fn address(around: &Tokens<'_>, at: usize, edits: &mut Vec<Edit>) {
    let name = around.list[at + 2];
    edits.push(replace(around.list[at], "__regrain_label("));
    edits.push(replace(around.list[at + 1], ""));
    edits.push(Edit { start: name.end, end: name.end, with: ")".to_owned() });
}

/// `goto *p;` to a comparison with each label of the function.
pub(super) fn computed_goto(
    around: &Tokens<'_>,
    at: usize,
    edits: &mut Vec<Edit>,
) -> Result<(), LexicalError> {
    let token = around.list[at];
    let mut end = at;
    while end < around.list.len() && around.word(Some(end)) != ";" {
        end = around.partner[end].unwrap_or(end).max(end) + 1;
    }
    if end >= around.list.len() {
        return Err(syntax_error(token.start, token.end - token.start, "`goto` without `;`"));
    }
    edits.push(replace(token, "{ void *__regrain_to = (void *)("));
    edits.push(replace(around.list[at + 1], ""));
    let mut rest = "); ".to_owned();
    for label in addressed(around, at) {
        rest += &format!("if (__regrain_to == __regrain_label({label})) goto {label}; ");
    }
    rest += "__regrain_undefined(\"`goto` to something that is no label\"); }";
    edits.push(replace(around.list[end], &rest));
    Ok(())
}

/// The labels of the function around a token whose address is taken, in order.
fn addressed<'a>(around: &Tokens<'a>, at: usize) -> Vec<&'a str> {
    let (start, end) = function(around, at);
    let mut labels: Vec<&str> = Vec::new();
    for i in start..end {
        if around.word(Some(i)) == "&" && is_address(around, i) {
            let label = around.word(Some(i + 2));
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
    }
    labels
}

/// The tokens of the function around a token.
fn function(around: &Tokens<'_>, at: usize) -> (usize, usize) {
    let start = (0..at).rev().find(|&i| around.braces[i] == 0).unwrap_or(0);
    let end = (at..around.list.len()).find(|&i| around.braces[i] == 0).unwrap_or(around.list.len());
    (start, end)
}
