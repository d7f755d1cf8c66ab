//! Problems solved for several C's and folds, on several threads.
//!
//! A job is a fold and some labels: one against the rest, several side by side (`lanes`, of several folds too), or all at
//! once. It stays on one thread from its first C to its last, and has a random order of its own: no result depends on how
//! many threads there are.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Fitted, Lane, Problem, Progress, Rules, Solved, Solver, Unfit, Watch};
use crate::near::full;
use crate::{Invalid, parts};

/// For each output the C from which on some weight is not zero, with an L1 penalty.
pub fn least_c(problem: &Problem<'_>, rules: &Rules) -> Result<Vec<f64>, Invalid> {
    problem.check(&[], rules)?;
    if rules.l1 == 0.0 {
        return Err(Invalid("without an L1 penalty no weight is zero"));
    }
    let lanes = (0..problem.outputs(rules.loss)).map(|output| [Lane { output, fold: None }]);
    Ok(lanes.map(|lane| problem.solver(rules, &lane, &[]).least_c()).collect())
}

/// Solves a problem for each C in turn, each from the solution of the one before; the first one from given weights, by
/// column, one number an output.
pub fn fit(
    problem: &Problem<'_>,
    rules: &Rules,
    cs: &[f64],
    start: Option<&[f64]>,
    watch: Watch<'_>,
) -> Result<Vec<Fitted>, Unfit> {
    problem.check(cs, rules)?;
    let (outputs, columns) = (problem.outputs(rules.loss), problem.matrix.terms() + 1);
    let constant = if problem.matrix.bias() == 0.0 { 1.0 } else { problem.matrix.bias() };
    if start.is_some_and(|start| start.len() != columns * outputs || !start.iter().all(|w| w.is_finite())) {
        return Err(Invalid("the weights to start from do not fit the rows, or are not all finite").into());
    }
    let jobs = jobs(problem, rules, &[None]);
    let found = pooled(jobs.len(), rules.threads, watch, |job, watch| {
        let (lanes, multiplied) = (&jobs[job], problem.multiplied(rules, &jobs[job], &[]));
        let of_job = multiplied.as_ref().map_or(*problem, |multiplied| problem.with(&multiplied.matrix));
        let mut solver = of_job.solver(rules, lanes, &[]);
        if let (Some(start), Some(&c)) = (start, cs.first()) {
            let of_lanes = |all: &[f64]| lanes.iter().map(|lane| all[lane.output]).collect::<Vec<_>>();
            let mut of_job: Vec<f64> = start.chunks_exact(outputs).flat_map(of_lanes).collect();
            of_job[(columns - 1) * lanes.len()..].iter_mut().for_each(|bias| *bias /= constant);
            solver.start(&of_job, c);
        }
        path(&mut *solver, rules, cs, watch, |solver, solved| match &multiplied {
            Some(multiplied) => (multiplied.weights(solver.weights()), solved),
            None => (solver.weights(), solved),
        })
    })?;
    let of_c = |at: usize| {
        let mut weights = full(columns * outputs, 0.0);
        for (lanes, steps) in jobs.iter().zip(&found) {
            for (all, of_job) in weights.chunks_exact_mut(outputs).zip(steps[at].0.chunks_exact(lanes.len())) {
                lanes.iter().zip(of_job).for_each(|(lane, &weight)| all[lane.output] = weight);
            }
        }
        weights[(columns - 1) * outputs..].iter_mut().for_each(|bias| *bias *= constant);
        Fitted { weights, solved: found.iter().flat_map(|steps| steps[at].1.clone()).collect() }
    };
    Ok((0..cs.len()).map(of_c).collect())
}

/// For each C the scores of all rows, one row a row, one column an output, each by what was learnt from the rows of other
/// folds.
pub fn held_out(
    problem: &Problem<'_>,
    rules: &Rules,
    cs: &[f64],
    folds: &[u32],
    watch: Watch<'_>,
) -> Result<Vec<Vec<f64>>, Unfit> {
    problem.check(cs, rules)?;
    if folds.len() != problem.matrix.rows() {
        return Err(Invalid("the folds do not fit the rows").into());
    }
    let mut distinct = folds.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let (jobs, outputs) =
        (jobs(problem, rules, &distinct.into_iter().map(Some).collect::<Vec<_>>()), problem.outputs(rules.loss));
    let rows_of = |lanes: &[Lane]| -> Vec<u32> {
        let is_held = |row: &u32| lanes.iter().any(|lane| lane.fold == Some(folds[*row as usize]));
        (0..folds.len() as u32).filter(is_held).collect()
    };
    let found = pooled(jobs.len(), rules.threads, watch, |job, watch| {
        let (lanes, multiplied) = (&jobs[job], problem.multiplied(rules, &jobs[job], folds));
        let held = rows_of(lanes);
        let of_job = multiplied.as_ref().map_or(*problem, |multiplied| problem.with(&multiplied.matrix));
        let mut solver = of_job.solver(rules, lanes, folds);
        path(&mut *solver, rules, cs, watch, |solver, _| match &multiplied {
            Some(multiplied) => problem.matrix.scores(&multiplied.weights(solver.weights()), &held),
            None => solver.scores(&held),
        })
    })?;
    let mut all = vec![vec![0.0; folds.len() * outputs]; cs.len()];
    for (lanes, steps) in jobs.iter().zip(&found) {
        let held = rows_of(lanes);
        for (all, scores) in all.iter_mut().zip(steps) {
            for (&row, scores) in held.iter().zip(scores.chunks_exact(lanes.len())) {
                let of_fold = lanes.iter().zip(scores).filter(|(lane, _)| lane.fold == Some(folds[row as usize]));
                of_fold.for_each(|(lane, &score)| all[row as usize * outputs + lane.output] = score);
            }
        }
    }
    Ok(all)
}

