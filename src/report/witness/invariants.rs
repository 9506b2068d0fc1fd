//! The invariant of a proof as C expressions at the statements of the program.
//!
//! The proof speaks of the reduced program: it gives, for a location of a thread and classes of the others'
//! locations, conditions on the data. A statement's invariant is said only if every location at which that
//! statement begins is still there with steps that leave it, so that its states are those of the C program:
//! steps into a place where nothing interesting follows may have been dropped. Of a condition, literals are
//! dropped that
//! - C cannot say at that place: variables of other threads and functions, those made up by us, words that C
//!   computes differently;
//! - may be wrong in between: private variables that will not be read again, whose updates were dropped, and
//!   shared variables that some other thread writes in steps which were executed beforehand or dropped, as
//!   long as they may come after the creation of this thread.
//!
//! Dropping literals weakens an invariant. Locations of other threads are told by ghost variables
//! (`ghosts.rs`).

use std::collections::{BTreeMap, BTreeSet};

use super::expression::expression;
use super::ghosts::{Ghost, Marker, markers};
use super::place::{Place, Places};
use super::violation::{has_nested_arrays, name_in};
use crate::program::pass::Liveness;
use crate::program::{Action, LocId, Origin, Program, Role, Span, ThreadId, TransId};
use crate::proof::{Conjunction, Invariant, ViewInvariant, merged};
use crate::term::{Pool, Sort, TermId, VarId};

/// With more combinations of the ghosts' values than this they are left out.
const COMBINATIONS: usize = 64;

/// Longer invariants help nobody.
const LENGTH: usize = 4_000;

/// What holds whenever a statement is about to be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedInvariant {
    /// The statement.
    pub place: Place,
    /// What kind of statement.
    pub kind: InvariantKind,
    /// A C expression, perhaps with ghosts.
    pub value: String,
    /// Likewise, certainly without.
    pub plain: String,
}

/// Where an invariant holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvariantKind {
    /// Each time the condition of a loop is about to be evaluated.
    Loop,
    /// Before a statement.
    Location,
}

/// Everything that can be said of a proof.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Correctness {
    /// The invariants.
    pub invariants: Vec<LocatedInvariant>,
    /// The ghosts in them.
    pub ghosts: Vec<Ghost>,
    /// The number of statements at which the proof has something to say.
    pub statements: usize,
}

/// What a proof says in C. `whole` is the program before anything was removed.
pub(super) fn correctness(
    whole: &Program,
    program: &Program,
    invariant: &Invariant,
    places: &Places,
) -> Correctness {
    let teller = Teller {
        whole,
        program,
        invariant,
        liveness: Liveness::of(program),
        markers: markers(whole, program, invariant, places),
        handles: handle_names(whole),
    };
    let (before, after) = (statements(whole), statements(program));
    let mut invariants = Vec::new();
    for (statement, locations) in &after {
        let Some(place) = places.statement(*statement) else { continue };
        let threads = |program: &Program, locations: &[LocId]| {
            let names = locations.iter().map(|&l| program.thread(program.location(l).thread).name.clone());
            let mut names: Vec<String> = names.collect();
            names.sort_unstable();
            names
        };
        let goes_on = locations.iter().all(|&location| !program.outgoing(location).is_empty());
        let complete = goes_on
            && before.get(statement).is_some_and(|all| threads(whole, all) == threads(program, locations));
        let kind = match places.word(*statement) {
            Some("while" | "for") => InvariantKind::Loop,
            _ => InvariantKind::Location,
        };
        let said = complete.then(|| teller.say(locations, place.function.as_deref())).flatten();
        invariants.extend(said.map(|(value, plain)| LocatedInvariant { place, kind, value, plain }));
    }
    invariants.sort_by(|a, b| a.place.cmp(&b.place));
    let used = |ghost: &Ghost| invariants.iter().any(|invariant| mentions(&invariant.value, &ghost.name));
    let ghosts = teller.markers.into_iter().map(|marker| marker.ghost).filter(used).collect();
    Correctness { invariants, ghosts, statements: after.len() }
}

/// Whether a text has a name as a word.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

/// The locations at which each statement begins.
fn statements(program: &Program) -> BTreeMap<Span, Vec<LocId>> {
    let mut found: BTreeMap<Span, Vec<LocId>> = BTreeMap::new();
    for location in program.location_ids() {
        if let Some(statement) = program.location(location).begins {
            found.entry(statement).or_default().push(location);
        }
    }
    found
}

/// The names of variables that hold threads.
fn handle_names(whole: &Program) -> BTreeSet<String> {
    super::violation::handles(whole).into_iter().map(|var| whole.variable(var).name.clone()).collect()
}

struct Teller<'a> {
    whole: &'a Program,
    program: &'a Program,
    invariant: &'a Invariant,
    liveness: Liveness,
    markers: Vec<Marker>,
    handles: BTreeSet<String>,
}

