//! Strongly connected components of a graph (R. Tarjan, "Depth-first search and linear graph algorithms",
//! 1972), without recursion.

/// The components of a graph with so many nodes, each with its nodes in ascending order; those without cycle
/// too.
pub fn components(nodes: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut search =
        Search { index: vec![None; nodes], low: vec![0; nodes], on: vec![false; nodes], ..Search::default() };
    for start in 0..nodes {
        if search.index[start].is_none() {
            search.run(start, &next);
        }
    }
    search.found
}

#[derive(Default)]
struct Search {
    /// For each node, when it was met.
    index: Vec<Option<usize>>,
    /// For each node, the oldest node on the stack that is known to be reached.
    low: Vec<usize>,
    /// Whether a node is on the stack.
    on: Vec<bool>,
    stack: Vec<usize>,
    met: usize,
    found: Vec<Vec<usize>>,
}

impl Search {
    fn enter(&mut self, node: usize) {
        self.index[node] = Some(self.met);
        self.low[node] = self.met;
        self.met += 1;
        self.stack.push(node);
        self.on[node] = true;
    }

    fn run(&mut self, start: usize, next: &impl Fn(usize) -> Vec<usize>) {
        let mut calls = vec![(start, next(start))];
        self.enter(start);
        while let Some((node, open)) = calls.last_mut() {
            let node = *node;
            match open.pop() {
                Some(to) => match self.index[to] {
                    None => {
                        self.enter(to);
                        calls.push((to, next(to)));
                    }
                    Some(met) if self.on[to] => self.low[node] = self.low[node].min(met),
                    Some(_) => {}
                },
                None => {
                    calls.pop();
                    if let Some((above, _)) = calls.last() {
                        self.low[*above] = self.low[*above].min(self.low[node]);
                    }
                    self.leave(node);
                }
            }
        }
    }

    /// A node that reaches nothing older is the first of its component.
    fn leave(&mut self, node: usize) {
        if Some(self.low[node]) != self.index[node] {
            return;
        }
        let mut component = Vec::new();
        while let Some(top) = self.stack.pop() {
            self.on[top] = false;
            component.push(top);
            if top == node {
                break;
            }
        }
        component.sort_unstable();
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Two nodes are in one component if each reaches the other.
    #[test]
    fn components_are_what_reaches_itself() {
        let mut random = Random::new(7);
        for _ in 0..300 {
            let count = 1 + random.below(9);
            let edges: Vec<Vec<usize>> =
                (0..count).map(|_| (0..random.below(3)).map(|_| random.below(count)).collect()).collect();
            let reaches = |from: usize| {
                let mut seen = vec![from];
                let mut at = 0;
                while let Some(&node) = seen.get(at) {
                    at += 1;
                    let new: Vec<usize> =
                        edges[node].iter().copied().filter(|to| !seen.contains(to)).collect();
                    seen.extend(new);
                }
                seen
            };
            let mut found = components(count, |node| edges[node].clone());
            found.sort();
            let mut expected: Vec<Vec<usize>> = (0..count)
                .map(|a| (0..count).filter(|b| reaches(a).contains(b) && reaches(*b).contains(&a)).collect())
                .collect();
            expected.sort();
            expected.dedup();
            assert_eq!(found, expected, "{edges:?}");
        }
    }
}
