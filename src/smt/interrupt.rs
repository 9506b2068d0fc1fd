//! Z3 asked to give up by somebody who watches.
//!
//! Z3 polls nothing of ours while it works, so a thread looks at the budget meanwhile and interrupts Z3's
//! context when it ends. The interruption is repeated as long as the work goes on: one that comes between two
//! queries is lost. A solver can only be made where it is watched. The thread starts with the first solver,
//! as many programs need none.
//!
//! What else Z3 is doing when it is interrupted, opening a scope, say, it leaves undone and does not tell. So
//! no answer counts any more once there was an interruption, and the last one is cleared away before others
//! use Z3.
//!
//! Z3 has a limit of time of its own, which takes a thread for each query and knows no other limits.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use z3::Context;

use crate::budget::{Budget, Stop};

/// How often the watching thread looks.
const TICK: Duration = Duration::from_millis(20);

/// Somebody who watches the solvers of this thread.
pub struct Watch<'a> {
    budget: Budget,
    begin: Box<dyn Fn() + 'a>,
    begun: OnceCell<()>,
    /// Why Z3 was interrupted, if it was.
    interrupted: Interrupted,
}

/// Why Z3 was interrupted, once that has begun.
pub(super) type Interrupted = Arc<OnceLock<Stop>>;

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Watch<'_> {
    /// The limits that are watched.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Where it says why Z3 was interrupted.
    pub(super) fn interrupted(&self) -> Interrupted {
        Arc::clone(&self.interrupted)
    }

    /// From now on there are solvers to watch.
    pub(super) fn begin(&self) {
        self.begun.get_or_init(|| (self.begin)());
    }

    /// Nobody.
    #[cfg(test)]
    pub(crate) fn none() -> Watch<'static> {
        let (budget, interrupted) = (Budget::unlimited(), Interrupted::default());
        Watch { budget, begin: Box::new(|| {}), begun: OnceCell::new(), interrupted }
    }
}

