//! Threads with a large stack. What recurses over the nesting of a program, which has limits of its own, runs
//! on one.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle, scope};

/// The stack of such a thread; only what is used of it is ever real memory.
const STACK: usize = 512 << 20;

thread_local! {
    /// Whether this thread is one of them.
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

fn marked<T>(work: impl FnOnce() -> T) -> T {
    LARGE.set(true);
    work()
}

/// Does some work on a large stack: here if this thread has one, otherwise on a thread of its own.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if LARGE.get() {
        return work();
    }
    scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, || marked(work));
        let result = thread.expect("the system lets us start a thread").join();
        result.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Starts a thread with a large stack.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let thread = Builder::new().stack_size(STACK).spawn(|| marked(work));
    thread.expect("the system lets us start a thread")
}

#[cfg(test)]
mod tests {
    use std::thread::current;

    use super::*;

    #[test]
    fn a_thread_is_started_unless_the_stack_is_large() {
        let here = current().id();
        let (outer, inner) = on_large_stack(|| (current().id(), on_large_stack(|| current().id())));
        assert!(outer != here && outer == inner);
        let started = spawn(|| current().id() == on_large_stack(|| current().id()));
        assert!(started.join().expect("it does not panic"));
    }

    /// So deep that it would overflow the stack that threads have otherwise.
    #[test]
    fn it_is_large() {
        fn deep(levels: u32) -> u32 {
            let bytes = std::hint::black_box([1u8; 1024]);
            if levels == 0 { 0 } else { u32::from(bytes[0]) + deep(levels - 1) }
        }
        assert_eq!(on_large_stack(|| deep(100_000)), 100_000);
    }
}
