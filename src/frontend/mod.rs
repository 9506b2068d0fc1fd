//! C to [`Program`](crate::program::Program).
//!
//! ```text
//! FILE.c ──cc -E──▶ text ──lexical pre-pass──▶ text that lang-c takes ──lang-c──▶ syntax tree
//!    ──analyse──▶ typed tree (tree.rs) ──lower──▶ Program ──passes──▶ Program that engines see
//! ```
//!
//! - `task.rs`: `.yml` tasks and `.prp` properties.
//! - `source.rs`: files, the system's preprocessor, our own headers (`include/`), line markers.
//! - `lexical.rs`: the pre-pass; it keeps byte positions.
//! - `models/`: the library (pthreads, semaphores, C11 threads...) written in C over a handful of intrinsics,
//!   parsed and analysed together with the user's program.
//! - `depth.rs`, `parse.rs`, `lines.rs`: the parser and its limits, and the way back to files and lines.
//! - `analyse/`: lang-c's syntax tree to the typed tree.
//! - `lower/`: the typed tree to a `Program`: inlining, threads, memory, atomics.
//! - `load.rs`, `columns.rs`: all of this in order, and places as columns of the user's files.
//! - `diagnostic.rs`: what the user is told when something is refused.
//!
//! # Intrinsics
//!
//! Models, headers and the pre-pass express everything by calls to these functions, which `lower/` knows by name:
//!
//! | intrinsic | meaning |
//! |---|---|
//! | `void __regrain_atomic_begin(void)`, `_end` | what is between is indivisible and a full barrier; they nest |
//! | `void __regrain_assume(_Bool c)` | the thread goes on only if `c` holds |
//! | `void __regrain_assert(_Bool c, const char *text)` | an assertion with its source text |
//! | `void __regrain_fail(const char *text)` | a violation, here |
//! | `void __regrain_stop(void)` | the thread (and so the program) never goes on: `exit`, `abort` |
//! | `unsigned long __regrain_self(void)` | number of the thread, 0 for `main` |
//! | `unsigned long __regrain_create(void *(*f)(void *), void *arg)` | starts a thread, gives its number |
//! | `void *__regrain_join(unsigned long thread)` | waits for its end, gives its result |
//! | `void __regrain_exit(void *result)` | the thread ends |
//! | `void __regrain_fence(void)`, `void __regrain_store_fence(void)` | full and store-store fences |
//! | `void *__regrain_malloc(unsigned long size)` | a new object with arbitrary contents |
//! | `void *__regrain_calloc(unsigned long size)` | a new object with zeros |
//! | `void __regrain_free(void *p)` | ends an object's life; NULL is fine |
//! | `void *__regrain_alloca(unsigned long size)` | like `malloc` |
//! | `int __regrain_nondet_int(void)` | any value; also every undefined `__VERIFIER_nondet_*`, `nondet_*` of its own result type |
//! | `void __regrain_acquired(void *lock)`, `void __regrain_released(void *lock)` | tells reports what happened, no effect |
//! | `void __regrain_undefined(const char *what)` | the program's behaviour is undefined from here (never silently pruned) |
//! | `__regrain_atomic_load(p, order)`, `_store(p, v, order)`, `_exchange(p, v, order)`, `_compare_exchange(p, expected_p, v, order)`, `_fetch_add/_sub/_and/_or/_xor/_nand(p, v, order)`, `_add_fetch...` | on any integer or pointer type; `order` is `__ATOMIC_RELAXED` (0) to `__ATOMIC_SEQ_CST` (5) |
//! | `void __regrain_atomic_fence(int order)` | C11 fence |

pub mod analyse;
mod columns;
mod depth;
pub mod diagnostic;
pub mod features;
pub mod lexical;
pub mod lines;
mod load;
pub mod lower;
pub mod models;
pub mod parse;
pub mod source;
pub mod task;
pub mod tree;
pub mod tree_print;

pub use load::{load, load_raw, load_text, load_until, reduced, whole};

use crate::program::MemoryModel;

/// How the front end reads a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Sizes of the integer types.
    pub data_model: DataModel,
    /// What one step of a thread is.
    pub granularity: Granularity,
    /// The memory model that the program is for; fences mean nothing under SC.
    pub memory_model: MemoryModel,
    /// What calling an unknown function means.
    pub undefined: Undefined,
    /// What counts as a violation.
    pub property: Property,
    /// How deep recursion is followed, how often a loop that creates threads or allocates memory is unrolled, before
    /// the program is cut there.
    pub unroll: u32,
    /// Directories for the preprocessor.
    pub include: Vec<std::path::PathBuf>,
    /// Macros for the preprocessor, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
}

/// Sizes of integer types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
}

/// What one step of a thread is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Granularity {
    /// One access to shared memory, as C really behaves.
    #[default]
    Access,
    /// A whole statement or condition, as papers state protocols.
    Statement,
}

/// What calling a function without body and model means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Undefined {
    /// The input is refused.
    #[default]
    Error,
    /// The call returns any value and changes nothing.
    Havoc,
    /// The call returns zero and changes nothing.
    Ignore,
}

/// What counts as a violation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Property {
    /// A failing assertion, or a call of `reach_error` or `__VERIFIER_error`.
    #[default]
    Assertions,
    /// A call of this function; failing assertions end the program. If the program does not know the function,
    /// its assertions count instead.
    UnreachCall(String),
    /// Reaching this label.
    UnreachLabel(String),
}

impl Default for Options {
    fn default() -> Options {
        Options {
            data_model: DataModel::default(),
            granularity: Granularity::default(),
            memory_model: MemoryModel::default(),
            undefined: Undefined::default(),
            property: Property::default(),
            unroll: 8,
            include: Vec::new(),
            define: Vec::new(),
        }
    }
}
