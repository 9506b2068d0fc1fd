//! Sets of integer points given by bounds on differences: `x - y <= c`.
//!
//! A zone is kept as a matrix of the tightest bounds that follow (a difference-bound matrix, closed under
//! shortest paths), so that consistency, implication and a point inside can be read off. Variable 0 is the
//! number zero, so that bounds on one variable are differences too. Invariant: the matrix is closed and the
//! zone is not empty; over the integers this means that any choice for some variables within their bounds
//! extends to the others.

/// No bound. Sums of two bounds stay far below.
const FREE: i128 = i128::MAX / 4;

/// `left - right <= limit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// A variable of the zone; 0 is the number zero.
    pub left: usize,
    /// Another one.
    pub right: usize,
    /// The largest difference.
    pub limit: i128,
}

impl Bound {
    /// The bound that holds where this one does not.
    pub fn negated(self) -> Bound {
        Bound { left: self.right, right: self.left, limit: -self.limit - 1 }
    }

    /// Whether a point satisfies it.
    pub fn holds_at(self, point: &Point) -> bool {
        point[self.left] - point[self.right] <= self.limit
    }
}

/// A value for each variable, first that of zero.
pub type Point = Vec<i128>;

/// The empty set of points, which no zone is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Empty;

/// A set of integer points that is not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone {
    size: usize,
    limits: Vec<i128>,
}

impl Zone {
    /// All points of so many variables besides zero.
    pub fn new(variables: usize) -> Zone {
        let size = variables + 1;
        let mut limits = vec![FREE; size * size];
        for variable in 0..size {
            limits[variable * size + variable] = 0;
        }
        Zone { size, limits }
    }

    /// Number of bounds that are kept.
    pub fn bounds(&self) -> usize {
        self.limits.len()
    }

    /// The largest value of `left - right`, if there is one.
    fn limit(&self, left: usize, right: usize) -> i128 {
        self.limits[left * self.size + right]
    }

    /// Whether all points satisfy a bound.
    pub fn implies(&self, bound: Bound) -> bool {
        self.limit(bound.left, bound.right) <= bound.limit
    }

    /// Whether no point satisfies a bound.
    pub fn excludes(&self, bound: Bound) -> bool {
        self.limit(bound.right, bound.left) + bound.limit < 0
    }

    /// Keeps the points that satisfy a bound. The zone must not be used any more if there are none.
    pub fn add(&mut self, bound: Bound) -> Result<(), Empty> {
        if self.excludes(bound) {
            return Err(Empty);
        }
        if self.implies(bound) {
            return Ok(());
        }
        for row in 0..self.size {
            let to = self.limit(row, bound.left);
            if to == FREE {
                continue;
            }
            for column in 0..self.size {
                let from = self.limit(bound.right, column);
                let limit = to + bound.limit + from;
                let known = &mut self.limits[row * self.size + column];
                if from != FREE && limit < *known {
                    *known = limit;
                }
            }
        }
        Ok(())
    }

    /// A point where `left - right != difference` for all of these, if choosing values one by one finds one.
    pub fn point_without(&self, excluded: &[(usize, usize, i128)]) -> Option<Point> {
        let mut point: Point = vec![0];
        while point.len() < self.size {
            let next = point.len();
            let above = |(other, value): (usize, &i128)| *value - self.limit(other, next).min(FREE);
            let below = |(other, value): (usize, &i128)| *value + self.limit(next, other).min(FREE);
            let low = point.iter().enumerate().map(above).max().expect("zero has a value");
            let high = point.iter().enumerate().map(below).min().expect("zero has a value");
            let forbidden = |value: i128| {
                excluded.iter().any(|&(left, right, difference)| {
                    let known = |variable: usize| point.get(variable).copied();
                    match (left == next, right == next) {
                        (true, false) => known(right).is_some_and(|right| value - right == difference),
                        (false, true) => known(left).is_some_and(|left| left - value == difference),
                        _ => false,
                    }
                })
            };
            // Zero is a good place to start where there is no bound.
            let start = if low <= -FREE / 2 { high.min(0) } else { low };
            let upwards = (start..=high).take(excluded.len() + 1);
            let downwards = (low..start).rev().take(excluded.len() + 1);
            point.push(upwards.chain(downwards).find(|&value| !forbidden(value))?);
        }
        Some(point)
    }
}
