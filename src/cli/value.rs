//! Values of arguments: their names, and how they are parsed.

use std::time::Duration;

use regrain::budget::Budget;
use regrain::frontend::{DataModel, Granularity, Undefined};
use regrain::program::MemoryModel;

/// The name of a granularity, in arguments and reports.
pub fn granularity_name(granularity: Granularity) -> &'static str {
    match granularity {
        Granularity::Access => "access",
        Granularity::Statement => "statement",
    }
}

/// The name of a memory model, in arguments and reports.
pub fn memory_model_name(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "sc",
        MemoryModel::Tso => "tso",
        MemoryModel::Pso => "pso",
    }
}

/// The name of a data model, in arguments and reports.
pub fn data_model_name(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    }
}

/// The name of a way to treat functions without body.
pub fn undefined_name(undefined: Undefined) -> &'static str {
    match undefined {
        Undefined::Error => "error",
        Undefined::Havoc => "havoc",
        Undefined::Ignore => "ignore",
    }
}

/// A parser of values that have names.
pub fn named<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl clap::builder::TypedValueParser<Value = T> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    let values: Vec<T> = values.into_iter().collect();
    let names: Vec<&'static str> = values.iter().map(|&value| name(value)).collect();
    PossibleValuesParser::new(names).map(move |given| {
        let known = values.iter().copied().find(|&value| name(value) == given);
        known.expect("clap accepts only these names")
    })
}

/// A parser of limits of time.
pub fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("a number of seconds above 0 is needed".to_owned()),
    }
}

/// The limits of a run that starts now, in seconds and megabytes.
pub fn budget(timeout: Option<f64>, memory_limit: Option<u64>) -> Budget {
    let mut budget = Budget::unlimited();
    if let Some(seconds) = timeout {
        budget = budget.with_time(Duration::from_secs_f64(seconds));
    }
    if let Some(megabytes) = memory_limit {
        budget = budget.with_memory(megabytes);
    }
    budget
}
