//! The best partition by trying, for clusters in which few locations matter.
//!
//! Setting up a SAT solver takes longer than a small problem is worth. This is a branch-and-bound search over the locations
//! that some mismatch mentions, in order, each tried in the classes in use and in one new class. Partitions thus come in
//! lexicographic order of their codes, so that the first of the best ones is the canonical one. The search
//! gives up after a number of steps; then the encoding (`encode`) takes over.
//!
//! Invariant: an answer is what the definition in the [crate] asks for, in all points.

use std::collections::{BTreeMap, BTreeSet};

use crate::encode::Model;
use crate::partition::Mismatch;

/// What came of trying.
pub(crate) enum Tried {
    /// The best partition.
    Best(Model),
    /// No partition has so few classes.
    None,
    /// Too many steps.
    Limit,
}

/// A location that matters.
struct Spot {
    component: usize,
    location: usize,
    /// Earlier locations that it has mismatches with.
    links: Vec<Link>,
}

struct Link {
    earlier: usize,
    /// Occurrences of the mismatch.
    weight: u64,
    /// Whether some path has no other mismatch.
    must: bool,
    /// The paths it occurs in, but for those that must be excluded by another mismatch.
    paths: Vec<usize>,
}

/// The search for one total.
pub(crate) struct Search {
    sizes: BTreeMap<usize, usize>,
    spots: Vec<Spot>,
    /// How many mismatches of each path are not separated, and how many it has.
    merged: Vec<(usize, usize)>,
    /// The class of each spot so far.
    codes: Vec<usize>,
    /// How many classes each component uses so far.
    used: BTreeMap<usize, usize>,
    /// How many classes more there may be.
    spare: usize,
    steps: u64,
    best: Option<(u64, Vec<usize>)>,
}

impl Search {
    /// A search within `total` classes for the components of these sizes, with so many steps.
    pub(crate) fn new(
        sizes: &BTreeMap<usize, usize>,
        paths: &BTreeSet<Vec<Mismatch>>,
        occurrences: &BTreeMap<Mismatch, u64>,
        total: usize,
        steps: u64,
    ) -> Search {
        let alone: BTreeSet<Mismatch> =
            paths.iter().filter(|path| path.len() == 1).map(|path| path[0]).collect();
        let open: Vec<&Vec<Mismatch>> =
            paths.iter().filter(|path| !path.iter().any(|mismatch| alone.contains(mismatch))).collect();
        let mut known: BTreeSet<(usize, usize)> = sizes.keys().map(|&component| (component, 0)).collect();
        for mismatch in occurrences.keys() {
            known.extend(mismatch.locations().map(|location| (mismatch.component(), location)));
        }
        let number: BTreeMap<(usize, usize), usize> =
            known.iter().enumerate().map(|(number, &spot)| (spot, number)).collect();
        let mut spots: Vec<Spot> = known
            .iter()
            .map(|&(component, location)| Spot { component, location, links: Vec::new() })
            .collect();
        for (mismatch, &weight) in occurrences {
            let [low, high] = mismatch.locations().map(|location| number[&(mismatch.component(), location)]);
            let paths = (0..open.len()).filter(|&path| open[path].contains(mismatch)).collect();
            let must = alone.contains(mismatch);
            spots[high].links.push(Link { earlier: low, weight, must, paths });
        }
        Search {
            sizes: sizes.clone(),
            spots,
            merged: open.iter().map(|path| (0, path.len())).collect(),
            codes: Vec::new(),
            used: sizes.keys().map(|&component| (component, 0)).collect(),
            spare: total,
            steps,
            best: None,
        }
    }

    /// Tries.
    pub(crate) fn run(mut self) -> Tried {
        if self.extend(0).is_none() {
            return Tried::Limit;
        }
        match self.best {
            None => Tried::None,
            Some((_, codes)) => {
                let mut model: BTreeMap<usize, Vec<usize>> =
                    self.sizes.iter().map(|(&component, &size)| (component, vec![0; size])).collect();
                for (spot, code) in self.spots.iter().zip(codes) {
                    model.get_mut(&spot.component).expect("a component")[spot.location] = code;
                }
                Tried::Best(Model(model))
            }
        }
    }

    /// Tries all classes for the next spot, having lost so much. `None` if there are no steps left.
    fn extend(&mut self, lost: u64) -> Option<()> {
        let next = self.codes.len();
        let Some(spot) = self.spots.get(next) else {
            self.best = Some((lost, self.codes.clone()));
            return Some(());
        };
        let component = spot.component;
        let used = self.used[&component];
        for code in 0..=used {
            if code == used && self.spare < 1 + self.waiting(next) {
                break;
            }
            self.steps = self.steps.checked_sub(1)?;
            let Some(more) = self.place(next, code) else {
                self.take_back(next, code);
                continue;
            };
            let lost = lost + more;
            if self.best.as_ref().is_none_or(|(least, _)| lost < *least) {
                let is_new = usize::from(code == used);
                self.spare -= is_new;
                self.used.insert(component, used + is_new);
                self.codes.push(code);
                self.extend(lost)?;
                self.codes.pop();
                self.used.insert(component, used);
                self.spare += is_new;
            }
            self.take_back(next, code);
        }
        Some(())
    }

    /// How many components still need their first class, apart from that of a spot.
    fn waiting(&self, spot: usize) -> usize {
        let own = self.spots[spot].component;
        self.used.iter().filter(|&(&component, &used)| component != own && used == 0).count()
    }

    /// Merges a spot into a class. The weight of the mismatches within it; `None` if a path is not excluded then.
    fn place(&mut self, spot: usize, code: usize) -> Option<u64> {
        let (mut lost, mut possible) = (0, true);
        for link in self.spots[spot].links.iter().filter(|link| self.codes[link.earlier] == code) {
            lost += link.weight;
            possible &= !link.must;
            for &path in &link.paths {
                let (merged, of) = &mut self.merged[path];
                *merged += 1;
                possible &= *merged < *of;
            }
        }
        possible.then_some(lost)
    }

    fn take_back(&mut self, spot: usize, code: usize) {
        for link in self.spots[spot].links.iter().filter(|link| self.codes[link.earlier] == code) {
            for &path in &link.paths {
                self.merged[path].0 -= 1;
            }
        }
    }
}
