//! The stable text form of a program: what `regrain show` prints and snapshots hold.
//!
//! ```text
//! shared x: i32 = 0
//! main::r: i32 = any
//!
//! thread 0 main
//!   L0 (p.c:7): -> L1 { main::r := x }  read x
//!   L1 (p.c:8): -> L2 [main::r == 1]
//!   L2: error 0 `r != 1` (p.c:8)
//! ```

use std::fmt;

use super::{
    Action, Audience, Barrier, Call, Event, Init, LocId, Mark, Place, Program, Role, Transition, Variable,
};
use crate::term::Datum;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(policy) = self.policy {
            writeln!(f, "scheduler {}", policy.name())?;
        }
        for variable in &self.variables {
            self.write_variable(f, variable)?;
        }
        for (i, thread) in self.threads.iter().enumerate() {
            writeln!(f, "\nthread {i} {} from L{}", thread.name, thread.entry.index())?;
            for location in self.location_ids().filter(|&id| self.location(id).thread.index() == i) {
                self.write_location(f, location)?;
            }
        }
        Ok(())
    }
}

impl Program {
    fn write_variable(&self, f: &mut fmt::Formatter<'_>, variable: &Variable) -> fmt::Result {
        let role = match variable.role {
            Role::Shared => "shared ".to_owned(),
            Role::Private(thread) => format!("private({}) ", thread.index()),
            Role::Input => return writeln!(f, "input {}: {}", variable.name, variable.sort),
        };
        write!(f, "{role}{}: {}", variable.name, variable.sort)?;
        match &variable.init {
            Init::Any => writeln!(f, " = any"),
            Init::Value(Datum::Bool(value)) => writeln!(f, " = {value}"),
            Init::Value(Datum::Word(value)) => writeln!(f, " = {value}"),
            Init::Value(Datum::Array(values)) if values.iter().all(|value| *value == values[0]) => {
                writeln!(f, " = {{{}...}}", values.first().copied().unwrap_or(0))
            }
            Init::Value(Datum::Array(values)) => {
                let values: Vec<String> = values.iter().map(i128::to_string).collect();
                writeln!(f, " = {{{}}}", values.join(", "))
            }
        }
    }

    fn write_location(&self, f: &mut fmt::Formatter<'_>, id: LocId) -> fmt::Result {
        let location = self.location(id);
        let atomic = if location.atomic { " atomic" } else { "" };
        let place = match location.span.is_some() {
            true => format!(" ({})", self.sources.display(location.span)),
            false => String::new(),
        };
        match &location.mark {
            Some(Mark::Error(assertion)) => {
                let text = &self.assertions[assertion.index()].text;
                writeln!(f, "  L{}: error {} `{text}`{place}", id.index(), assertion.index())?;
            }
            Some(Mark::Undefined(what)) => writeln!(f, "  L{}: undefined `{what}`{place}", id.index())?,
            Some(Mark::Cut(what)) => writeln!(f, "  L{}: cut `{what}`{place}", id.index())?,
            Some(Mark::End) => writeln!(f, "  L{}: end{place}", id.index())?,
            None if self.outgoing(id).is_empty() => writeln!(f, "  L{}{atomic}{place}: stuck", id.index())?,
            None => writeln!(f, "  L{}{atomic}{place}:", id.index())?,
        }
        for &transition in self.outgoing(id) {
            writeln!(f, "    {}", self.transition_text(self.transition(transition)))?;
        }
        Ok(())
    }

    /// One transition on one line: `-> L3 [guard] in range [y <= 9] { x := y + 1 } full  write x`.
    pub fn transition_text(&self, transition: &Transition) -> String {
        let mut text = format!("-> L{}", transition.to.index());
        if self.terms.as_bool(transition.guard) != Some(true) {
            text += &format!(" [{}]", self.terms.display(transition.guard));
        }
        for range in &transition.ranges {
            text += &format!(" in range [{}]", self.terms.display(range.holds));
        }
        if !transition.updates.is_empty() {
            let updates: Vec<String> = transition
                .updates
                .iter()
                .map(|update| {
                    format!("{} := {}", self.place_text(update.place), self.terms.display(update.value))
                })
                .collect();
            text += &format!(" {{ {} }}", updates.join("; "));
        }
        text += &transition.call.as_ref().map_or_else(String::new, |call| self.call_text(call));
        match transition.barrier {
            Barrier::None => {}
            Barrier::StoreStore => text += " store-store",
            Barrier::Full => text += " full",
        }
        let events: Vec<String> = transition.events.iter().map(|event| self.event_text(event)).collect();
        if !events.is_empty() {
            text += &format!("  {}", events.join(", "));
        }
        text
    }

    /// ` r <- primitive 3(e + 1), misuse -> L7`.
    fn call_text(&self, call: &Call) -> String {
        let result = call.result.map(|result| format!("{} <- ", self.variable(result).name));
        let arguments: Vec<String> =
            call.arguments.iter().map(|&argument| self.terms.display(argument).to_string()).collect();
        let (result, arguments) = (result.unwrap_or_default(), arguments.join(", "));
        let (primitive, misuse) = (call.primitive.0, call.misuse.index());
        format!(" {result}primitive {primitive}({arguments}), misuse -> L{misuse}")
    }

    /// `x`, or `a[i + 1]`.
    pub fn place_text(&self, place: Place) -> String {
        let name = &self.variable(place.var).name;
        match place.index {
            None => name.clone(),
            Some(index) => format!("{name}[{}]", self.terms.display(index)),
        }
    }

    fn event_text(&self, event: &Event) -> String {
        match &event.action {
            Action::Read(place) => format!("read {}", self.place_text(*place)),
            Action::Write(place) => format!("write {}", self.place_text(*place)),
            Action::Update(place) => format!("update {}", self.place_text(*place)),
            Action::Compute => "compute".to_owned(),
            Action::Branch(true) => "branch taken".to_owned(),
            Action::Branch(false) => "branch not taken".to_owned(),
            Action::Assume => "assume".to_owned(),
            Action::Assert(id) => format!("assert {}", id.index()),
            Action::Fence => "fence".to_owned(),
            Action::Lock(lock) => format!("lock {}", lock.text),
            Action::Unlock(lock) => format!("unlock {}", lock.text),
            Action::Wait(condition) => format!("wait {}", condition.text),
            Action::Awake(condition) => format!("awake {}", condition.text),
            Action::Signal(condition, Audience::One) => format!("signal {}", condition.text),
            Action::Signal(condition, Audience::All) => format!("broadcast {}", condition.text),
            Action::Order(order) => order.name().to_owned(),
            Action::Sync(text) => text.clone(),
            Action::Create(thread) => format!("create {}", thread.index()),
            Action::Start => "start".to_owned(),
            Action::Join(thread) => format!("join {}", thread.index()),
            Action::Exit => "exit".to_owned(),
            Action::Input(var) => format!("input {}", self.variable(*var).name),
        }
    }
}
