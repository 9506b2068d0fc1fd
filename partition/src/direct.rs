//! The best partition by trying, for clusters in which few locations matter.
//!
//! Setting up a SAT solver takes longer than a small problem is worth. This is a branch-and-bound search over
//! the locations that some mismatch mentions, in order, each tried in the classes in use and in one new
//! class. Partitions thus come in lexicographic order of their codes, so that the first of the best ones is
//! the canonical one. The search gives up after a number of steps; then the encoding (`encode`) takes over.
//!
//! Invariant: an answer is what the definition in the [crate] asks for, in all points.

use std::collections::BTreeMap;

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
    /// The position of its component.
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

/// The search, for one total after the other.
pub(crate) struct Search {
    /// The components and their sizes, in order.
    components: Vec<(usize, usize)>,
    spots: Vec<Spot>,
    /// How many mismatches of each path are not separated, and how many it has.
    merged: Vec<(usize, usize)>,
    /// The class of each spot so far.
    codes: Vec<usize>,
    /// How many classes each component uses so far.
    used: Vec<usize>,
    /// How many classes more there may be.
    spare: usize,
    steps: u64,
    best: Option<(u64, Vec<usize>)>,
}

impl Search {
    /// A search for the components of these sizes. `paths` are different, and in order.
    pub(crate) fn new(
        sizes: &BTreeMap<usize, usize>,
        paths: &[&[Mismatch]],
        occurrences: &BTreeMap<Mismatch, u64>,
    ) -> Search {
        let alone: Vec<Mismatch> = paths.iter().filter(|path| path.len() == 1).map(|path| path[0]).collect();
        let is_open =
            |path: &&&[Mismatch]| !path.iter().any(|mismatch| alone.binary_search(mismatch).is_ok());
        let open: Vec<&[Mismatch]> = paths.iter().filter(is_open).copied().collect();
        let components: Vec<(usize, usize)> =
            sizes.iter().map(|(&component, &size)| (component, size)).collect();
        let mut spots = spots(&components, occurrences);
        for (mismatch, &weight) in occurrences {
            let [low, high] = mismatch.locations().map(|location| {
                let place = |spot: &Spot| (components[spot.component].0, spot.location);
                let wanted = (mismatch.component(), location);
                spots.binary_search_by_key(&wanted, place).expect("its locations matter")
            });
            let paths = (0..open.len()).filter(|&path| open[path].contains(mismatch)).collect();
            let must = alone.binary_search(mismatch).is_ok();
            spots[high].links.push(Link { earlier: low, weight, must, paths });
        }
        Search {
            used: vec![0; components.len()],
            components,
            spots,
            merged: open.iter().map(|path| (0, path.len())).collect(),
            codes: Vec::new(),
            spare: 0,
            steps: 0,
            best: None,
        }
    }

    /// Tries within `total` classes, with so many steps. After [`Tried::None`] a larger total can be tried.
    pub(crate) fn run(&mut self, total: usize, steps: u64) -> Tried {
        (self.spare, self.steps) = (total, steps);
        if self.extend(0).is_none() {
            return Tried::Limit;
        }
        let Some((_, codes)) = self.best.take() else { return Tried::None };
        let mut model: Vec<Vec<usize>> = self.components.iter().map(|&(_, size)| vec![0; size]).collect();
        for (spot, code) in self.spots.iter().zip(codes) {
            model[spot.component][spot.location] = code;
        }
        Tried::Best(Model(self.components.iter().map(|&(component, _)| component).zip(model).collect()))
    }

    /// Tries all classes for the next spot, having lost so much. `None` if there are no steps left.
    fn extend(&mut self, lost: u64) -> Option<()> {
        let next = self.codes.len();
        let Some(spot) = self.spots.get(next) else {
            self.best = Some((lost, self.codes.clone()));
            return Some(());
        };
        let component = spot.component;
        let used = self.used[component];
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
                self.used[component] = used + is_new;
                self.codes.push(code);
                self.extend(lost)?;
                self.codes.pop();
                self.used[component] = used;
                self.spare += is_new;
            }
            self.take_back(next, code);
        }
        Some(())
    }

    /// How many components still need their first class, apart from that of a spot.
    fn waiting(&self, spot: usize) -> usize {
        let own = self.spots[spot].component;
        let waits = |&(component, &used): &(usize, &usize)| component != own && used == 0;
        self.used.iter().enumerate().filter(waits).count()
    }

    /// Merges a spot into a class. The weight of the mismatches within it; `None` if a path is not excluded
    /// then.
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

/// The first location of each component, and all that some mismatch mentions, in order.
fn spots(components: &[(usize, usize)], occurrences: &BTreeMap<Mismatch, u64>) -> Vec<Spot> {
    let mut known: Vec<(usize, usize)> = (0..components.len()).map(|component| (component, 0)).collect();
    for mismatch in occurrences.keys() {
        let component = components.binary_search_by_key(&mismatch.component(), |&(component, _)| component);
        let component = component.expect("a component of the cluster");
        known.extend(mismatch.locations().map(|location| (component, location)));
    }
    known.sort_unstable();
    known.dedup();
    let spot = |(component, location)| Spot { component, location, links: Vec::new() };
    known.into_iter().map(spot).collect()
}