/// Does some work, in this thread, whose queries to solvers end soon after the budget does.
pub fn interruptible<T>(budget: &Budget, work: impl FnOnce(&Watch<'_>) -> T) -> T {
    let (context, interrupted) = (OnceCell::new(), Interrupted::default());
    let (context, reason) = (&context, &interrupted);
    let result = thread::scope(|scope| {
        let (working, done) = mpsc::channel::<()>();
        let done = Cell::new(Some(done));
        let begin = move || {
            let handle = context.get_or_init(Context::thread_local).handle();
            let (budget, done) = (budget.clone(), done.take().expect("a watch begins once"));
            scope.spawn(move || {
                while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(TICK) {
                    if let Err(stop) = budget.check() {
                        reason.get_or_init(|| stop);
                        handle.interrupt();
                    }
                }
            });
        };
        let (budget, interrupted) = (budget.clone(), Arc::clone(reason));
        let watch = Watch { budget, begin: Box::new(begin), begun: OnceCell::new(), interrupted };
        let result = work(&watch);
        // The watch ends; so it does if the work panics.
        drop(working);
        result
    });
    if interrupted.get().is_some() {
        // An interruption that was not noticed lasts until the end of a query.
        z3::Solver::new().check();
    }
    result
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::*;
    use crate::smt::{Answer, GaveUp, IntModel, Solver};
    use crate::term::{Pool, Sort, TermId, Word};

    /// A question that keeps Z3 busy: the factors of the largest prime below 2^64. There are none, so that no
    /// lucky guess ends the search.
    fn hard(pool: &mut Pool) -> Vec<TermId> {
        let word = Word::unsigned(64);
        let [x, y] = ["x", "y"].map(|name| pool.declare(name, Sort::Word(word)));
        let (x, y) = (pool.var(x), pool.var(y));
        let product = pool.mul(x, y);
        let (one, limit) = (pool.constant(1, word), pool.constant(1 << 32, word));
        let prime = pool.constant(18_446_744_073_709_551_557, word);
        let mut terms = vec![pool.eq(product, prime)];
        for factor in [x, y] {
            terms.push(pool.lt(one, factor));
            terms.push(pool.lt(factor, limit));
        }
        terms
    }

    /// Asks until it is told to give up: nobody knows how long a question takes on a machine that others use
    /// too.
    fn given_up(watch: &Watch<'_>) -> GaveUp {
        let mut pool = Pool::new();
        let terms = hard(&mut pool);
        loop {
            match Solver::new(IntModel::BitVector, watch).check(&pool, &terms) {
                Answer::Unknown(reason) => return reason,
                answer => assert!(matches!(answer, Answer::Unsat(_)), "a prime has factors: {answer:?}"),
            }
        }
    }

    #[test]
    fn a_query_ends_with_the_budget_and_the_next_one_works() {
        let budget = Budget::unlimited();
        let flag = budget.cancellation();
        let begin = Instant::now();
        let canceller = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            flag.store(true, Ordering::Relaxed);
        });
        let cancelled = interruptible(&budget, |watch| {
            let first = given_up(watch);
            // Interruptions go on between queries; the context has to survive that.
            thread::sleep(3 * TICK);
            (first, given_up(watch))
        });
        canceller.join().expect("no panic");
        let stopped = GaveUp::Stopped(Stop::Cancelled);
        assert_eq!(cancelled, (stopped.clone(), stopped));
        assert!(begin.elapsed() < Duration::from_secs(20), "stopped late: {:?}", begin.elapsed());
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Word(Word::signed(32)));
        let (x, five) = (pool.var(x), pool.constant(5, Word::signed(32)));
        let goal = pool.lt(five, x);
        let fresh = |watch: &Watch<'_>| Solver::new(IntModel::Integer, watch).check(&pool, &[goal]);
        assert_eq!(fresh(&Watch::none()), Answer::Sat);
        assert_eq!(interruptible(&Budget::unlimited(), fresh), Answer::Sat);
    }

    /// Whether a solver on this thread keeps its scopes apart.
    fn scopes_are_kept() -> bool {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Word(Word::signed(32)));
        let (x, one, two) =
            (pool.var(x), pool.constant(1, Word::signed(32)), pool.constant(2, Word::signed(32)));
        let (is_one, is_two) = (pool.eq(x, one), pool.eq(x, two));
        let at_most = pool.le(x, two);
        let mut solver = Solver::new(IntModel::Integer, &Watch::none());
        solver.assert(&pool, at_most);
        let mut rounds = (0..3).map(|_| {
            solver.push();
            solver.assert(&pool, is_one);
            let inside = solver.check(&pool, &[is_two]);
            solver.pop();
            matches!(inside, Answer::Unsat(_)) && solver.check(&pool, &[is_two]) == Answer::Sat
        });
        rounds.all(|kept| kept)
    }

    #[test]
    fn an_interruption_that_came_late_is_forgotten() {
        assert!(scopes_are_kept());
        let budget = Budget::unlimited();
        budget.cancellation().store(true, Ordering::Relaxed);
        interruptible(&budget, |watch| {
            let _ = Solver::new(IntModel::Integer, watch);
            thread::sleep(5 * TICK);
        });
        assert!(scopes_are_kept());
    }

    #[test]
    fn a_limit_of_time_is_told_as_such() {
        let limit = Duration::from_millis(300);
        let budget = Budget::unlimited().with_time(limit);
        assert_eq!(interruptible(&budget, given_up), GaveUp::Stopped(Stop::Time(limit)));
    }

    #[test]
    fn many_interruptions_do_no_harm() {
        for round in 0..25u64 {
            let budget = Budget::unlimited();
            let flag: Arc<AtomicBool> = budget.cancellation();
            let canceller = thread::spawn(move || {
                thread::sleep(Duration::from_micros(400 * round));
                flag.store(true, Ordering::Relaxed);
            });
            assert_eq!(interruptible(&budget, given_up), GaveUp::Stopped(Stop::Cancelled));
            canceller.join().expect("no panic");
        }
    }
}