/// Values of the ghosts, in the order of the markers; `None` for the thread that the invariant is about.
type Combination = Vec<Option<usize>>;

impl Teller<'_> {
    /// What holds at locations of a function, with and without ghosts; `None` if that is nothing.
    fn say(&self, locations: &[LocId], function: Option<&str>) -> Option<(String, String)> {
        let mut all: Vec<Conjunction> = Vec::new();
        let mut parts: BTreeMap<Combination, Vec<Conjunction>> = BTreeMap::new();
        for &location in locations {
            let thread = self.program.location(location).thread;
            let view = self.invariant.views.iter().find(|view| view.observed == thread)?;
            for state in view.states.iter().filter(|state| state.location == location) {
                let mut literals = state.literals.clone();
                literals.retain(|&(term, _)| self.is_sayable(location, term, function));
                literals.sort_unstable();
                literals.dedup();
                for combination in self.combinations(view, &state.classes) {
                    parts.entry(combination).or_default().push(literals.clone());
                }
                all.push(literals);
            }
        }
        let plain = self.text(all, function)?;
        let detailed = self.with_ghosts(parts, function).filter(|text| text.len() <= LENGTH);
        let value = detailed.unwrap_or_else(|| plain.clone());
        (value != "1" && value.len() <= LENGTH).then_some((value, plain))
    }

    /// The values of the ghosts that go with classes of the other threads.
    fn combinations(&self, view: &ViewInvariant, classes: &[usize]) -> Vec<Combination> {
        let mut found: Vec<Combination> = vec![Vec::new()];
        for marker in &self.markers {
            let position = view.environment.iter().position(|&thread| thread == marker.thread);
            let values: Vec<Option<usize>> = match position {
                None => vec![None],
                Some(at) => marker.values(&view.classes[at], classes[at]).into_iter().map(Some).collect(),
            };
            let longer = found.iter().flat_map(|start| values.iter().map(move |&value| (start, value)));
            found = longer.map(|(start, value)| start.iter().copied().chain([value]).collect()).collect();
        }
        found
    }

    /// A disjunction over the ghosts' values; `None` if they make no difference or are too many.
    fn with_ghosts(
        &self,
        parts: BTreeMap<Combination, Vec<Conjunction>>,
        function: Option<&str>,
    ) -> Option<String> {
        if parts.len() > COMBINATIONS {
            return None;
        }
        let possible: usize = self.markers.iter().map(|marker| marker.ghost.updates.len() + 1).product();
        let count = parts.len();
        let mut by_text: BTreeMap<String, Vec<Combination>> = BTreeMap::new();
        for (combination, conjunctions) in parts {
            by_text.entry(self.text(conjunctions, function)?).or_default().push(combination);
        }
        if by_text.len() == 1 && count >= possible {
            return None;
        }
        let alternatives = by_text.into_iter().map(|(condition, combinations)| {
            let ghosts: Vec<String> = combinations.iter().map(|values| self.ghost_text(values)).collect();
            match (condition.as_str(), ghosts.as_slice()) {
                ("1", _) => ghosts.join(" || "),
                (_, [one]) => format!("({one} && ({condition}))"),
                _ => format!("(({}) && ({condition}))", ghosts.join(" || ")),
            }
        });
        let text = alternatives.collect::<Vec<String>>().join(" || ");
        (!text.is_empty()).then_some(text)
    }

    fn ghost_text(&self, values: &Combination) -> String {
        let known = self.markers.iter().zip(values).filter_map(|(marker, value)| Some((marker, (*value)?)));
        let texts: Vec<String> =
            known.map(|(marker, value)| format!("{} == {value}", marker.ghost.name)).collect();
        match texts.len() {
            0 => "1".to_owned(),
            1 => texts.concat(),
            _ => format!("({})", texts.join(" && ")),
        }
    }

    /// A disjunction of conjunctions in C. Variables of different threads may have the same name there.
    fn text(&self, conjunctions: Vec<Conjunction>, function: Option<&str>) -> Option<String> {
        let mut pool: Pool = self.invariant.terms.clone();
        let mut texts: BTreeSet<String> = BTreeSet::new();
        for literals in strongest(merged(conjunctions)) {
            let literals: Vec<TermId> =
                literals.into_iter().map(|(t, holds)| if holds { t } else { pool.not(t) }).collect();
            let cube = pool.and(&literals);
            texts.insert(expression(&pool, cube, &|var| self.name(var, function))?);
        }
        match texts.len() {
            0 => Some("0".to_owned()),
            1 => texts.pop_first(),
            _ if texts.contains("1") => Some("1".to_owned()),
            _ => Some(texts.iter().map(|cube| format!("({cube})")).collect::<Vec<String>>().join(" || ")),
        }
    }

    fn name(&self, var: VarId, function: Option<&str>) -> Option<String> {
        let variable = self.program.variables.get(var.index())?;
        let is_array = variable.name.contains('[') || matches!(variable.sort, Sort::Array(_));
        let strange =
            is_array && (variable.name.contains('.') || has_nested_arrays(self.whole, &variable.name));
        name_in(function, &variable.name).filter(|_| variable.origin == Origin::User && !strange)
    }

    /// Whether a literal may be said at a location.
    fn is_sayable(&self, location: LocId, term: TermId, function: Option<&str>) -> bool {
        let terms = &self.invariant.terms;
        expression(terms, term, &|var| self.name(var, function)).is_some()
            && terms.vars(term).into_iter().all(|var| self.is_true_to_source(location, var, function))
    }

    /// Whether a variable holds at a location what it holds in the C program.
    fn is_true_to_source(&self, location: LocId, var: VarId, function: Option<&str>) -> bool {
        let variable = self.program.variable(var);
        let thread = self.program.location(location).thread;
        let same_name = self.whole.variables.iter().filter(|other| other.name == variable.name).count();
        let hidden = function.is_some_and(|function| {
            let local = format!("{function}::{}", variable.name);
            self.whole.variables.iter().any(|other| other.name == local)
        });
        if self.handles.contains(&variable.name) || hidden {
            return false;
        }
        match variable.role {
            Role::Private(owner) => {
                // With more variables of that name it may be another call's, or another block's.
                let instances = self.whole.threads.len();
                let alone = same_name == 1 || same_name <= instances && self.is_once_a_thread(&variable.name);
                owner == thread && alone && self.liveness.is_live(location, var)
            }
            Role::Shared => self.is_undisturbed(thread, &variable.name),
            Role::Input => false,
        }
    }

    /// Whether no thread has two variables of a name.
    fn is_once_a_thread(&self, name: &str) -> bool {
        let mut owners = BTreeSet::new();
        let mut roles =
            self.whole.variables.iter().filter(|other| other.name == name).map(|other| other.role);
        roles.all(|role| owners.insert(role))
    }

    /// Whether all writes of other threads to a variable that may come while a thread is alive are still in
    /// the reduced program.
    fn is_undisturbed(&self, thread: ThreadId, name: &str) -> bool {
        let base = name.split('[').next().unwrap_or(name);
        let own = &self.program.thread(thread).name;
        self.whole.thread_ids().all(|writer| {
            let writer_name = &self.whole.thread(writer).name;
            let later = after_creation(self.whole, writer, own);
            let all = later.filter(|&id| writes(self.whole, id, base)).count();
            let kept = self.program.thread_ids().find(|&t| self.program.thread(t).name == *writer_name);
            let left = kept.map_or(0, |kept| {
                let steps = self.program.transition_ids().filter(|&id| self.program.thread_of(id) == kept);
                steps.filter(|&id| writes(self.program, id, base)).count()
            });
            writer_name == own || all <= left
        })
    }
}

