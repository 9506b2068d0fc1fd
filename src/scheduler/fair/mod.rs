//! FairThreads: threads that share an instant.
//!
//! The meaning is that of the C library FairThreads 1.0 (F. Boussinot, "FairThreads: mixing cooperative and
//! preemptive threads in C", Concurrency and Computation 18(5), 2006) with one scheduler to which all threads
//! stay linked; `instant.rs` tells how it goes. The library keeps the order in which threads were created; A.
//! Cimatti, I. Narasamdya, M. Roveri (2012), Section 6.1, look at every order that stays the same for the
//! whole run. Both are here.
//!
//! `main` creates and orders; when it starts the scheduler its turns are over, and it never goes on: the
//! front end refuses programs in which it would still have something to say. One deviation from the library:
//! there, a thread stays on the lists of events that it waited for in vain, and may be woken by one for
//! nothing; here it waits for what it waits for now.

mod free;
mod instant;
mod situation;
mod state;
#[cfg(test)]
mod tests;

use super::table::{self, Blocks, Entry, number};
use super::{Clock, Footprint, Misuse, Resource, Scheduler, Situation, State};
use crate::program::{Primitive, ThreadId};
use instant::Turn;
use state::{Fair, Phase, Status, Wait};

/// How many values of one event can wait to be read.
const VALUES: i32 = 8;

/// FairThreads, with an order of threads.
pub(super) struct FairThreads {
    order: Order,
}

/// In which order threads have their turns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// That of their creation.
    Creation,
    /// Any, which then is the same in all instants.
    Any,
    /// Any, at any time (`free.rs`).
    Free,
}

/// Threads have their turns in the order of their creation.
pub(super) const CREATION_ORDER: FairThreads = FairThreads { order: Order::Creation };

/// Threads that are there at the start have their turns in any order, the same in all instants.
pub(super) const ANY_ORDER: FairThreads = FairThreads { order: Order::Any };

/// Threads have their turns in any order, which may change all the time.
const FREE_ORDER: FairThreads = FairThreads { order: Order::Free };

/// The primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Scheduler,
    Start,
    Event,
    Link,
    Generate,
    GenerateValue,
    Broadcast,
    BroadcastValue,
    Stop,
    Suspend,
    Resume,
    Cooperate,
    CooperateN,
    Await,
    AwaitN,
    Watch,
    Select,
    SelectN,
    Join,
    JoinN,
    GetValue,
    Outcome,
    Present,
    End,
}

const fn entry(name: &'static str, kind: Kind, arguments: usize, blocks: Blocks) -> Entry<Kind> {
    Entry { name, kind, arguments, blocks }
}

const TABLE: [Entry<Kind>; 24] = [
    entry("scheduler", Kind::Scheduler, 0, Blocks::Never),
    entry("start", Kind::Start, 0, Blocks::Perhaps),
    entry("event", Kind::Event, 1, Blocks::Never),
    entry("link", Kind::Link, 1, Blocks::Never),
    entry("generate", Kind::Generate, 1, Blocks::Never),
    entry("generate_value", Kind::GenerateValue, 1, Blocks::Never),
    entry("broadcast", Kind::Broadcast, 1, Blocks::Never),
    entry("broadcast_value", Kind::BroadcastValue, 1, Blocks::Never),
    entry("stop", Kind::Stop, 1, Blocks::Never),
    entry("suspend", Kind::Suspend, 1, Blocks::Never),
    entry("resume", Kind::Resume, 1, Blocks::Never),
    entry("cooperate", Kind::Cooperate, 0, Blocks::Perhaps),
    entry("cooperate_n", Kind::CooperateN, 1, Blocks::Perhaps),
    entry("await", Kind::Await, 1, Blocks::Perhaps),
    entry("await_n", Kind::AwaitN, 2, Blocks::Perhaps),
    entry("watch", Kind::Watch, 1, Blocks::Never),
    entry("select", Kind::Select, 0, Blocks::Perhaps),
    entry("select_n", Kind::SelectN, 1, Blocks::Perhaps),
    entry("join", Kind::Join, 1, Blocks::Perhaps),
    entry("join_n", Kind::JoinN, 2, Blocks::Perhaps),
    entry("get_value", Kind::GetValue, 2, Blocks::Perhaps),
    entry("outcome", Kind::Outcome, 0, Blocks::Never),
    entry("present", Kind::Present, 1, Blocks::Never),
    entry("end", Kind::End, 0, Blocks::Perhaps),
];

impl Scheduler for FairThreads {
    fn primitive(&self, name: &str) -> Option<Primitive> {
        table::find(&TABLE, name)
    }

    fn initial(&self, threads: usize) -> State {
        State::of_main(Fair::new(threads).write())
    }

    fn execute(
        &self,
        state: &mut State,
        caller: ThreadId,
        primitive: Primitive,
        arguments: &[i64],
    ) -> Result<i64, Misuse> {
        let mut fair = Fair::read(&state.words);
        let kind = table::checked(&TABLE, primitive, arguments)?;
        let done = self.perform(&mut fair, caller.index() as i32, kind, arguments)?;
        if done == Done::Waits {
            state.running = None;
        }
        if self.order == Order::Free {
            free::forget_order(&mut fair);
        }
        state.words = fair.write();
        Ok(match done {
            Done::Result(result) => i64::from(result),
            Done::Waits => 0,
        })
    }

