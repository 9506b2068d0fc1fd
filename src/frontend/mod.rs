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
//! Models, headers and the pre-pass express everything by calls to these functions, which `lower/` knows by
//! name:
//!
//! | intrinsic | meaning |
//! |---|---|
//! | `void __regrain_atomic_begin(void)`, `_end` | what is between is indivisible and a full barrier; they nest |
//! | `void __regrain_assume(_Bool c)` | the thread goes on only if `c` holds |
//! | `void __regrain_assert(_Bool c, const char *text)` | an assertion with its source text |
//! | `void __regrain_fail(const char *text)` | a violation, here |
//! | `void __regrain_stop(void)` | the thread (and so the program) never goes on: `exit`, `abort` |
//! | `void __regrain_run_destructors(void)` | runs the functions with the attribute `destructor` |
//! | `unsigned long __regrain_self(void)` | number of the thread, 0 for `main` |
//! | `unsigned long __regrain_create(void *(*f)(void *), void *arg)` | starts a thread, gives its number |
//! | `unsigned long __regrain_create_repeated(void (*f)(void *), void *arg, const char *primitive, const char *missing)` | likewise; the thread calls `f` again and again, with a primitive of its scheduler in between; if `f` may not return, `missing` says what is wrong |
//! | `long __regrain_schedule(const char *primitive, ...)` | has the scheduler of a cooperative program do something (`scheduler/`) |
//! | `unsigned long __regrain_fresh(const char *kind)` | a number for something of a kind that is made here, from 1 on; a constant |
//! | `void *__regrain_join(unsigned long thread)` | waits for its end, gives its result |
//! | `void __regrain_exit(void *result)` | the thread ends |
//! | `_Bool __regrain_ended(unsigned long thread)` | whether a thread has ended |
//! | `void __regrain_cancel(unsigned long thread)`, `_Bool __regrain_cancelled(void)` | asks a thread to end; whether this one was asked |
//! | `void __regrain_end_cancelled(void)` | the thread ends with `PTHREAD_CANCELED` |
//! | `void __regrain_cleanup_push(f)`, `void __regrain_cleanup_pop(int run, f, void *arg)` | the block of a clean-up handler |
//! | `void __regrain_call(const char *registrars, f, ...)` | calls a function that was handed to one of the functions named (`NAME/2`: as argument 2, from 0) |
//! | `_Bool __regrain_used(const char *name)` | whether the program uses a library function; a constant |
//! | `_Bool __regrain_weak_memory(void)` | whether the memory model is weaker than SC; a constant |
//! | `unsigned long long *__regrain_arguments(void)` | where the variable arguments of the function around are |
//! | `void __regrain_refused(const char *what)` | the program is refused if this can be reached |
//! | `void __regrain_fence(void)`, `void __regrain_store_fence(void)` | full and store-store fences |
//! | `void *__regrain_malloc(unsigned long size)` | a new object with arbitrary contents |
//! | `void *__regrain_calloc(unsigned long size)` | a new object with zeros |
//! | `void *__regrain_unsettled(unsigned long size)`, `void *__regrain_settle(void *p)` | `malloc` in two steps: the second one decides where the object lies |
//! | `unsigned long __regrain_size(void *p)` | the bytes of a heap object |
//! | `void __regrain_copy(void *to, const void *from, unsigned long size)` | copies memory |
//! | `void __regrain_free(void *p)` | ends an object's life; NULL is fine |
//! | `void *__regrain_alloca(unsigned long size)` | like `malloc` |
//! | `int __regrain_nondet_int(void)` | any value; also every undefined `__VERIFIER_nondet_*`, `nondet_*` of its own result type |
//! | `void __regrain_acquired(void *lock)`, `void __regrain_released(void *lock)` | tells reports what happened, no effect |
//! | `void __regrain_waits(void *condition)`, `_awake`, `_signalled`, `_broadcast` | likewise, of condition variables |
//! | `void __regrain_undefined(const char *what)` | the program's behaviour is undefined from here (never silently pruned) |
//! | `__regrain_atomic_load(p, order)`, `_store(p, v, order)`, `_exchange(p, v, order)`, `_compare_exchange(p, expected_p, v, weak, order)`, `_fetch_add/_sub/_and/_or/_xor/_nand(p, v, order)`, `_add_fetch...` | on any integer or pointer type; `order` is `__ATOMIC_RELAXED` (0) to `__ATOMIC_SEQ_CST` (5) |
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

