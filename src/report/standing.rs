//! What threads of cooperative programs wait for, in words: threads and events have the names that the
//! program gives them.
//!
//! To a scheduler an event is a number. In C that number is written to a variable when the event has been
//! made; the first one of the user's that it is written to gives the event its name.

use std::collections::BTreeMap;

use crate::program::{Origin, Program};
use crate::replay::{Done, Run};
use crate::scheduler::{self, Standing, Wait};
use crate::term::Datum;

/// The names that a run gives to what schedulers know by number.
pub(super) struct Names<'a> {
    program: &'a Program,
    events: BTreeMap<i32, String>,
}

/// When something is or was so.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tense {
    Present,
    Past,
}

impl<'a> Names<'a> {
    /// Those of a run of a cooperative program.
    pub fn new(program: &'a Program, run: &Run) -> Names<'a> {
        let makes = program.policy.and_then(|policy| scheduler::of(policy).primitive("event"));
        let mut events = BTreeMap::new();
        let mut fresh: Option<i32> = None;
        for step in &run.steps {
            let Done::Step(id) = step.done else { continue };
            if let Some(call) =
                program.transition(id).call.as_ref().filter(|call| Some(call.primitive) == makes)
            {
                let number = call.arguments.first().and_then(|&argument| program.terms.as_const(argument));
                fresh = number.and_then(|number| i32::try_from(number).ok());
            }
            let Some(event) = fresh else { continue };
            let is_name = |var| program.variable(var).origin == Origin::User && program.is_shared(var);
            let name = step.writes.iter().find(|write| {
                is_name(write.var) && matches!(write.value, Datum::Word(value) if value == i128::from(event))
            });
            if let Some(name) = name {
                events.entry(event).or_insert_with(|| program.place_name(name.var, name.element));
                fresh = None;
            }
        }
        Names { program, events }
    }

    /// None: events keep their numbers.
    pub fn of_none(program: &'a Program) -> Names<'a> {
        Names { program, events: BTreeMap::new() }
    }

    /// What a thread does: "waits for full, for 2 more instants", "has ended".
    pub fn now(&self, standing: &Standing) -> String {
        self.told(standing, Tense::Present)
    }

    /// What a thread did that goes on now: "waited for full".
    pub fn before(&self, standing: &Standing) -> String {
        self.told(standing, Tense::Past)
    }

    fn told(&self, standing: &Standing, tense: Tense) -> String {
        let (is, waits) = match tense {
            Tense::Present => ("is", "waits"),
            Tense::Past => ("was", "waited"),
        };
        match standing {
            Standing::Absent => "has not been created".to_owned(),
            Standing::Ended => "has ended".to_owned(),
            Standing::Started => "has started the scheduler".to_owned(),
            Standing::Begins => "starts in the next instant".to_owned(),
            Standing::Cooperated => "has cooperated".to_owned(),
            Standing::Suspended => format!("{is} suspended"),
            Standing::Waits { wait, limit } => {
                let left = match limit {
                    None => String::new(),
                    Some(1) => ", for 1 more instant".to_owned(),
                    Some(limit) => format!(", for {limit} more instants"),
                };
                format!("{waits}{}{left}", self.object(wait))
            }
        }
    }

    fn object(&self, wait: &Wait) -> String {
        match wait {
            Wait::OneOf(events) => match events.as_slice() {
                [event] => format!(" for {}", self.event(*event)),
                events => format!(" for one of {}", self.list(events)),
            },
            Wait::AllOf(events) => format!(" for all of {}", self.list(events)),
            Wait::Mask(mask) => format!(" for events {mask:#x}"),
            Wait::Value { event, index } => format!(" for value {index} of {}", self.event(*event)),
            Wait::End(thread) => format!(" for the end of {}", self.program.thread(*thread).name),
            Wait::Time(time) => format!(" for time to pass: {time}"),
            Wait::Delta => " for the next delta cycle".to_owned(),
            Wait::Simulation => " for the end of the simulation".to_owned(),
            Wait::Instants => String::new(),
            Wait::Nothing => " for ever".to_owned(),
        }
    }

    fn event(&self, number: i32) -> String {
        self.events.get(&number).cloned().unwrap_or_else(|| format!("event {number}"))
    }

    fn list(&self, events: &[i32]) -> String {
        events.iter().map(|&event| self.event(event)).collect::<Vec<String>>().join(", ")
    }
}
