//! Layered drawings of directed graphs, as in K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual
//! understanding of hierarchical system structures", 1981: edges that close a cycle are turned round, nodes
//! go into layers by longest paths, the order within layers is improved by barycentres, and coordinates come
//! from least squares (`columns.rs`).
//!
//! Labels of edges take part as if they were nodes: nodes have even layers, labels odd ones. Everything is
//! determined by the order of nodes and edges.

use super::columns::columns;
use super::order;

/// Space between layers, and between neighbours in a layer.
const GAP: (f64, f64) = (18.0, 22.0);

/// A point of the plane; y grows downwards.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// What to draw: sizes of nodes, and edges with sizes of labels. The first node is the entry.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// Width and height of each node.
    pub nodes: Vec<(f64, f64)>,
    /// The edges.
    pub edges: Vec<PlanEdge>,
}

/// An edge of a plan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlanEdge {
    /// Where it starts.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// Width and height of its label.
    pub label: (f64, f64),
}

/// Where everything is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Drawing {
    /// Centres of the nodes.
    pub nodes: Vec<Point>,
    /// The edges.
    pub edges: Vec<Route>,
    /// Extent.
    pub size: (f64, f64),
}

/// An edge of a drawing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Route {
    /// From its start to its end.
    pub points: Vec<Point>,
    /// Left end and middle height of its label.
    pub label: Point,
}

/// A node, a label, or the place where an edge passes a layer.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// Room to the left and right of its line.
    pub left: f64,
    right: f64,
    height: f64,
    /// How strongly it wants to stand below its neighbours.
    pub weight: f64,
}

/// Items in layers, joined by segments of edges from each layer to the next.
pub(super) struct Layers {
    pub items: Vec<Item>,
    pub layers: Vec<Vec<usize>>,
    /// For each item those that it is joined to in the layer above, and in the layer below.
    pub above: Vec<Vec<usize>>,
    pub below: Vec<Vec<usize>>,
}

/// An edge while it is laid out: the items that it passes, from the upper to the lower end.
struct Strand {
    items: Vec<usize>,
    /// Position of the label among the items.
    label: usize,
    reversed: bool,
}

/// Draws.
pub fn draw(plan: &Plan) -> Drawing {
    let reversed = turned_round(plan);
    let ranks = ranks(plan, &reversed);
    let (mut layers, strands) = layers(plan, &reversed, &ranks);
    order::reduce_crossings(&mut layers);
    let xs = columns(&layers);
    let rows = rows(&layers);
    assemble(plan, &layers, &strands, &xs, &rows)
}

/// Whether each edge closes a cycle, in depth-first order from the first node. Loops at a node do not count.
fn turned_round(plan: &Plan) -> Vec<bool> {
    let mut outgoing = vec![Vec::new(); plan.nodes.len()];
    for (index, edge) in plan.edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
        outgoing[edge.from].push(index);
    }
    let mut reversed = vec![false; plan.edges.len()];
    let (mut entered, mut left) = (vec![false; plan.nodes.len()], vec![false; plan.nodes.len()]);
    for root in 0..plan.nodes.len() {
        let mut stack = if entered[root] { Vec::new() } else { vec![(root, 0)] };
        entered[root] = true;
        while let Some((node, next)) = stack.last_mut() {
            let Some(&edge) = outgoing[*node].get(*next) else {
                left[*node] = true;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = plan.edges[edge].to;
            reversed[edge] = entered[to] && !left[to];
            if !entered[to] {
                entered[to] = true;
                stack.push((to, 0));
            }
        }
    }
    reversed
}