pub use load::{assumptions, load, load_raw, load_text, load_until, reduced, whole};

use crate::program::{MemoryModel, Policy};

/// How the front end reads a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Sizes of the integer types.
    pub data_model: DataModel,
    /// What one step of a thread is.
    pub granularity: Granularity,
    /// The memory model that the program is for; fences mean nothing under SC.
    pub memory_model: MemoryModel,
    /// Who decides in a cooperative program which thread goes next, where its interface leaves that open.
    pub scheduler: Option<Policy>,
    /// What calling an unknown function means.
    pub undefined: Undefined,
    /// Whether memory runs out.
    pub allocation: Allocation,
    /// What counts as a violation.
    pub property: Property,
    /// What signed arithmetic that overflows means.
    pub signed_overflow: SignedOverflow,
    /// What other undefined behaviour means.
    pub undefined_behaviour: UndefinedBehaviour,
    /// How deep recursion is followed, how often a loop that creates threads or allocates memory is unrolled,
    /// before the program is cut there.
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

/// What signed arithmetic means whose result does not fit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum SignedOverflow {
    /// Nothing: runs are considered up to it.
    #[default]
    Assume,
    /// The result that two's complement gives.
    Wrap,
    /// It is a violation.
    Error,
}

impl SignedOverflow {
    /// All of them.
    pub const ALL: [SignedOverflow; 3] =
        [SignedOverflow::Assume, SignedOverflow::Wrap, SignedOverflow::Error];

    /// The name in arguments and reports.
    pub fn name(self) -> &'static str {
        match self {
            SignedOverflow::Assume => "assume",
            SignedOverflow::Wrap => "wrap",
            SignedOverflow::Error => "error",
        }
    }
}

/// What undefined behaviour means other than signed overflow: invalid accesses, division by zero, misuse of
/// locks...
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum UndefinedBehaviour {
    /// Where it is reachable there is no answer.
    #[default]
    Unknown,
    /// Nothing: runs are considered up to it.
    Assume,
}

impl UndefinedBehaviour {
    /// Both of them.
    pub const ALL: [UndefinedBehaviour; 2] = [UndefinedBehaviour::Unknown, UndefinedBehaviour::Assume];

    /// The name in arguments and reports.
    pub fn name(self) -> &'static str {
        match self {
            UndefinedBehaviour::Unknown => "unknown",
            UndefinedBehaviour::Assume => "assume",
        }
    }
}

/// Whether `malloc` and its like may give NULL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Allocation {
    /// There is always memory.
    #[default]
    Succeeds,
    /// Every allocation may fail.
    MayFail,
}

/// What counts as a violation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Property {
    /// A failing assertion, or a call of `reach_error` or `__VERIFIER_error`.
    #[default]
    Assertions,
    /// A call of this function; failing assertions end the program. If the program does not know the
    /// function, its assertions count instead.
    UnreachCall(String),
    /// Reaching this label.
    UnreachLabel(String),
    /// Signed arithmetic that overflows, whatever [`Options::signed_overflow`] says; failing assertions end
    /// the program.
    NoOverflow,
}

impl Options {
    /// What signed arithmetic that overflows means, if the property does not say it.
    pub fn overflow(&self) -> SignedOverflow {
        match self.property {
            Property::NoOverflow => SignedOverflow::Error,
            _ => self.signed_overflow,
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            data_model: DataModel::default(),
            granularity: Granularity::default(),
            memory_model: MemoryModel::default(),
            scheduler: None,
            undefined: Undefined::default(),
            allocation: Allocation::default(),
            property: Property::default(),
            signed_overflow: SignedOverflow::default(),
            undefined_behaviour: UndefinedBehaviour::default(),
            unroll: 8,
            include: Vec::new(),
            define: Vec::new(),
        }
    }
}
