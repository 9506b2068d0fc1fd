//! Certificates of small programs: accepted, damaged, and of programs that are not safe.

use super::certify::certify;
use super::unroll::{Unroller, Unrolling};
use super::*;
use crate::program::pass::tests::text::parse;
use crate::proof::BoundedProof;
use crate::proof::bounded::{self, Objection};
use crate::proof::lrat::Gap;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// Both threads write and then read the other's cell; a third one complains if neither saw the other. Full
/// barriers in between where `between` says so.
fn store_buffering(between: &str) -> Program {
    parse(&format!(
        "shared x: i32 = 0
         shared y: i32 = 0
         shared a: i32 = 9
         shared b: i32 = 9
         private(0) r: i32 = 0
         private(1) s: i32 = 0
         thread 0 left from L0
           L0:
             -> L1 {{ x := 1 }}
           L1:
             -> L2 {between}
           L2:
             -> L3 {{ r := y }}
           L3:
             -> L4 {{ a := r }} full
           L4: end
         thread 1 right from L5
           L5:
             -> L6 {{ y := 1 }}
           L6:
             -> L7 {between}
           L7:
             -> L8 {{ s := x }}
           L8:
             -> L9 {{ b := s }} full
           L9: end
         thread 2 judge from L10
           L10:
             -> L11 [a == 0 && b == 0]
           L11: error 0 `a || b`"
    ))
}

fn unrolled<'p>(program: &'p Program, model: MemoryModel) -> (Unroller<'p>, Unrolling) {
    let mut unroller = Unroller::new(program, model.into(), CELLS).expect("small enough");
    let unrolling = unroller.unroll(1, &Budget::unlimited()).expect("nothing special");
    (unroller, unrolling)
}

fn certificate(program: &Program, model: MemoryModel) -> BoundedProof {
    let (mut unroller, unrolling) = unrolled(program, model);
    certify(&mut unroller, &unrolling, model, &Budget::unlimited()).expect("an unlimited budget")
}

fn examine(proof: &BoundedProof) -> Result<bounded::Examined, Objection> {
    bounded::check(proof, &Budget::unlimited())
}

#[test]
fn what_is_safe_has_a_certificate() {
    let program = store_buffering("full");
    for model in MODELS {
        let examined = examine(&certificate(&program, model)).expect("a certificate");
        assert!(examined.lemmas > 0, "{model:?}: orders matter here");
    }
}

#[test]
fn what_is_not_safe_has_none() {
    let program = store_buffering("");
    let [sc, tso, pso] = MODELS.map(|model| examine(&certificate(&program, model)));
    assert!(sc.is_ok());
    assert_eq!(
        (tso, pso),
        (Err(Objection::Refutation(Gap::NotEmpty)), Err(Objection::Refutation(Gap::NotEmpty)))
    );
}

#[test]
fn a_certificate_for_one_model_is_none_for_a_weaker_one() {
    let sc = certificate(&store_buffering(""), MemoryModel::Sc);
    let weaker = BoundedProof { model: MemoryModel::Tso, ..sc };
    assert!(matches!(examine(&weaker), Err(Objection::Lemma(_))));
}

#[test]
fn lemmas_that_say_too_much_are_noticed() {
    let whole = certificate(&store_buffering("full"), MemoryModel::Sc);
    assert!(examine(&whole).is_ok());
    let mut noticed = 0;
    for lemma in 0..whole.lemmas.len() {
        for literal in 0..whole.lemmas[lemma].len() {
            let mut stronger = whole.clone();
            stronger.lemmas[lemma].remove(literal);
            match examine(&stronger) {
                // Not every lemma is used, and some have more literals than they need.
                Ok(_) => {}
                Err(objection) => {
                    assert_eq!(objection, Objection::Lemma(lemma));
                    noticed += 1;
                }
            }
        }
    }
    assert!(noticed > 0);
}
