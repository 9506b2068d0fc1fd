//! Invariants for any number of copies as text: what holds where, as conditions in C.

use std::collections::BTreeMap;
use std::fmt;

use super::{Crowd, Standing, single_threads};
use crate::program::{LocId, Program};
use crate::term::Pool;

/// An invariant for any number of copies that can be printed.
pub struct PrintedCrowd<'a> {
    crowd: &'a Crowd,
    program: &'a Program,
}

impl Crowd {
    /// The invariant as text, of the program with threads without number.
    pub fn display<'a>(&'a self, program: &'a Program) -> PrintedCrowd<'a> {
        PrintedCrowd { crowd: self, program }
    }
}

impl fmt::Display for PrintedCrowd<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speakers = match self.crowd.copies {
            1 => "every copy",
            _ => "every two copies",
        };
        writeln!(f, "Invariant for any number of threads, of {speakers}:")?;
        let terms: &Pool = &self.crowd.terms;
        for counter in &self.crowd.counters {
            let places = counter.locations.iter().map(|&location| self.place(location));
            let places: Vec<String> = places.collect();
            writeln!(
                f,
                "  {} is the number of copies at {}",
                terms.var_name(counter.var),
                places.join(", ")
            )?;
        }
        let mut regions: BTreeMap<&[LocId], Vec<(&Standing, String)>> = BTreeMap::new();
        for (standing, &region) in &self.crowd.regions {
            if terms.as_bool(region) != Some(false) {
                let condition = terms.display(region).to_string();
                regions.entry(&standing.copies).or_default().push((standing, condition));
            }
        }
        for (copies, regions) in regions {
            let places: Vec<String> = copies.iter().map(|&location| self.thread_at(location)).collect();
            writeln!(f, "  {}:", places.join(", "))?;
            for (standing, condition) in regions {
                match self.singles(standing) {
                    Some(singles) => writeln!(f, "    {singles}: {condition}")?,
                    None => writeln!(f, "    {condition}")?,
                }
            }
        }
        Ok(())
    }
}

impl PrintedCrowd<'_> {
    fn singles(&self, standing: &Standing) -> Option<String> {
        let many = single_threads(self.program).iter().any(|&thread| {
            let mut places = self.program.locations.iter().filter(|location| location.thread == thread);
            places.nth(1).is_some()
        });
        let places: Vec<String> = standing.singles.iter().map(|&location| self.thread_at(location)).collect();
        many.then(|| places.join(", "))
    }

    fn thread_at(&self, location: LocId) -> String {
        let thread = self.program.thread(self.program.location(location).thread);
        format!("{} at {}", thread.name, self.place(location))
    }

    fn place(&self, location: LocId) -> String {
        let span = self.program.location(location).span;
        match span.is_some() {
            true => self.program.sources.display(span).to_string(),
            false => format!("L{}", location.index()),
        }
    }
}
