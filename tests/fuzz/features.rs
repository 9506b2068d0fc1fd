//! What random programs may contain, and what is left out because of a known gap.

use crate::random::Random;

/// Something that a random program may contain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Feature {
    /// Integers of every type instead of `int` and `unsigned` alone.
    Types,
    /// `_Atomic` objects, used by name and by the functions of `<stdatomic.h>`.
    Atomics,
    /// Compare-and-exchange that may fail for no reason.
    Weak,
    /// `__atomic_...`
    GnuAtomics,
    /// `__sync_...`
    Sync,
    Fences,
    Mutex,
    Trylock,
    /// Recursive and error-checking mutexes.
    MutexKinds,
    Condition,
    Semaphore,
    Rwlock,
    Barrier,
    Once,
    Spin,
    Arrays,
    /// Arrays with an index that is computed.
    Index,
    Structs,
    Unions,
    Bitfields,
    Pointers,
    Heap,
    Inputs,
    ThreadLocal,
    Loops,
    Switch,
    Goto,
    Calls,
    /// `__VERIFIER_atomic_begin` and `_end`.
    AtomicSections,
    /// Several threads that run one function.
    SharedBodies,
    /// Threads that nobody joins.
    Unjoined,
    /// Signed arithmetic near the ends of its types.
    SignedOverflow,
    /// The old value of a `_Bool` that is stepped.
    BoolSteps,
    /// Of sequential programs: unions, bit-fields, packed and aligned records.
    Layout,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 34] = [
        Feature::Types,
        Feature::Atomics,
        Feature::Weak,
        Feature::GnuAtomics,
        Feature::Sync,
        Feature::Fences,
        Feature::Mutex,
        Feature::Trylock,
        Feature::MutexKinds,
        Feature::Condition,
        Feature::Semaphore,
        Feature::Rwlock,
        Feature::Barrier,
        Feature::Once,
        Feature::Spin,
        Feature::Arrays,
        Feature::Index,
        Feature::Structs,
        Feature::Unions,
        Feature::Bitfields,
        Feature::Pointers,
        Feature::Heap,
        Feature::Inputs,
        Feature::ThreadLocal,
        Feature::Loops,
        Feature::Switch,
        Feature::Goto,
        Feature::Calls,
        Feature::AtomicSections,
        Feature::SharedBodies,
        Feature::Unjoined,
        Feature::SignedOverflow,
        Feature::BoolSteps,
        Feature::Layout,
    ];
}

/// Features that are left out because of a known gap, each with its reason. At present there is none.
pub const GAPS: &[(Feature, &str)] = &[];

/// A set of features.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// What there may be.
    allowed: u64,
    /// What there is in every program.
    always: u64,
}

impl Features {
    /// Everything without known gaps.
    pub fn usual() -> Features {
        let all = Features { allowed: u64::MAX, always: 0 };
        GAPS.iter().fold(all, |features, (gap, _)| features.without(*gap))
    }

    /// Without one of them.
    pub fn without(self, feature: Feature) -> Features {
        Features { allowed: self.allowed & !(1 << feature as u32), ..self }
    }

    /// With one of them in every program.
    pub fn always(self, feature: Feature) -> Features {
        Features { always: self.always | 1 << feature as u32, ..self }
    }

    /// Whether one of them is there.
    pub fn has(self, feature: Feature) -> bool {
        self.allowed & (1 << feature as u32) != 0
    }

    /// A few of them, for one program.
    pub fn some(self, random: &mut Random) -> Features {
        let count = 1 + random.below(6);
        let chosen = (0..count).fold(0, |chosen, _| chosen | 1 << random.pick(&Feature::ALL) as u32);
        Features { allowed: (chosen | self.always) & self.allowed, ..self }
    }
}