    fn next(&self, state: &State) -> Vec<State> {
        self.turns(state).iter().map(Turn::state).collect()
    }

    fn may_block(&self, primitive: Primitive) -> bool {
        table::entry(&TABLE, primitive).blocks == Blocks::Perhaps
    }

    fn footprint(
        &self,
        _: &State,
        caller: ThreadId,
        primitive: Primitive,
        arguments: &[Option<i64>],
    ) -> Footprint {
        let first = arguments.first().copied().flatten().map(number);
        footprint(caller.index() as i32, table::entry(&TABLE, primitive).kind, first)
    }

    fn awaits(&self, state: &State, thread: ThreadId) -> Vec<Resource> {
        situation::awaits(&Fair::read(&state.words), thread.index())
    }

    fn leaves_order_open(&self) -> bool {
        self.order == Order::Free
    }

    fn looser(&self, primitives: &[Primitive]) -> Option<&'static dyn Scheduler> {
        let simple = |&primitive: &Primitive| free::is_simple(table::entry(&TABLE, primitive).kind);
        (self.order == Order::Any && primitives.iter().all(simple)).then_some(&FREE_ORDER)
    }

    fn advance(&self, clock: Clock, before: &State, after: &State) -> Clock {
        let passed =
            self.turns(before).iter().find(|turn| turn.state() == *after).map_or(0, |turn| turn.instants);
        Clock { rounds: clock.rounds + passed, ..clock }
    }

    fn situation(&self, state: &State, clock: Clock) -> Situation {
        situation::of(&Fair::read(&state.words), clock)
    }
}

/// What a primitive did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    /// The caller goes on with this.
    Result(i32),
    /// The caller's turn is over.
    Waits,
}

impl FairThreads {
    fn turns(&self, state: &State) -> Vec<Turn> {
        let fair = Fair::read(&state.words);
        if self.order == Order::Free { free::turns(fair) } else { instant::turns(fair) }
    }

    fn perform(&self, fair: &mut Fair, caller: i32, kind: Kind, arguments: &[i64]) -> Result<Done, Misuse> {
        let argument = |index: usize| number(arguments[index]);
        match kind {
            Kind::Scheduler | Kind::Start | Kind::Event | Kind::Link => {
                return self.prepare(fair, kind, arguments);
            }
            Kind::End if caller == 0 => return Ok(Done::Waits),
            Kind::Broadcast => fair.event(event(fair, arguments[0])?).broadcast = true,
            Kind::BroadcastValue => {
                let event = fair.event(event(fair, arguments[0])?);
                let slot = event.slot()?;
                event.sent.push(slot);
                return Ok(Done::Result(slot));
            }
            Kind::Stop => fair.thread(thread(fair, arguments[0])?).orders.stop = true,
            Kind::Suspend => fair.thread(thread(fair, arguments[0])?).orders.suspend = true,
            Kind::Resume => fair.thread(thread(fair, arguments[0])?).orders.resume = true,
            _ if caller == 0 => return Err(Misuse("`main` is no thread of the scheduler".to_owned())),
            Kind::Generate => instant::generate(fair, event(fair, arguments[0])?),
            Kind::GenerateValue => {
                let number = event(fair, arguments[0])?;
                instant::generate(fair, number);
                fair.moved = true;
                let slot = fair.event(number).slot()?;
                fair.event(number).values.push(slot);
                return Ok(Done::Result(slot));
            }
            Kind::Watch => {
                let event = event(fair, arguments[0])?;
                let watched = &mut fair.thread(caller).watched;
                if let Err(place) = watched.binary_search(&event) {
                    watched.insert(place, event);
                }
            }
            Kind::Outcome => return Ok(Done::Result(std::mem::take(&mut fair.thread(caller).outcome))),
            Kind::Present => {
                let event = event(fair, arguments[0])?;
                return Ok(Done::Result(i32::from(fair.present(event))));
            }
            Kind::Cooperate => {
                let data = fair.thread(caller);
                (data.status, data.wait) = (Status::Done, Wait::Nothing);
                return Ok(Done::Waits);
            }
            Kind::End => {
                fair.unlink(caller);
                return Ok(Done::Waits);
            }
            Kind::CooperateN => return wait(fair, caller, Wait::Instants, Some(argument(0))),
            Kind::Await => return wait(fair, caller, Wait::Event(event(fair, arguments[0])?), None),
            Kind::AwaitN => {
                return wait(fair, caller, Wait::Event(event(fair, arguments[0])?), Some(argument(1)));
            }
            Kind::Select => return wait(fair, caller, Wait::Any, None),
            Kind::SelectN => return wait(fair, caller, Wait::Any, Some(argument(0))),
            Kind::Join => return wait(fair, caller, Wait::End(thread(fair, arguments[0])?), None),
            Kind::JoinN => {
                return wait(fair, caller, Wait::End(thread(fair, arguments[0])?), Some(argument(1)));
            }
            Kind::GetValue => {
                if argument(1) < 0 {
                    return Err(Misuse("asks for a value with a negative number".to_owned()));
                }
                return wait(fair, caller, Wait::Value(event(fair, arguments[0])?, argument(1)), None);
            }
        }
        Ok(Done::Result(0))
    }

