//! Problems of one margin solved for several C's, and for each the scores of rows by folds: each fold from the solution of
//! all rows (`dual::near`). What comes out are scores and dual variables, of which weights are made for the best C alone.

use super::dual::{Dual, Near};
use super::jobs::{pooled, watched};
use super::loss::SquaredHinge;
use super::{Lane, Loss, Problem, Random, Rules, Unfit, Watch};
use crate::Invalid;

/// Of each output the rows that its weights are made of, and how often each is in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Duals {
    /// Where the rows of each output begin, and where the last ones end.
    pub ends: Vec<i64>,
    /// All of them.
    pub row: Vec<u32>,
    /// How often each is in them.
    pub times: Vec<f64>,
}

/// What was found for one C.
#[derive(Debug, Clone, PartialEq)]
pub struct Folded {
    /// The scores of all rows, one column an output, each by what was learnt from the rows of other folds.
    pub scores: Vec<f64>,
    /// The solution of all rows.
    pub duals: Duals,
}

/// The scores of rows of one output, in the order of rows, and the solution of all rows.
type OfOutput = (Vec<f32>, Vec<(u32, f64)>);

/// Solves a problem for each C in turn, and its folds. For the squared hinge with an L2 penalty, without ratios: where
/// losses without margins are at their least, all rows have dual variables, and a plain hinge's folds need rows that are
/// far from their margin in the solution of all.
pub fn folded(
    problem: &Problem<'_>,
    rules: &Rules,
    cs: &[f64],
    folds: &[u32],
    watch: Watch<'_>,
) -> Result<Vec<Folded>, Unfit> {
    problem.check(cs, rules)?;
    if folds.len() != problem.matrix.rows() {
        return Err(Invalid("the folds do not fit the rows").into());
    }
    if rules.loss != Loss::SquaredHinge || rules.l1 > 0.0 || rules.ratios.is_some() {
        let of = "folds from the solution of all rows are of the squared hinge with an L2 penalty, without ratios";
        return Err(Invalid(of).into());
    }
    let count = folds.iter().max().map_or(0, |&most| most as usize + 1);
    let mut held = vec![Vec::new(); count];
    folds.iter().enumerate().for_each(|(row, &fold)| held[fold as usize].push(row as u32));
    let outputs = problem.outputs(rules.loss);
    let found = pooled(outputs, rules.threads, watch, |output, watch| {
        of_output(problem, rules, cs, (folds, &held), output, watch)
    })?;
    Ok((0..cs.len()).map(|at| joined(&found, at, folds.len())).collect())
}

/// One output, for each C.
fn of_output(
    problem: &Problem<'_>,
    rules: &Rules,
    cs: &[f64],
    (folds, held): (&[u32], &[Vec<u32>]),
    output: usize,
    watch: Watch<'_>,
) -> Result<Vec<OfOutput>, Unfit> {
    let lane = Lane { output, fold: None };
    let rows = (0..folds.len() as u32).filter(|&row| problem.cost[row as usize] > 0.0).collect();
    let sign = |row: usize| f64::from(problem.sign(&lane, folds, row));
    let mut near =
        Near::new(Dual::<SquaredHinge>::new(problem.matrix, rows, sign, problem.cost, Random::new(rules.seed, output)));
    let mut all = Vec::with_capacity(cs.len());
    for (steps, &c) in cs.iter().enumerate() {
        let mut tell = watched(watch, steps);
        let solved = near.solve(c, rules, &mut tell).ok_or(Unfit::Stopped)?;
        if !solved.objective.is_finite() {
            return Err(Invalid("the rows' values are too large for the costs").into());
        }
        let mut scores = vec![0.0; folds.len()];
        for (fold, held) in held.iter().enumerate().filter(|(_, held)| !held.is_empty()) {
            let is_left_out = |row: u32| folds[row as usize] as usize == fold;
            let found = near.without(is_left_out, held, rules, &mut tell).ok_or(Unfit::Stopped)?;
            held.iter().zip(found).for_each(|(&row, score)| scores[row as usize] = score as f32);
        }
        all.push((scores, near.duals()));
    }
    Ok(all)
}

/// What was found for one C, of all outputs.
fn joined(found: &[Vec<OfOutput>], at: usize, rows: usize) -> Folded {
    let mut scores = vec![0.0; rows * found.len()];
    let mut duals = Duals { ends: vec![0], ..Duals::default() };
    for (output, steps) in found.iter().enumerate() {
        let (of_rows, own) = &steps[at];
        of_rows.iter().enumerate().for_each(|(row, &score)| scores[row * found.len() + output] = f64::from(score));
        own.iter().for_each(|&(row, times)| {
            duals.row.push(row);
            duals.times.push(times);
        });
        duals.ends.push(duals.row.len() as i64);
    }
    Folded { scores, duals }
}

