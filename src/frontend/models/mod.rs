//! The library in C: what pthreads, semaphores, C11 threads and verification tasks call, over the intrinsics.
//!
//! The text is analysed before the user's program and with it; a function that the user defines replaces the
//! model of the same name. Steps inside a model show as the user's call.

mod reach;

pub use reach::Reached;

/// The models as one translation unit.
pub const TEXT: &str = concat!(
    include_str!("types.h"),
    include_str!("intrinsics.h"),
    include_str!("mutex.c"),
    include_str!("cancel.c"),
    include_str!("thread.c"),
    include_str!("attr.c"),
    include_str!("wait.c"),
    include_str!("semaphore.c"),
    include_str!("c11.c"),
    include_str!("verifier.c"),
    include_str!("system.c"),
    include_str!("memory.c"),
    include_str!("stdlib.c"),
    include_str!("string.c"),
    include_str!("bits.c"),
    include_str!("math.c"),
    include_str!("wide.c"),
    include_str!("format.c"),
    include_str!("signal.c"),
    include_str!("../include/fthread.h"),
    include_str!("fthread.c"),
    include_str!("../include/sc_coop.h"),
    include_str!("sc_coop.c"),
    include_str!("../include/os_coop.h"),
    include_str!("os_coop.c"),
);

/// The headers that stand in for the system's: name and text. They come first on the include path.
pub const HEADERS: &[(&str, &str)] = &[
    ("regrain_types.h", include_str!("types.h")),
    ("alloca.h", include_str!("../include/alloca.h")),
    ("assert.h", include_str!("../include/assert.h")),
    ("ctype.h", include_str!("../include/ctype.h")),
    ("emmintrin.h", include_str!("../include/immintrin.h")),
    ("errno.h", include_str!("../include/errno.h")),
    ("fcntl.h", include_str!("../include/fcntl.h")),
    ("fthread.h", include_str!("../include/fthread.h")),
    ("immintrin.h", include_str!("../include/immintrin.h")),
    ("inttypes.h", include_str!("../include/inttypes.h")),
    ("limits.h", include_str!("../include/limits.h")),
    ("malloc.h", include_str!("../include/malloc.h")),
    ("math.h", include_str!("../include/math.h")),
    ("os_coop.h", include_str!("../include/os_coop.h")),
    ("pthread.h", include_str!("../include/pthread.h")),
    ("sc_coop.h", include_str!("../include/sc_coop.h")),
    ("sched.h", include_str!("../include/sched.h")),
    ("semaphore.h", include_str!("../include/semaphore.h")),
    ("setjmp.h", include_str!("../include/setjmp.h")),
    ("stdatomic.h", include_str!("../include/stdatomic.h")),
    ("stdbool.h", include_str!("../include/stdbool.h")),
    ("stddef.h", include_str!("../include/stddef.h")),
    ("stdint.h", include_str!("../include/stdint.h")),
    ("stdio.h", include_str!("../include/stdio.h")),
    ("stdlib.h", include_str!("../include/stdlib.h")),
    ("string.h", include_str!("../include/string.h")),
    ("strings.h", include_str!("../include/strings.h")),
    ("stdarg.h", include_str!("../include/stdarg.h")),
    ("x86intrin.h", include_str!("../include/immintrin.h")),
    ("xmmintrin.h", include_str!("../include/immintrin.h")),
    ("sys/time.h", include_str!("../include/sys/time.h")),
    ("sys/types.h", include_str!("../include/sys/types.h")),
    ("threads.h", include_str!("../include/threads.h")),
    ("time.h", include_str!("../include/time.h")),
    ("unistd.h", include_str!("../include/unistd.h")),
];
