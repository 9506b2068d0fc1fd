//! Smallest partition of control locations that separates a mismatch of every spurious path.