/// What is solved together, of all outputs and some folds: it never depends on the number of threads.
fn jobs(problem: &Problem<'_>, rules: &Rules, folds: &[Option<u32>]) -> Vec<Vec<Lane>> {
    let outputs = problem.outputs(rules.loss);
    if rules.loss.is_joint() {
        return folds.iter().map(|&fold| (0..outputs).map(|output| Lane { output, fold }).collect()).collect();
    }
    // The folds of an output side by side: they are as hard to solve.
    let of_output = |output| folds.iter().map(move |&fold| Lane { output, fold });
    let lanes: Vec<_> = (0..outputs).flat_map(of_output).collect();
    let most = rules.lanes(lanes.len());
    let even = lanes.len().div_ceil(lanes.len().div_ceil(most).max(1));
    lanes.chunks(even.max(1)).map(<[Lane]>::to_vec).collect()
}

/// What is found for each C in turn.
fn path<R>(
    solver: &mut dyn Solver,
    rules: &Rules,
    cs: &[f64],
    watch: Watch<'_>,
    found: impl Fn(&dyn Solver, Vec<Solved>) -> R,
) -> Result<Vec<R>, Unfit> {
    let mut all = Vec::with_capacity(cs.len());
    for (steps, &c) in cs.iter().enumerate() {
        let mut tell = watched(watch, steps);
        let solved = solver.solve(c, rules, &mut tell).ok_or(Unfit::Stopped)?;
        if !solved.iter().all(|solved| solved.objective.is_finite()) {
            return Err(Invalid("the rows' values are too large for the costs").into());
        }
        all.push(found(solver, solved));
    }
    Ok(all)
}

