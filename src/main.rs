//! The command line of Regrain.

fn main() {}
