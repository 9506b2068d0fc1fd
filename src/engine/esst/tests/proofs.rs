//! Verdicts and certificates under every reduction, and what damage to certificates comes to.

use super::*;
use crate::engine::Violation;
use crate::proof::{Defect, Flaw, Forest, ForestEdge, check_forest};

/// Two writers of different variables and one who fails if both have written, in SystemC.
fn writers(limit: i128) -> Program {
    let scheduler = crate::scheduler::of(Policy::SystemC);
    let mut maker = Maker::new(scheduler, Policy::SystemC, 4);
    let (x, y) = (maker.shared("x"), maker.shared("y"));
    for thread in 1..4 {
        maker.call(0, "process", &[thread, 0]);
    }
    maker.call(0, "start", &[]);
    let (one, most) = (maker.number(1), maker.number(limit));
    for (thread, var) in [(1, x), (2, y)] {
        maker.assign(thread, var, one);
        maker.call(thread, "wait_time", &[0]);
        maker.end(thread);
    }
    let (x, y) = (maker.read(x), maker.read(y));
    let sum = maker.builder.terms().add(x, y);
    let bad = maker.builder.terms().lt(most, sum);
    maker.error_if(3, bad);
    maker.end(3);
    maker.build()
}

fn proof(program: &Program, reduction: Reduction) -> Forest {
    let options = Options { reduction, ..Options::default() };
    match check(program, &options, &mut crate::observe::Silent).claim {
        Claim::Safe(Certificate::Forest(forest)) => *forest,
        claim => panic!("{claim:?}"),
    }
}

fn checked(program: &Program, forest: &Forest) -> Result<(), Flaw> {
    check_forest(program, forest, IntModel::default(), &Budget::unlimited()).map(|_| ())
}

#[test]
fn verdicts_and_certificates_under_every_reduction() {
    let (safe, violated) = (writers(2), writers(1));
    let mut sizes = Vec::new();
    for reduction in Reduction::ALL {
        let forest = proof(&safe, reduction);
        assert_eq!(checked(&safe, &forest), Ok(()), "{reduction:?}");
        sizes.push(forest.nodes.len());
        let options = Options { reduction, ..Options::default() };
        let claim = check(&violated, &options, &mut crate::observe::Silent).claim;
        assert!(matches!(claim, Claim::Unsafe(Violation { .. })), "{reduction:?}: {claim:?}");
    }
    assert!(sizes[1] < sizes[0] && sizes[3] < sizes[2], "{sizes:?}");
}

/// The flaw after each kind of damage to a certificate.
#[test]
fn damaged_certificates_are_rejected() {
    let program = writers(2);
    let forest = proof(&program, Reduction::Sleep);
    let with = |damage: &dyn Fn(&mut Forest)| {
        let mut damaged = forest.clone();
        damage(&mut damaged);
        checked(&program, &damaged).expect_err("damage is noticed")
    };
    let leaf = |forest: &Forest, is: &dyn Fn(&ForestEdge) -> bool| {
        let parents: Vec<usize> =
            forest.nodes.iter().filter_map(|node| Some(node.parent.as_ref()?.0)).collect();
        let covers: Vec<usize> = forest.nodes.iter().filter_map(|node| node.covered_by).collect();
        let fits = |at: &usize| {
            let edge = forest.nodes[*at].parent.as_ref().map(|(_, edge)| edge);
            !parents.contains(at) && !covers.contains(at) && edge.is_some_and(is)
        };
        (0..forest.nodes.len()).rev().find(fits).expect("a leaf")
    };
    let remove = |forest: &mut Forest, at: usize| {
        forest.nodes.remove(at);
        let shift = |other: &mut usize| *other -= usize::from(*other > at);
        for node in &mut forest.nodes {
            node.parent.iter_mut().for_each(|(parent, _)| shift(parent));
            node.covered_by.iter_mut().for_each(shift);
        }
    };
    let weaker = |forest: &mut Forest| {
        for node in &mut forest.nodes {
            node.global.clear();
            node.threads.iter_mut().for_each(Vec::clear);
        }
    };
    assert!(matches!(with(&weaker), Flaw::Node(_, Defect::Missing(_) | Defect::Error)));
    let no_edge = |forest: &mut Forest| {
        let at = leaf(forest, &|edge| matches!(edge, ForestEdge::Steps(_)));
        remove(forest, at);
    };
    assert!(matches!(with(&no_edge), Flaw::Node(_, Defect::Missing(_))));
    let asleep = |forest: &mut Forest| {
        let at = forest.nodes.iter().position(|node| node.scheduler.running.is_none()).expect("a decision");
        forest.nodes[at].sleep = vec![ThreadId::new(3)];
    };
    assert!(matches!(with(&asleep), Flaw::Node(_, Defect::Sleep(_))));
    let no_choice = |forest: &mut Forest| {
        let choice = |node: &crate::proof::ForestNode| matches!(node.parent, Some((_, ForestEdge::Schedule)));
        let last = forest.nodes.iter().rposition(choice).expect("a choice");
        let below = |forest: &Forest, root: usize| {
            let mut all = vec![root];
            for at in root + 1..forest.nodes.len() {
                if forest.nodes[at].parent.as_ref().is_some_and(|(parent, _)| all.contains(parent)) {
                    all.push(at);
                }
            }
            all
        };
        for at in below(forest, last).into_iter().rev() {
            remove(forest, at);
        }
    };
    assert!(matches!(with(&no_choice), Flaw::Node(_, Defect::Choice(_))));
    let persistent = |forest: &mut Forest| {
        let at = forest.nodes.iter().position(|node| node.scheduler.running.is_none()).expect("a decision");
        forest.nodes[at].persistent = Some(vec![ThreadId::new(3)]);
    };
    assert!(matches!(with(&persistent), Flaw::Node(_, Defect::Persistent)));
}
