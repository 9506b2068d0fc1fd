//! What the text of the program tells before lowering: which locals need an address, which globals never
//! change, which functions may create threads.
//!
//! All of these are over-approximations of what can happen, found by looking at every function once.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::usage;
use super::visit::{Tree, visit};
use crate::frontend::tree::{Expr, ExprKind, Function, FunctionId, GlobalId, LocalId, Stmt, StmtKind, Unit};

/// A statement with a label of this prefix runs in a thread of its own.
pub(super) const ASYNC_LABEL: &str = "__CPROVER_ASYNC_";

/// Intrinsics that show in reports by themselves, so that the library call around them need not.
const REPORTED: &[&str] = &[
    "__regrain_acquired",
    "__regrain_released",
    "__regrain_waits",
    "__regrain_signalled",
    "__regrain_broadcast",
    "__regrain_create",
    "__regrain_create_repeated",
    "__regrain_join",
    "__regrain_exit",
    "__regrain_assert",
    "__regrain_fail",
];

/// Intrinsics that make something that is there once for each time that they are lowered.
const CREATING: &[&str] = &["__regrain_create", "__regrain_create_repeated", "__regrain_fresh"];

/// Facts of one statement or function body.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Locals whose address is taken, or that a statement run by another thread mentions.
    pub taken: BTreeSet<LocalId>,
    /// Locals that are assigned or declared.
    pub assigned: BTreeSet<LocalId>,
    /// Locals assigned other than by their declaration.
    pub changed: BTreeSet<LocalId>,
    /// Functions called by name.
    pub calls: BTreeSet<FunctionId>,
    /// Whether functions are called through pointers.
    pub indirect: bool,
    /// Whether there are labels, so that control may come back.
    pub labels: bool,
    /// Whether some statement runs in a thread of its own.
    pub spawns: bool,
}

/// Facts of the whole unit.
#[derive(Debug)]
pub(super) struct UnitFacts {
    /// By function; empty for those without body.
    pub functions: Vec<Rc<Facts>>,
    /// Globals that are only ever read whole, so keep their initial value.
    pub constant: BTreeSet<GlobalId>,
    /// Functions whose address is used other than to call them.
    pub pointed: BTreeSet<FunctionId>,
    /// Functions that may create a thread.
    pub creators: BTreeSet<FunctionId>,
    /// Functions that may wait for the end of a thread.
    pub joiners: BTreeSet<FunctionId>,
    /// Functions that contain an intrinsic with an event of its own.
    pub reporters: BTreeSet<FunctionId>,
    /// Functions that the program uses, directly or through models.
    pub used: BTreeSet<FunctionId>,
}

/// Facts of a statement of a function.
pub(super) fn of_stmt(function: &Function, stmt: &Stmt) -> Facts {
    let mut facts = Facts::default();
    visit(Tree::Stmt(stmt), |tree| match tree {
        Tree::Stmt(stmt) => stmt_facts(function, stmt, &mut facts),
        Tree::Expr(expr) => expr_facts(expr, &mut facts),
    });
    facts
}

fn stmt_facts(function: &Function, stmt: &Stmt, facts: &mut Facts) {
    match &stmt.kind {
        StmtKind::Declare { local, .. } => {
            facts.assigned.insert(*local);
        }
        StmtKind::Labelled(label, inner) => {
            facts.labels = true;
            if function.labels[label.index()].starts_with(ASYNC_LABEL) {
                facts.spawns = true;
                visit(Tree::Stmt(inner), |tree| {
                    if let Tree::Expr(Expr { kind: ExprKind::Local(local), .. }) = tree {
                        facts.taken.insert(*local);
                    }
                });
            }
        }
        _ => {}
    }
}

fn expr_facts(expr: &Expr, facts: &mut Facts) {
    match &expr.kind {
        ExprKind::AddressOf(place) | ExprKind::Decay(place) => facts.taken.extend(root_local(place)),
        ExprKind::Assign(target, _)
        | ExprKind::AssignOp { target, .. }
        | ExprKind::PointerAssign(target, ..)
        | ExprKind::Step { target, .. } => {
            facts.assigned.extend(root_local(target));
            facts.changed.extend(root_local(target));
        }
        ExprKind::CompoundLiteral(local, _) => {
            facts.assigned.insert(*local);
        }
        ExprKind::Call(callee, _) => match callee.kind {
            ExprKind::Function(function) => {
                facts.calls.insert(function);
            }
            _ => facts.indirect = true,
        },
        _ => {}
    }
}