/// The layer of each node: twice the length of the longest path to it.
fn ranks(plan: &Plan, reversed: &[bool]) -> Vec<usize> {
    let mut incoming = vec![0; plan.nodes.len()];
    let mut outgoing = vec![Vec::new(); plan.nodes.len()];
    for (edge, &reversed) in plan.edges.iter().zip(reversed).filter(|(edge, _)| edge.from != edge.to) {
        let (upper, lower) = if reversed { (edge.to, edge.from) } else { (edge.from, edge.to) };
        outgoing[upper].push(lower);
        incoming[lower] += 1;
    }
    let mut ranks = vec![0; plan.nodes.len()];
    let mut ready: Vec<usize> = (0..plan.nodes.len()).filter(|&node| incoming[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &lower in &outgoing[node] {
            ranks[lower] = ranks[lower].max(ranks[node] + 2);
            incoming[lower] -= 1;
            if incoming[lower] == 0 {
                ready.push(lower);
            }
        }
    }
    ranks
}

fn layers(plan: &Plan, reversed: &[bool], ranks: &[usize]) -> (Layers, Vec<Strand>) {
    let depth = ranks.iter().max().map_or(0, |rank| rank + 1);
    let mut all =
        Layers { items: Vec::new(), layers: vec![Vec::new(); depth], above: Vec::new(), below: Vec::new() };
    for (node, &(width, height)) in plan.nodes.iter().enumerate() {
        let loops = plan.edges.iter().filter(|edge| edge.from == node && edge.to == node);
        let room = loops.map(|edge| edge.label.0 + LOOP).fold(0.0, f64::max);
        let item = Item { left: width / 2.0, right: width / 2.0 + room, height, weight: 1.0 };
        all.add(ranks[node], item);
    }
    let strands = plan.edges.iter().zip(reversed).map(|(edge, &reversed)| {
        let (upper, lower) = if reversed { (edge.to, edge.from) } else { (edge.from, edge.to) };
        strand(&mut all, edge, (upper, lower), ranks, reversed)
    });
    let strands = strands.collect();
    (all, strands)
}

/// Lays a strand through the layers between its ends.
fn strand(
    all: &mut Layers,
    edge: &PlanEdge,
    (upper, lower): (usize, usize),
    ranks: &[usize],
    reversed: bool,
) -> Strand {
    let mut items = vec![upper];
    let (first, last) = (ranks[upper] + 1, ranks[lower]);
    let middle = if first < last { first + (last - 1 - first) / 4 * 2 } else { first };
    for rank in first..last {
        let (width, height) = if rank == middle { edge.label } else { (0.0, 0.0) };
        let item = Item { left: 4.0, right: width + 8.0, height, weight: 4.0 };
        let index = all.add(rank, item);
        all.join(*items.last().expect("begins at a node"), index);
        items.push(index);
    }
    if upper != lower {
        all.join(*items.last().expect("begins at a node"), lower);
    }
    items.push(lower);
    Strand { items, label: middle + 1 - first, reversed }
}

/// Room for a loop at the right of a node.
const LOOP: f64 = 34.0;

impl Layers {
    fn add(&mut self, rank: usize, item: Item) -> usize {
        let index = self.items.len();
        self.items.push(item);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        self.layers[rank].push(index);
        index
    }

    fn join(&mut self, upper: usize, lower: usize) {
        self.below[upper].push(lower);
        self.above[lower].push(upper);
    }

    /// How far the lines of two neighbours are apart at least.
    pub fn separation(&self, left: usize, right: usize) -> f64 {
        self.items[left].right + GAP.1 + self.items[right].left
    }
}

/// Top and bottom of each layer.
fn rows(layers: &Layers) -> Vec<(f64, f64)> {
    let mut top = 0.0;
    let row = |layer: &Vec<usize>| {
        let height = layer.iter().map(|&item| layers.items[item].height).fold(0.0, f64::max);
        let row = (top, top + height);
        top += height + GAP.0;
        row
    };
    layers.layers.iter().map(row).collect()
}

fn assemble(plan: &Plan, layers: &Layers, strands: &[Strand], xs: &[f64], rows: &[(f64, f64)]) -> Drawing {
    let mut rank_of = vec![0; layers.items.len()];
    for (rank, layer) in layers.layers.iter().enumerate() {
        layer.iter().for_each(|&item| rank_of[item] = rank);
    }
    let middle = |item: usize| f64::midpoint(rows[rank_of[item]].0, rows[rank_of[item]].1);
    let nodes: Vec<Point> =
        (0..plan.nodes.len()).map(|node| Point { x: xs[node], y: middle(node) }).collect();
    let mut ports = Ports::new(plan, strands, xs);
    let mut edges = Vec::new();
    for (index, strand) in strands.iter().enumerate() {
        let (upper, lower) = (strand.items[0], strand.items[strand.items.len() - 1]);
        if upper == lower {
            edges.push(loop_route(nodes[upper], plan.nodes[upper]));
            continue;
        }
        let mut points = vec![Point { x: ports.below(index), y: nodes[upper].y + plan.nodes[upper].1 / 2.0 }];
        for &item in &strand.items[1..strand.items.len() - 1] {
            let (top, bottom) = rows[rank_of[item]];
            points.extend([Point { x: xs[item], y: top }, Point { x: xs[item], y: bottom }]);
        }
        points.push(Point { x: ports.above(index), y: nodes[lower].y - plan.nodes[lower].1 / 2.0 });
        if strand.reversed {
            points.reverse();
        }
        let label = strand.items[strand.label];
        edges.push(Route { points, label: Point { x: xs[label] + 5.0, y: middle(label) } });
    }
    let width = (0..xs.len()).map(|item| xs[item] + layers.items[item].right).fold(0.0, f64::max);
    Drawing { nodes, edges, size: (width, rows.last().map_or(0.0, |row| row.1)) }
}

/// A loop at the right of a node, its label beside it.
fn loop_route(centre: Point, (width, height): (f64, f64)) -> Route {
    let (x, dy) = (centre.x + width / 2.0, height / 4.0);
    let points = [(x, -dy), (x + LOOP - 14.0, -dy), (x + LOOP - 14.0, dy), (x, dy)];
    let points = points.map(|(x, dy)| Point { x, y: centre.y + dy }).to_vec();
    Route { points, label: Point { x: x + LOOP - 8.0, y: centre.y } }
}

/// Where strands touch their nodes: side by side, in the order in which they go on.
struct Ports {
    below: Vec<f64>,
    above: Vec<f64>,
}

impl Ports {
    fn new(plan: &Plan, strands: &[Strand], xs: &[f64]) -> Ports {
        let spread = |end: fn(&Strand) -> (usize, usize)| {
            let mut ports = vec![0.0; strands.len()];
            for (node, &(width, _)) in plan.nodes.iter().enumerate() {
                let mut own: Vec<usize> = (0..strands.len())
                    .filter(|&s| {
                        end(&strands[s]).0 == node
                            && strands[s].items[0] != strands[s].items[strands[s].items.len() - 1]
                    })
                    .collect();
                own.sort_by(|&a, &b| xs[end(&strands[a]).1].total_cmp(&xs[end(&strands[b]).1]));
                let step = 18.0_f64.min(width / (own.len() + 1) as f64);
                for (position, &strand) in own.iter().enumerate() {
                    ports[strand] = xs[node] + (position as f64 - (own.len() - 1) as f64 / 2.0) * step;
                }
            }
            ports
        };
        Ports {
            below: spread(|strand| (strand.items[0], strand.items[1])),
            above: spread(|strand| {
                (strand.items[strand.items.len() - 1], strand.items[strand.items.len() - 2])
            }),
        }
    }

    fn below(&mut self, strand: usize) -> f64 {
        self.below[strand]
    }

    fn above(&mut self, strand: usize) -> f64 {
        self.above[strand]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn plan(nodes: usize, edges: &[(usize, usize)]) -> Plan {
        let edges = edges.iter().map(|&(from, to)| PlanEdge { from, to, label: (30.0, 12.0) });
        Plan { nodes: vec![(50.0, 20.0); nodes], edges: edges.collect() }
    }

    /// Nodes do not touch, edges join their nodes, everything is inside the picture.
    fn check(plan: &Plan) -> Drawing {
        let drawing = draw(plan);
        let apart = |a: usize, b: usize| {
            let (p, q) = (drawing.nodes[a], drawing.nodes[b]);
            let (s, t) = (plan.nodes[a], plan.nodes[b]);
            (p.x - q.x).abs() >= (s.0 + t.0) / 2.0 || (p.y - q.y).abs() >= (s.1 + t.1) / 2.0
        };
        for a in 0..plan.nodes.len() {
            assert!((0..a).all(|b| apart(a, b)), "node {a} of {plan:?} touches another one: {drawing:?}");
        }
        for (edge, route) in plan.edges.iter().zip(&drawing.edges) {
            for (node, point) in
                [(edge.from, route.points[0]), (edge.to, route.points[route.points.len() - 1])]
            {
                let (centre, size) = (drawing.nodes[node], plan.nodes[node]);
                let (dx, dy) = ((point.x - centre.x).abs(), (point.y - centre.y).abs());
                assert!(dx <= size.0 / 2.0 + 0.01 && dy <= size.1 / 2.0 + 0.01, "{edge:?} ends elsewhere");
                assert!(
                    dx >= size.0 / 2.0 - 0.01 || dy >= size.1 / 2.0 - 0.01,
                    "{edge:?} ends inside a node"
                );
            }
            for point in &route.points {
                assert!(point.x >= -0.01 && point.x <= drawing.size.0 + 0.01, "{edge:?} leaves the picture");
                assert!(point.y >= -0.01 && point.y <= drawing.size.1 + 0.01, "{edge:?} leaves the picture");
            }
        }
        drawing
    }

    #[test]
    fn a_chain_is_straight() {
        let drawing = check(&plan(4, &[(0, 1), (1, 2), (2, 3)]));
        assert!(
            drawing
                .nodes
                .windows(2)
                .all(|pair| (pair[0].x - pair[1].x).abs() < 0.01 && pair[0].y < pair[1].y)
        );
    }

    #[test]
    fn the_edge_that_closes_a_loop_goes_up() {
        let drawing = check(&plan(3, &[(0, 1), (1, 2), (2, 0)]));
        let rises = |route: &Route| route.points[0].y > route.points[route.points.len() - 1].y;
        assert_eq!(drawing.edges.iter().map(rises).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn a_diamond_is_symmetric() {
        let drawing = check(&plan(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]));
        let middle = f64::midpoint(drawing.nodes[1].x, drawing.nodes[2].x);
        assert!((drawing.nodes[0].x - middle).abs() < 0.5 && (drawing.nodes[3].x - middle).abs() < 0.5);
    }

    #[test]
    fn crossings_that_need_not_be_are_gone() {
        let plan = plan(5, &[(0, 1), (0, 2), (1, 4), (2, 3)]);
        let reversed = turned_round(&plan);
        let (mut layers, _) = layers(&plan, &reversed, &ranks(&plan, &reversed));
        layers.layers[2].reverse();
        assert_eq!(order::crossings(&layers), 3);
        order::reduce_crossings(&mut layers);
        assert_eq!(order::crossings(&layers), 0);
    }

    #[test]
    fn random_graphs_are_drawn() {
        let mut random = Random::new(7);
        for _ in 0..300 {
            let nodes = 1 + random.below(14);
            let edges: Vec<(usize, usize)> =
                (0..random.below(24)).map(|_| (random.below(nodes), random.below(nodes))).collect();
            let mut plan = plan(nodes, &edges);
            plan.nodes
                .iter_mut()
                .for_each(|size| *size = (20.0 + random.below(90) as f64, 10.0 + random.below(30) as f64));
            assert_eq!(check(&plan), draw(&plan), "the same twice");
        }
    }
}
