//! The x coordinates of a layered drawing: each item as close to the mean of its neighbours in the layer
//! before as order and sizes allow, in sweeps down and up.

use super::layered::Layers;

/// Sweeps that straighten edges.
const SWEEPS: usize = 24;

/// The x of each item, from 0.
pub(super) fn columns(layers: &Layers) -> Vec<f64> {
    let mut xs = vec![0.0; layers.items.len()];
    for layer in &layers.layers {
        for pair in layer.windows(2) {
            xs[pair[1]] = xs[pair[0]] + layers.separation(pair[0], pair[1]);
        }
    }
    for sweep in 0..SWEEPS {
        let downwards = sweep % 2 == 0;
        let order: Vec<usize> = match downwards {
            true => (0..layers.layers.len()).collect(),
            false => (0..layers.layers.len()).rev().collect(),
        };
        for rank in order {
            settle(layers, &layers.layers[rank], downwards, &mut xs);
        }
    }
    let left = (0..xs.len()).map(|item| xs[item] - layers.items[item].left).fold(f64::INFINITY, f64::min);
    xs.iter_mut().for_each(|x| *x -= left.min(1e9));
    xs
}

/// Moves the items of a layer as close to their neighbours' mean as their order and sizes allow: least
/// squares under separation, solved by pooling those that want to pass each other.
fn settle(layers: &Layers, layer: &[usize], downwards: bool, xs: &mut [f64]) {
    let mut pools: Vec<Pool> = Vec::new();
    let mut offset = 0.0;
    for (position, &item) in layer.iter().enumerate() {
        if position > 0 {
            offset += layers.separation(layer[position - 1], item);
        }
        let neighbours = if downwards { &layers.above[item] } else { &layers.below[item] };
        let wish = match neighbours.is_empty() {
            true => xs[item],
            false => neighbours.iter().map(|&other| xs[other]).sum::<f64>() / neighbours.len() as f64,
        };
        let weight = if neighbours.is_empty() { 0.1 } else { layers.items[item].weight };
        let mut pool = Pool { value: wish - offset, weight, members: vec![(item, offset)] };
        while let Some(before) = pools.pop_if(|before| before.value > pool.value) {
            pool = before.merged(pool);
        }
        pools.push(pool);
    }
    for pool in pools {
        for (item, offset) in pool.members {
            xs[item] = pool.value + offset;
        }
    }
}

/// Items that stand side by side, as close as they may.
struct Pool {
    value: f64,
    weight: f64,
    members: Vec<(usize, f64)>,
}

impl Pool {
    fn merged(mut self, other: Pool) -> Pool {
        let weight = self.weight + other.weight;
        self.value = (self.value * self.weight + other.value * other.weight) / weight;
        self.weight = weight;
        self.members.extend(other.members);
        self
    }
}
