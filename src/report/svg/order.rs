//! The order within layers: barycentres, swept down and up, keeping the order with the fewest crossings.

use super::layered::Layers;

/// Sweeps; each goes once through all layers.
const SWEEPS: usize = 16;

/// Reorders the layers.
pub(super) fn reduce_crossings(layers: &mut Layers) {
    let mut best = (crossings(layers), layers.layers.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let mut positions = positions(layers);
        let downwards = sweep % 2 == 0;
        let ranks: Vec<usize> = match downwards {
            true => (1..layers.layers.len()).collect(),
            false => (0..layers.layers.len().saturating_sub(1)).rev().collect(),
        };
        for rank in ranks {
            let neighbours = if downwards { &layers.above } else { &layers.below };
            let barycentre = |item: usize| match neighbours[item].as_slice() {
                [] => positions[item] as f64,
                some => some.iter().map(|&other| positions[other] as f64).sum::<f64>() / some.len() as f64,
            };
            let mut layer = layers.layers[rank].clone();
            layer.sort_by(|&a, &b| barycentre(a).total_cmp(&barycentre(b)));
            layer.iter().enumerate().for_each(|(position, &item)| positions[item] = position);
            layers.layers[rank] = layer;
        }
        let count = crossings(layers);
        if count < best.0 {
            best = (count, layers.layers.clone());
        }
    }
    layers.layers = best.1;
}

fn positions(layers: &Layers) -> Vec<usize> {
    let mut positions = vec![0; layers.items.len()];
    for layer in &layers.layers {
        layer.iter().enumerate().for_each(|(position, &item)| positions[item] = position);
    }
    positions
}

/// How often segments between neighbouring layers cross.
pub(super) fn crossings(layers: &Layers) -> usize {
    let positions = positions(layers);
    let mut count = 0;
    for layer in &layers.layers {
        let mut segments: Vec<(usize, usize)> = Vec::new();
        for &item in layer {
            segments.extend(layers.below[item].iter().map(|&lower| (positions[item], positions[lower])));
        }
        segments.sort_unstable();
        // Inversions among the lower ends, counted with a Fenwick tree.
        let mut tree = vec![0_usize; layers.items.len() + 2];
        for (seen, &(_, lower)) in segments.iter().enumerate() {
            let mut not_greater = 0;
            let mut i = lower + 1;
            while i > 0 {
                not_greater += tree[i];
                i &= i - 1;
            }
            count += seen - not_greater;
            let mut i = lower + 1;
            while i < tree.len() {
                tree[i] += 1;
                i += i & i.wrapping_neg();
            }
        }
    }
    count
}