/// The steps of a thread that may come after it has created another; all of them if it does not.
fn after_creation<'a>(
    whole: &'a Program,
    writer: ThreadId,
    created: &str,
) -> impl Iterator<Item = TransId> + use<'a> {
    let steps = || whole.transition_ids().filter(move |&id| whole.thread_of(id) == writer);
    let creates = |id: &TransId| {
        let mut events = whole.transition(*id).events.iter();
        events.any(
            |event| matches!(event.action, Action::Create(thread) if whole.thread(thread).name == created),
        )
    };
    let creations: Vec<TransId> = steps().filter(creates).collect();
    let mut reached: BTreeSet<LocId> = BTreeSet::new();
    let mut pending: Vec<LocId> = match creations.is_empty() {
        true => vec![whole.thread(writer).entry],
        false => creations.iter().map(|&id| whole.transition(id).to).collect(),
    };
    while let Some(location) = pending.pop() {
        if reached.insert(location) {
            pending.extend(whole.outgoing(location).iter().map(|&id| whole.transition(id).to));
        }
    }
    steps().filter(move |&id| reached.contains(&whole.transition(id).from))
}

/// Whether a step writes a variable, or an element of it that has become a variable of its own.
fn writes(program: &Program, id: TransId, base: &str) -> bool {
    let mut updates = program.transition(id).updates.iter();
    updates.any(|update| program.variable(update.place.var).name.split('[').next() == Some(base))
}

/// Without conjunctions that follow from shorter ones.
fn strongest(conjunctions: Vec<Conjunction>) -> Vec<Conjunction> {
    let implied = |long: &Conjunction| {
        let shorter =
            |short: &Conjunction| short.len() < long.len() && short.iter().all(|l| long.contains(l));
        conjunctions.iter().any(shorter)
    };
    conjunctions.iter().filter(|conjunction| !implied(conjunction)).cloned().collect()
}
