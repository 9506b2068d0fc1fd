//! Transformations of programs, one a file, each pure `Program -> Program` and behaviour-preserving for
//! reachability of marks under the memory model in use.