/// The weights that dual variables make: one row a term and a last one for the bias, one column an output.
pub fn weights(problem: &Problem<'_>, duals: &Duals) -> Result<Vec<f64>, Invalid> {
    let (matrix, outputs) = (problem.matrix, duals.ends.len().saturating_sub(1));
    let are_right = duals.row.len() == duals.times.len()
        && duals.ends.first() == Some(&0)
        && duals.ends.windows(2).all(|pair| pair[0] <= pair[1])
        && duals.ends.last() == Some(&(duals.row.len() as i64))
        && duals.row.iter().all(|&row| (row as usize) < matrix.rows());
    if !are_right {
        return Err(Invalid("the dual variables do not fit the rows"));
    }
    let mut weights = vec![0.0; (matrix.terms() + 1) * outputs];
    for (output, ends) in duals.ends.windows(2).enumerate() {
        for at in ends[0] as usize..ends[1] as usize {
            for entry in matrix.row(duals.row[at] as usize) {
                weights[entry.place as usize * outputs + output] += duals.times[at] * f64::from(entry.value);
            }
        }
    }
    let constant = if matrix.bias() == 0.0 { 1.0 } else { matrix.bias() };
    weights[matrix.terms() * outputs..].iter_mut().for_each(|bias| *bias *= constant);
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::super::{Labels, Matrix, fit, held_out};
    use super::*;

    #[test]
    fn folds_and_weights_are_those_of_problems_solved_by_themselves() {
        let mut random = 7_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let (rows, terms) = (400, 60);
        let mut term = Vec::new();
        let (mut ends, mut label) = (vec![0], Vec::new());
        for _ in 0..rows {
            let mut of_row: Vec<u32> = (0..8).map(|_| next(terms) as u32).collect();
            of_row.sort_unstable();
            of_row.dedup();
            label.extend((0..3).filter(|&label| of_row.contains(&label)));
            ends.push(label.len() as i64);
            term.push(of_row);
        }
        let indptr: Vec<i64> = std::iter::once(0)
            .chain(term.iter().scan(0, |end, row| {
                *end += row.len() as i64;
                Some(*end)
            }))
            .collect();
        let flat = term.concat();
        let value: Vec<f32> = (0..flat.len()).map(|at| 0.2 + (at % 7) as f32 / 20.0).collect();
        let matrix = Matrix::new(&indptr, &flat, &value, terms as usize, 1.0).unwrap();
        let cost = vec![1.0; rows];
        let labels = Labels::Several { ends: &ends, label: &label };
        let problem = Problem { matrix: &matrix, label: labels, labels: 3, cost: &cost };
        let folds: Vec<u32> = (0..rows as u32).map(|row| row % 5).collect();
        let loss = Loss::SquaredHinge;
        let rules = Rules { loss, ratios: None, l1: 0.0, tolerance: 1e-6, epochs: 10_000, seed: 3, threads: 1 };
        let found = folded(&problem, &rules, &[0.3, 1.0], &folds, &|_| false).unwrap();
        let four = Rules { threads: 4, ..rules };
        assert_eq!(folded(&problem, &four, &[0.3, 1.0], &folds, &|_| false).unwrap(), found);
        let (alone, held) = (
            fit(&problem, &rules, &[0.3, 1.0], None, &|_| false).unwrap(),
            held_out(&problem, &rules, &[0.3, 1.0], &folds, &|_| false).unwrap(),
        );
        for (at, folded) in found.iter().enumerate() {
            let ours = weights(&problem, &folded.duals).unwrap();
            let far = ours.iter().zip(&alone[at].weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 2e-2, "{far}");
            let off: f64 = folded.scores.iter().zip(&held[at]).map(|(a, b)| (a - b).abs()).sum();
            assert!(off / (folded.scores.len() as f64) < 1e-2, "{off}");
        }
        for loss in [Loss::Logistic, Loss::Hinge] {
            assert!(folded(&problem, &Rules { loss, ..rules }, &[1.0], &folds, &|_| false).is_err());
        }
        assert!(folded(&problem, &rules, &[1.0], &[0], &|_| false).is_err());
        assert!(weights(&problem, &Duals { ends: vec![0, 1], row: vec![400], times: vec![1.0] }).is_err());
    }
}