/// Tells whoever watches how far a job is with its C's.
pub(super) fn watched(watch: Watch<'_>, steps: usize) -> impl FnMut(usize, f64, f64) -> bool + '_ {
    move |epoch, objective, gap| watch(Progress { jobs: (0, 0), steps, epoch, objective, gap })
}

/// The results of so many jobs, in order, on some threads.
pub(super) fn pooled<R: Send>(
    jobs: usize,
    threads: usize,
    watch: Watch<'_>,
    of: impl Fn(usize, Watch<'_>) -> Result<R, Unfit> + Sync,
) -> Result<Vec<R>, Unfit> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let told = |progress| watch(Progress { jobs: (done.load(Ordering::Relaxed), jobs), ..progress });
    let lane = || {
        let taken = iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&job| job < jobs));
        let solved = taken.map(|job| {
            let result = of(job, &told);
            done.fetch_add(1, Ordering::Relaxed);
            result.map(|result| (job, result))
        });
        solved.collect::<Result<Vec<_>, Unfit>>()
    };
    let lanes = parts::run((0..parts::count(threads, jobs)).map(|_| lane).collect());
    let mut all = lanes.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect::<Vec<_>>();
    all.sort_unstable_by_key(|&(job, _)| job);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{Labels, Loss, Matrix};
    use super::*;

    const LOSSES: [Loss; 6] =
        [Loss::Hinge, Loss::SquaredHinge, Loss::Squared, Loss::Logistic, Loss::Softmax, Loss::Multiclass];

    /// 60 rows of three labels over 20 terms, each row with a term of its own.
    fn matrix() -> Matrix {
        let row = |i: u32| [i % 3, 3 + i % 7, 10 + i % 5, 20 + i].into_iter();
        let term: Vec<u32> = (0..60).flat_map(row).collect();
        let value: Vec<f32> = (0..240).map(|at| 0.5 + (at % 11) as f32 / 5.0).collect();
        let indptr: Vec<i64> = (0..=60).map(|row| row * 4).collect();
        Matrix::new(&indptr, &term, &value, 80, 1.0).unwrap()
    }

    fn rules(loss: Loss, l1: f64) -> Rules {
        Rules { loss, ratios: None, l1, tolerance: 1e-6, epochs: 10_000, seed: 3, threads: 1 }
    }

    fn all_rules() -> impl Iterator<Item = Rules> {
        let sparse = LOSSES[1..4].iter().flat_map(|&loss| [rules(loss, 0.3), rules(loss, 1.0)]);
        LOSSES.into_iter().map(|loss| rules(loss, 0.0)).chain(sparse)
    }

    #[test]
    fn gaps_get_small_paths_meet_and_threads_never_matter() {
        let (matrix, label) = (matrix(), (0..60).map(|i| (i * i + i / 9) % 3).collect::<Vec<u32>>());
        let cost: Vec<f64> = (0..60).map(|i| f64::from(i % 4) / 2.0).collect();
        let problem = Problem { matrix: &matrix, label: Labels::One(&label), labels: 3, cost: &cost };
        let folds: Vec<u32> = (0..60).map(|row| row % 5).collect();
        for rules in all_rules() {
            let path = fit(&problem, &rules, &[0.1, 1.0], None, &|_| false).unwrap();
            let alone = fit(&problem, &rules, &[1.0], None, &|_| false).unwrap();
            for (a, b) in path[1].solved.iter().zip(&alone[0].solved) {
                assert!(
                    a.gap <= 1e-6 * a.objective && (a.objective - b.objective).abs() <= 1e-6 * a.objective,
                    "{rules:?}"
                );
            }
            let started = fit(&problem, &rules, &[1.0], Some(&alone[0].weights), &|_| false).unwrap();
            assert!(started[0].solved.iter().all(|solved| solved.gap <= 1e-6 * solved.objective));
            let many = Rules { threads: 4, ..rules };
            assert_eq!(fit(&problem, &many, &[0.1, 1.0], None, &|_| false).unwrap(), path);
            let held = held_out(&problem, &rules, &[0.1, 1.0], &folds, &|_| false).unwrap();
            assert_eq!(held_out(&problem, &many, &[0.1, 1.0], &folds, &|_| false).unwrap(), held);
        }
    }

    #[test]
    fn rows_of_several_labels_are_a_problem_for_each_label() {
        let (matrix, cost) = (matrix(), [1.0; 60]);
        let folds: Vec<u32> = (0..60).map(|row| row % 5).collect();
        let has = |row: u32, label: u32| (row * row + row / 7).is_multiple_of(label + 2);
        let (mut ends, mut label) = (vec![0], Vec::new());
        for row in 0..60 {
            label.extend((0..3).filter(|&label| has(row, label)));
            ends.push(label.len() as i64);
        }
        let several =
            Problem { matrix: &matrix, label: Labels::Several { ends: &ends, label: &label }, labels: 3, cost: &cost };
        for rules in [rules(Loss::SquaredHinge, 0.0), rules(Loss::Logistic, 0.0), rules(Loss::Logistic, 1.0)] {
            let found = fit(&several, &rules, &[1.0], None, &|_| false).unwrap();
            let held = held_out(&several, &rules, &[1.0], &folds, &|_| false).unwrap();
            for output in 0..3 {
                let own: Vec<u32> = (0..60).map(|row| u32::from(has(row, output))).collect();
                let one = Problem { matrix: &matrix, label: Labels::One(&own), labels: 2, cost: &cost };
                let alone = fit(&one, &rules, &[1.0], None, &|_| false).unwrap();
                for (all, alone) in found[0].weights.chunks(3).zip(&alone[0].weights) {
                    assert!((all[output as usize] - alone).abs() < 1e-2, "{rules:?}");
                }
                let alone = held_out(&one, &rules, &[1.0], &folds, &|_| false).unwrap();
                for (all, alone) in held[0].chunks(3).zip(&alone[0]) {
                    assert!((all[output as usize] - alone).abs() < 1e-2, "{rules:?}");
                }
            }
        }
        let joint = rules(Loss::Softmax, 0.0);
        assert!(fit(&several, &joint, &[1.0], None, &|_| false).is_err());
        let twice = Labels::Several { ends: &ends, label: &vec![0; label.len()] };
        assert!(
            fit(&Problem { label: twice, ..several }, &rules(Loss::Logistic, 0.0), &[1.0], None, &|_| false).is_err()
        );
    }

    #[test]
    fn whoever_watches_may_stop() {
        let (matrix, label, cost) = (matrix(), (0..60).map(|row| row % 3).collect::<Vec<u32>>(), [1.0; 60]);
        let problem = Problem { matrix: &matrix, label: Labels::One(&label), labels: 3, cost: &cost };
        for rules in all_rules() {
            assert_eq!(fit(&problem, &rules, &[1.0], None, &|_| true), Err(Unfit::Stopped));
        }
    }

    #[test]
    fn no_rows_and_huge_numbers_end_without_panic() {
        let empty = Matrix::new(&[0], &[], &[], 0, 1.0).unwrap();
        let huge = Matrix::new(&[0, 1, 2], &[0, 0], &[f32::MAX, f32::MAX], 1, 0.0).unwrap();
        for rules in all_rules() {
            let rules = Rules { epochs: 50, ..rules };
            let nothing = Problem { matrix: &empty, label: Labels::One(&[]), labels: 2, cost: &[] };
            assert!(fit(&nothing, &rules, &[1.0], None, &|_| false).is_ok(), "{rules:?}");
            let large = Problem { matrix: &huge, label: Labels::One(&[0, 1]), labels: 2, cost: &[1e15, 1.0] };
            let _ = fit(&large, &rules, &[1e15], None, &|_| false);
            assert!(fit(&large, &rules, &[1.0], Some(&[0.0]), &|_| false).is_err());
        }
    }
}
