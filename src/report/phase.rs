//! What an engine is doing, in plain words.

/// What is done in a phase, to follow "while".
pub fn doing(phase: &str) -> &str {
    match phase {
        "read" => "reading the program",
        "explore" => "visiting states",
        "reach" => "looking for paths to a violation",
        "refine" => "learning from paths that no run can take",
        "unroll" => "unrolling loops",
        "order" => "finding out which orders of events are certain",
        "solve" => "searching for a violation up to the bound",
        "certify" => "writing down the proof",
        "unfold" => "unfolding the program",
        "check proof" => "checking a proof",
        "visit again" => "visiting the states again",
        other => other,
    }
}
