//! FairThreads without an order: in an instant any thread that is ready may have its turn, until none is.
//!
//! This allows more than the library does, and more than any fixed order, and so is no policy of its own. It
//! is for proofs: a program that is safe here is safe in every order, and whether it is does not depend on
//! orders, so that reductions may leave them out. Its states are those of FairThreads but for places in the
//! order, passes, and what a pass has seen. That is all that an order decides for the primitives below: with
//! them, whoever is ready when a pass comes to its place goes on, and an instant is over when nobody is
//! ready. Who waits for a value, for the end of a thread or for some time gives up at the end of an instant,
//! which depends on passes: such programs are not for here.

use super::Kind;
use super::instant::{self, Turn};
use super::state::{Fair, Phase, Status};

/// Whether a primitive asks for nothing that depends on passes.
pub(super) fn is_simple(kind: Kind) -> bool {
    match kind {
        Kind::Scheduler | Kind::Start | Kind::Event | Kind::Link | Kind::Generate => true,
        Kind::Cooperate | Kind::Await | Kind::Outcome | Kind::Present | Kind::End => true,
        Kind::GenerateValue | Kind::Broadcast | Kind::BroadcastValue | Kind::GetValue => false,
        Kind::Stop | Kind::Suspend | Kind::Resume | Kind::Join | Kind::JoinN => false,
        Kind::CooperateN | Kind::AwaitN | Kind::Watch | Kind::Select | Kind::SelectN => false,
    }
}

/// A state without what it knows of orders.
pub(super) fn forget_order(fair: &mut Fair) {
    fair.order.append(&mut fair.open);
    fair.order.sort_unstable();
    fair.fresh.sort_unstable();
    (fair.position, fair.moved, fair.ending) = (0, false, false);
}

/// The turns that may come next.
pub(super) fn turns(mut fair: Fair) -> Vec<Turn> {
    let mut instants = 0;
    loop {
        if fair.phase == Phase::Instant {
            let turns = in_instant(&fair, instants);
            if !turns.is_empty() {
                return turns;
            }
            instant::finish(&mut fair);
        }
        if !instant::begin(&mut fair, &mut instants) {
            return Vec::new();
        }
        forget_order(&mut fair);
    }
}

/// The turns of those who are ready.
fn in_instant(fair: &Fair, instants: u64) -> Vec<Turn> {
    let mut turns = Vec::new();
    for &thread in &fair.order {
        let mut fair = fair.clone();
        if fair.thread(thread).status == Status::Ready && instant::poll(&mut fair, thread) {
            turns.push(Turn { fair, thread, instants });
        }
    }
    turns
}
