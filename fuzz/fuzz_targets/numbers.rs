//! Any numbers, as Python may hand them over: refused, or safe to work with.
#![no_main]

use deciban_core::fit::{self, Labels, Loss, Matrix, Problem, Ratios, Rules};
use deciban_core::left_out::{self, Formula, Left};
use deciban_core::reappearing::{self, Halves, Leaving};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, arbitrary::Arbitrary)]
struct Numbers {
    indptr: Vec<i64>,
    label: Vec<u32>,
    row_indptr: Vec<i64>,
    term: Vec<u32>,
    count: Vec<i64>,
    own: Vec<u32>,
    amount: Vec<f64>,
    all: Vec<f64>,
    gain: Vec<f64>,
    rest: Vec<f64>,
    seen: Vec<f64>,
    value: Vec<f32>,
    cost: Vec<f64>,
    places: (Vec<i64>, Vec<i64>, Vec<i64>),
    labels: u8,
    flags: (bool, bool),
    scalars: (f64, f64, f64),
}

fuzz_target!(|found: Numbers| {
    let labels = usize::from(found.labels % 5);
    let left = Left {
        indptr: &found.row_indptr,
        term: &found.term,
        count: &found.count,
        own: &found.own,
        own_floor: &[],
        own_amount: &[],
    };
    let formula = Formula {
        indptr: &found.indptr,
        label: &found.label,
        amount: &found.amount,
        discount: found.scalars.0,
        floor: &[],
        all: &found.all,
        gain: &found.gain,
        by_collection: found.flags.0,
        whole: &[],
        rest: &found.rest,
        power: found.scalars.1,
        seen: &found.seen,
        doubt: 10.0,
        eta: 0.5,
        labels,
        strict: found.flags.1,
    };
    if let Ok(scores) = left_out::beyond(formula, left, 1) {
        assert_eq!(scores.len(), found.own.len() * labels);
    }
    let (first, second, place) = &found.places;
    let half: Vec<_> = found.own.iter().map(|&own| i64::from(own)).collect();
    let (indptr, label) = (&found.indptr, &found.label);
    let halves = Halves { key: first, n: second, c: place, width: 9, indptr, label, first, second, labels };
    let leaving =
        Leaving { indptr: &found.row_indptr, term: &found.term, count: &found.count, own: &found.own, half: &half };
    let _ = reappearing::without(halves, leaving);
    let Ok(matrix) = Matrix::new(&found.row_indptr, &found.term, &found.value, 20, 1.0) else { return };
    let problem = Problem { matrix: &matrix, label: Labels::One(&found.own), labels, cost: &found.cost };
    let ratios = found.flags.0.then_some(Ratios { alpha: found.scalars.0, beta: found.scalars.1 });
    for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::Squared, Loss::Logistic, Loss::Softmax, Loss::Multiclass] {
        let rules = Rules { loss, ratios, l1: 0.0, tolerance: 1e-3, epochs: 5, seed: 1, threads: 1 };
        let _ = fit::fit(&problem, &rules, &[found.scalars.2], None, &|_| false);
        let _ = fit::held_out(&problem, &rules, &[found.scalars.2], &found.own, &|_| false);
    }
});