    /// What there is before the instants.
    fn prepare(&self, fair: &mut Fair, kind: Kind, arguments: &[i64]) -> Result<Done, Misuse> {
        match (kind, fair.phase) {
            (Kind::Scheduler, Phase::Nothing) => fair.phase = Phase::Created,
            (Kind::Scheduler, _) => return Err(Misuse("creates a second scheduler".to_owned())),
            (_, Phase::Nothing) => return Err(Misuse("there is no scheduler".to_owned())),
            (Kind::Event, _) => {
                let new = number(arguments[0]).max(1) as usize;
                let count = fair.events.len().max(new);
                fair.events.resize(count, state::Event::default());
                fair.events[new - 1].created = true;
            }
            (Kind::Start, Phase::Created) => {
                fair.phase = if self.order == Order::Any { Phase::Choosing } else { Phase::Started };
                return Ok(Done::Waits);
            }
            (Kind::Start, _) => return Err(Misuse("starts the scheduler again".to_owned())),
            _ => {
                let new = number(arguments[0]);
                if new <= 0 || new as usize >= fair.threads.len() {
                    return Err(Misuse("links something that is no thread".to_owned()));
                }
                if fair.thread(new).status != Status::Absent {
                    return Err(Misuse("links a thread again".to_owned()));
                }
                fair.thread(new).status = Status::Fresh;
                fair.fresh.push(new);
            }
        }
        Ok(Done::Result(0))
    }
}

/// The caller waits, unless what it waits for is there.
fn wait(fair: &mut Fair, caller: i32, wait: Wait, limit: Option<i32>) -> Result<Done, Misuse> {
    let limit = limit.map(|limit| limit.max(0));
    Ok(match instant::ask(fair, caller, wait, limit) {
        true => Done::Result(0),
        false => Done::Waits,
    })
}

fn event(fair: &Fair, argument: i64) -> Result<i32, Misuse> {
    match argument {
        1.. if fair.events.get(argument as usize - 1).is_some_and(|event| event.created) => {
            Ok(argument as i32)
        }
        _ => Err(Misuse("an event that was never created".to_owned())),
    }
}

fn thread(fair: &Fair, argument: i64) -> Result<i32, Misuse> {
    let found = usize::try_from(argument).ok().and_then(|number| fair.threads.get(number));
    match found {
        Some(thread) if thread.status != Status::Absent => Ok(argument as i32),
        _ => Err(Misuse("a thread that was never created".to_owned())),
    }
}

impl Fair {
    /// A thread ends.
    fn unlink(&mut self, thread: i32) {
        if let Some(place) = self.order.iter().position(|&other| other == thread) {
            self.order.remove(place);
            self.position -= i32::from((place as i32) < self.position);
        }
        self.thread(thread).end();
    }
}

impl state::Event {
    /// A place for one more value.
    fn slot(&self) -> Result<i32, Misuse> {
        match self.free_slot() {
            slot if slot < VALUES => Ok(slot),
            _ => Err(Misuse(format!("more than {VALUES} values of one event are not supported"))),
        }
    }
}

impl Turn {
    fn state(&self) -> State {
        State { running: Some(ThreadId::new(self.thread as usize)), words: self.fair.write() }
    }
}

/// What the primitives touch. What is generated or ends can be seen by those who wait for it; orders to
/// threads can change anything.
fn footprint(caller: i32, kind: Kind, first: Option<i32>) -> Footprint {
    match (kind, first) {
        (Kind::Scheduler | Kind::Start | Kind::Event, _) => Footprint::of([], [Resource::Common]),
        // What is selected from was watched before, in the same turn.
        (Kind::Cooperate | Kind::CooperateN | Kind::Select | Kind::SelectN | Kind::Outcome, _) => {
            Footprint::of([], [])
        }
        (Kind::End, _) => Footprint::of([], [Resource::Thread(caller)]),
        (Kind::Stop | Kind::Suspend | Kind::Resume, _) | (_, None) => Footprint::Everything,
        (Kind::Link, Some(thread)) => Footprint::of([], [Resource::Common, Resource::Thread(thread)]),
        (Kind::Join | Kind::JoinN, Some(thread)) => Footprint::of([Resource::Thread(thread)], []),
        (Kind::Await | Kind::AwaitN | Kind::Watch | Kind::GetValue | Kind::Present, Some(event)) => {
            Footprint::of([Resource::Event(event)], [])
        }
        (Kind::Generate | Kind::GenerateValue | Kind::Broadcast | Kind::BroadcastValue, Some(event)) => {
            Footprint::of([], [Resource::Event(event)])
        }
    }
}
