//! Interruption by the user or the system.
//!
//! The first SIGINT or SIGTERM asks the run to stop through its budget, so that it can still say what it has
//! established; the second does what signals do to a program that does not listen.

use regrain::budget::Budget;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Lets signals cancel what runs under a budget.
///
/// # Panics
/// If the system does not allow handlers for these signals, which it always does.
pub fn cancel(budget: &Budget) {
    for signal in [SIGINT, SIGTERM] {
        // Handlers run in the order of registration: at the first signal the flag is not yet set.
        let killed = flag::register_conditional_default(signal, budget.cancellation());
        let flagged = flag::register(signal, budget.cancellation());
        killed.and(flagged).expect("SIGINT and SIGTERM can be handled");
    }
}
