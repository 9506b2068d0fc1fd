//! Work under limits: it happens in a thread of its own, with a large stack, while this thread looks at the
//! clock.
//!
//! Whoever works polls the budget and stops by itself. One that does not, deep in a solver, is left behind
//! after a grace; then the process must not end in the usual way, as that would run the solvers' clean-up
//! while they work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use regrain::budget::{Budget, Stop};
use regrain::stack;

use super::exit::{Exit, Failure};
use super::output;

/// How often this thread looks.
const TICK: Duration = Duration::from_millis(100);

/// How long work may take to notice that it has to stop.
const GRACE: Duration = Duration::from_secs(1);

/// What came of some work.
pub enum Watched<T> {
    /// It was done.
    Done(T),
    /// It did not stop at this limit and is still busy.
    LeftBehind(Stop),
}

/// Does some work and watches it. `tick` is called several times a second.
pub fn watched<T: Send + 'static>(
    budget: &Budget,
    mut tick: impl FnMut(),
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<Watched<T>, Failure> {
    let (sender, result) = mpsc::channel();
    let work = move || {
        let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::Panic));
        // Nobody listens any more to work that is left behind.
        let _ = sender.send(done);
    };
    stack::spawn(work);
    let mut overdue = None;
    loop {
        match result.recv_timeout(TICK) {
            Ok(done) => return done.map(Watched::Done),
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::Panic),
            Err(RecvTimeoutError::Timeout) => tick(),
        }
        if let Err(stop) = budget.check() {
            let (since, first) = *overdue.get_or_insert((Instant::now(), stop));
            if since.elapsed() > GRACE {
                return Ok(Watched::LeftBehind(first));
            }
        }
    }
}

/// Ends the process while work that was left behind is still busy.
pub fn end_at_once(result: Result<Exit, Failure>) -> ! {
    let exit = result.unwrap_or_else(|failure| {
        output::complain(&failure.to_string());
        failure.exit()
    });
    signal_hook::low_level::exit(exit.code().into())
}
