//! Which nodes of a graph lie on common cycles: two passes of depth-first search (S. R. Kosaraju), without
//! recursion.

/// For each node the number of its component; nodes have the same number if each reaches the other.
pub(super) fn components(next: &[Vec<usize>]) -> Vec<usize> {
    let mut before = vec![Vec::new(); next.len()];
    for (node, targets) in next.iter().enumerate() {
        targets.iter().for_each(|&target| before[target].push(node));
    }
    let mut finished = Vec::new();
    let mut seen = vec![false; next.len()];
    for node in 0..next.len() {
        finish(node, next, &mut seen, &mut finished);
    }
    let mut component = vec![usize::MAX; next.len()];
    for &root in finished.iter().rev() {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                open.extend(&before[node]);
            }
        }
    }
    component
}

/// Adds what a node reaches and was not seen before, each after all that it reaches.
fn finish(node: usize, next: &[Vec<usize>], seen: &mut [bool], finished: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[node], true) {
        return;
    }
    let mut open = vec![(node, 0)];
    while let Some((node, at)) = open.last_mut() {
        match next[*node].get(*at) {
            None => {
                finished.push(*node);
                open.pop();
            }
            Some(&target) => {
                *at += 1;
                if !std::mem::replace(&mut seen[target], true) {
                    open.push((target, 0));
                }
            }
        }
    }
}