/// The local that an lvalue is a part of.
fn root_local(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Local(local) | ExprKind::CompoundLiteral(local, _) => Some(*local),
        ExprKind::Member(inner, _) => root_local(inner),
        _ => None,
    }
}

impl UnitFacts {
    /// Looks at every function and initialiser.
    pub fn new(unit: &Unit) -> UnitFacts {
        let functions: Vec<Rc<Facts>> = unit
            .functions
            .iter()
            .map(|function| {
                Rc::new(function.body.as_ref().map_or_else(Facts::default, |body| of_stmt(function, body)))
            })
            .collect();
        let (constant, pointed) = uses(unit);
        let named = |names: &[&str]| -> BTreeSet<FunctionId> {
            ids(unit).filter(|id| names.contains(&unit.functions[id.index()].name.as_str())).collect()
        };
        let mut creators = named(CREATING);
        creators.extend(ids(unit).filter(|id| functions[id.index()].spawns));
        let creators = callers(&functions, creators, &pointed);
        let joiners = callers(&functions, named(&["__regrain_join"]), &BTreeSet::new());
        let reporters = callers(&functions, named(REPORTED), &BTreeSet::new());
        UnitFacts { functions, constant, pointed, creators, joiners, reporters, used: usage::used(unit) }
    }

    /// Whether a statement with these facts may create a thread.
    pub fn creates(&self, facts: &Facts) -> bool {
        facts.spawns
            || facts.calls.iter().any(|callee| self.creators.contains(callee))
            || facts.indirect && self.pointed.iter().any(|callee| self.creators.contains(callee))
    }

    /// Whether a statement with these facts may wait for the end of a thread.
    pub fn joins(&self, facts: &Facts) -> bool {
        facts.calls.iter().any(|callee| self.joiners.contains(callee))
    }
}

fn ids(unit: &Unit) -> impl Iterator<Item = FunctionId> + use<> {
    (0..unit.functions.len() as u32).map(FunctionId)
}

/// `roots` and everything that may call them.
fn callers(
    functions: &[Rc<Facts>],
    mut found: BTreeSet<FunctionId>,
    pointed: &BTreeSet<FunctionId>,
) -> BTreeSet<FunctionId> {
    loop {
        let before = found.len();
        for (index, facts) in functions.iter().enumerate() {
            let direct = facts.calls.iter().any(|callee| found.contains(callee));
            let indirect = facts.indirect && pointed.iter().any(|callee| found.contains(callee));
            if direct || indirect {
                found.insert(FunctionId(index as u32));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The globals that are only read whole, and the functions used as values.
fn uses(unit: &Unit) -> (BTreeSet<GlobalId>, BTreeSet<FunctionId>) {
    // How often each occurs at all, and how often in the harmless way.
    let mut globals: BTreeMap<GlobalId, (u32, u32)> = BTreeMap::new();
    let mut functions: BTreeMap<FunctionId, (u32, u32)> = BTreeMap::new();
    let mut look = |tree: Tree<'_>| {
        let Tree::Expr(expr) = tree else { return };
        match &expr.kind {
            ExprKind::Global(global) => globals.entry(*global).or_default().0 += 1,
            ExprKind::Function(function) => functions.entry(*function).or_default().0 += 1,
            ExprKind::Load(inner) => {
                if let ExprKind::Global(global) = inner.kind {
                    globals.entry(global).or_default().1 += 1;
                }
            }
            ExprKind::Call(callee, _) => {
                if let ExprKind::Function(function) = callee.kind {
                    functions.entry(function).or_default().1 += 1;
                }
            }
            _ => {}
        }
    };
    for body in unit.functions.iter().filter_map(|function| function.body.as_ref()) {
        visit(Tree::Stmt(body), &mut look);
    }
    for part in unit.globals.iter().filter_map(|global| global.init.as_ref()).flat_map(|init| &init.parts) {
        visit(Tree::Expr(&part.value), &mut look);
    }
    let constant = globals.iter().filter(|(_, (all, fine))| all == fine).map(|(id, _)| *id).collect();
    let pointed = functions.iter().filter(|(_, (all, fine))| all != fine).map(|(id, _)| *id).collect();
    (constant, pointed)
}
