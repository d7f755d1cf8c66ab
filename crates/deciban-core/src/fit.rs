//! Rows with labels -> weights, by solvers: what naive Bayes has in closed form, others have to search for.
//!
//! Minimised is a penalty plus the sum of what rows cost, c_i l(...), where c_i is C times the row's own cost. Losses of
//! one margin (`loss`) see a label against the rest: a job a label, one job where there are two labels. `joint` losses see
//! all labels at once. Penalties: L2, by the dual (`dual`, `joint`), and the elastic net with L1, by columns (`sparse`).
//! A constant of the bias is a column like others, penalised with them; the larger its value, the less.
//!
//! Jobs are (fold, label) pairs, each on one thread from its first C to its last, each with a random order of its own: no
//! result depends on how many threads there are.

mod dual;
mod joint;
mod loss;
mod matrix;
mod random;
mod sparse;

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Invalid, parts};
use dual::Dual;
use joint::Joint;
pub use matrix::Matrix;
use random::Random;
use sparse::Sparse;

/// Above this, numbers of costs are not taken for costs.
const GREATEST: f64 = 1e15;
/// How much of the gap that an epoch sees is left at its end, as a rule.
const USUAL_SHARE: f64 = 0.35;

/// What is minimised beside the penalty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// max(0, 1 - m), a label against the rest.
    Hinge,
    /// max(0, 1 - m)^2, a label against the rest.
    SquaredHinge,
    /// (1 - m)^2, a label against the rest.
    Squared,
    /// log(1 + e^-m), a label against the rest.
    Logistic,
    /// Multinomial logistic regression: all labels at once.
    Softmax,
    /// The hinge of Crammer and Singer: all labels at once.
    Multiclass,
}

impl Loss {
    fn is_joint(self) -> bool {
        matches!(self, Loss::Softmax | Loss::Multiclass)
    }
}

/// Rows, the label of each, and how much each counts.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The rows.
    pub matrix: &'a Matrix,
    /// The label of each row.
    pub label: &'a [u32],
    /// How many labels there are.
    pub labels: usize,
    /// What each row's loss is multiplied with, beside C.
    pub cost: &'a [f64],
}

/// How to solve it.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// What rows cost.
    pub loss: Loss,
    /// How much of the penalty is L1: 0 is L2 alone, 1 is L1 alone.
    pub l1: f64,
    /// A gap of so much of the objective is small enough.
    pub tolerance: f64,
    /// Visits of all rows at most.
    pub epochs: usize,
    /// What random orders follow from.
    pub seed: u64,
    /// On how many threads (0: as many as there are cores).
    pub threads: usize,
}

/// How far a job is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Jobs that are done, and how many there are.
    pub jobs: (usize, usize),
    /// Of this job: how many C's are done, and the epoch of the next.
    pub steps: usize,
    /// Visits of all rows, for this C.
    pub epoch: usize,
    /// About what the objective is.
    pub objective: f64,
    /// About how far it is from the best at most.
    pub gap: f64,
}

/// Is told how far jobs are, and says whether all shall stop.
pub type Watch<'a> = &'a (dyn Fn(Progress) -> bool + Sync);

/// Is told an epoch, about the objective and the gap, and says whether to stop.
type Tell<'a> = &'a mut dyn FnMut(usize, f64, f64) -> bool;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// What came in was refused.
    Invalid(Invalid),
    /// Whoever watched said so.
    Stopped,
}

impl From<Invalid> for Unfit {
    fn from(invalid: Invalid) -> Self {
        Unfit::Invalid(invalid)
    }
}

/// How a job ended for one C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    /// Penalty and losses.
    pub objective: f64,
    /// How much the least objective may be below it.
    pub gap: f64,
    /// How often all rows were visited.
    pub epochs: usize,
}

/// What was found for one C: one solution a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// One row a term and a last one for the bias, one column an output: a label, or the second of two.
    pub weights: Vec<f64>,
    /// How each job ended.
    pub solved: Vec<Solved>,
}

/// A problem of one or several weight vectors that is solved again and again.
trait Solver {
    /// Starts near given weights, by column, one number an output.
    fn start(&mut self, weights: &[f64], c: f64);
    /// Solves it for a C, from where it stands; nothing where it was told to stop.
    fn solve(&mut self, c: f64, rules: &Rules, tell: Tell<'_>) -> Option<Solved>;
    /// The scores of rows that it has not learnt from.
    fn scores(&self, rows: &[u32]) -> Vec<f64>;
    /// By column, one number an output.
    fn weights(&self) -> Vec<f64>;
    /// The C from which on some weight is not zero.
    fn least_c(&self) -> f64 {
        0.0
    }
}

impl Problem<'_> {
    /// How many weights a term has.
    pub fn outputs(&self, loss: Loss) -> usize {
        if self.labels == 2 && !loss.is_joint() { 1 } else { self.labels }
    }

    fn check(&self, cs: &[f64], rules: &Rules) -> Result<(), Invalid> {
        let rows = self.matrix.rows();
        if self.label.len() != rows || self.cost.len() != rows {
            return Err(Invalid("the labels or the costs do not fit the rows"));
        }
        if self.labels < 2 || self.label.iter().any(|&label| label as usize >= self.labels) {
            return Err(Invalid("there are fewer than two labels, or labels that are none of them"));
        }
        if !self.cost.iter().all(|cost| (0.0..=GREATEST).contains(cost)) {
            return Err(Invalid("the costs are not all numbers from 0 to 1e15"));
        }
        if !cs.iter().all(|&c| c > 0.0 && c <= GREATEST) {
            return Err(Invalid("C is a number above 0, of at most 1e15"));
        }
        let may_be_sparse = !rules.loss.is_joint() && rules.loss != Loss::Hinge;
        if !(0.0..=1.0).contains(&rules.l1) || (rules.l1 > 0.0 && !may_be_sparse) {
            return Err(Invalid("the part of L1 is from 0 to 1, and 0 for the hinge and for losses of all labels"));
        }
        if rules.tolerance.is_nan() || rules.tolerance < 0.0 || rules.epochs == 0 {
            return Err(Invalid("the tolerance is at least 0, and there is at least one epoch"));
        }
        Ok(())
    }

    /// How many jobs there are for the same rows.
    fn jobs(&self, loss: Loss) -> usize {
        if loss.is_joint() { 1 } else { self.outputs(loss) }
    }

    /// The solver of a job, which learns from the rows that are not in a fold.
    fn solver(&self, rules: &Rules, job: usize, held: Option<(&[u32], u32)>) -> Box<dyn Solver + '_> {
        let learns = |row: &usize| self.cost[*row] > 0.0 && held.is_none_or(|(folds, fold)| folds[*row] != fold);
        let rows: Vec<u32> = (0..self.matrix.rows()).filter(learns).map(|row| row as u32).collect();
        let positive = if self.labels == 2 { 1 } else { job as u32 };
        let label = self.label;
        let sign = move |row: usize| if label[row] == positive { 1.0 } else { -1.0 };
        let (labels, random) = ((self.label, self.labels), Random::new(rules.seed, job));
        match (rules.loss, rules.l1 > 0.0) {
            (Loss::Softmax, _) => Box::new(Joint::<joint::Softmax>::new(self.matrix, rows, labels, self.cost, random)),
            (Loss::Multiclass, _) => {
                Box::new(Joint::<joint::Multiclass>::new(self.matrix, rows, labels, self.cost, random))
            }
            (Loss::Hinge, _) => Box::new(Dual::<loss::Hinge>::new(self.matrix, rows, sign, self.cost, random)),
            (Loss::SquaredHinge, is_sparse) => self.one::<loss::SquaredHinge>(rules, is_sparse, rows, sign, random),
            (Loss::Squared, is_sparse) => self.one::<loss::Squared>(rules, is_sparse, rows, sign, random),
            (Loss::Logistic, is_sparse) => self.one::<loss::Logistic>(rules, is_sparse, rows, sign, random),
        }
    }

    /// The solver of a smooth loss of one margin.
    fn one<L: loss::Loss + 'static>(
        &self,
        rules: &Rules,
        is_sparse: bool,
        rows: Vec<u32>,
        sign: impl Fn(usize) -> f64,
        random: Random,
    ) -> Box<dyn Solver + '_> {
        if is_sparse {
            return Box::new(Sparse::<L>::new(self.matrix, rules.l1, &rows, sign, self.cost, random));
        }
        Box::new(Dual::<L>::new(self.matrix, rows, sign, self.cost, random))
    }
}

/// For each output the C from which on some weight is not zero, with an L1 penalty.
pub fn least_c(problem: &Problem<'_>, rules: &Rules) -> Result<Vec<f64>, Invalid> {
    problem.check(&[], rules)?;
    if rules.l1 == 0.0 {
        return Err(Invalid("without an L1 penalty no weight is zero"));
    }
    Ok((0..problem.jobs(rules.loss)).map(|job| problem.solver(rules, job, None).least_c()).collect())
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
    let (jobs, outputs) = (problem.jobs(rules.loss), problem.outputs(rules.loss));
    let (width, columns) = (outputs / jobs, problem.matrix.terms() + 1);
    let constant = if problem.matrix.bias() == 0.0 { 1.0 } else { problem.matrix.bias() };
    if start.is_some_and(|start| start.len() != columns * outputs || !start.iter().all(|w| w.is_finite())) {
        return Err(Invalid("the weights to start from do not fit the rows, or are not all finite").into());
    }
    let found = pooled(jobs, rules.threads, watch, |job, watch| {
        let mut solver = problem.solver(rules, job, None);
        if let (Some(start), Some(&c)) = (start, cs.first()) {
            let mut of_job: Vec<f64> =
                start.chunks_exact(outputs).flat_map(|all| &all[job * width..][..width]).copied().collect();
            of_job[(columns - 1) * width..].iter_mut().for_each(|bias| *bias /= constant);
            solver.start(&of_job, c);
        }
        path(&mut *solver, rules, cs, watch, |solver, solved| (solver.weights(), solved))
    })?;
    let of_c = |at: usize| {
        let mut weights = vec![0.0; columns * outputs];
        for (job, steps) in found.iter().enumerate() {
            for (all, of_job) in weights.chunks_exact_mut(outputs).zip(steps[at].0.chunks_exact(width)) {
                all[job * width..][..width].copy_from_slice(of_job);
            }
        }
        weights[(columns - 1) * outputs..].iter_mut().for_each(|bias| *bias *= constant);
        Fitted { weights, solved: found.iter().map(|steps| steps[at].1).collect() }
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
    let (jobs, outputs) = (problem.jobs(rules.loss), problem.outputs(rules.loss));
    let rows_of =
        |fold: u32| -> Vec<u32> { (0..folds.len() as u32).filter(|&row| folds[row as usize] == fold).collect() };
    let found = pooled(jobs * distinct.len(), rules.threads, watch, |number, watch| {
        let (fold, job) = (distinct[number / jobs], number % jobs);
        let held = rows_of(fold);
        let mut solver = problem.solver(rules, job, Some((folds, fold)));
        path(&mut *solver, rules, cs, watch, |solver, _| solver.scores(&held))
    })?;
    let mut all = vec![vec![0.0; folds.len() * outputs]; cs.len()];
    let width = outputs / jobs;
    for (number, steps) in found.iter().enumerate() {
        let (held, job) = (rows_of(distinct[number / jobs]), number % jobs);
        for (all, scores) in all.iter_mut().zip(steps) {
            for (&row, scores) in held.iter().zip(scores.chunks_exact(width)) {
                all[row as usize * outputs + job * width..][..width].copy_from_slice(scores);
            }
        }
    }
    Ok(all)
}

/// What is found for each C in turn.
fn path<R>(
    solver: &mut dyn Solver,
    rules: &Rules,
    cs: &[f64],
    watch: Watch<'_>,
    found: impl Fn(&dyn Solver, Solved) -> R,
) -> Result<Vec<R>, Unfit> {
    let mut all = Vec::with_capacity(cs.len());
    for (steps, &c) in cs.iter().enumerate() {
        let mut tell = |epoch, objective, gap| watch(Progress { jobs: (0, 0), steps, epoch, objective, gap });
        let solved = solver.solve(c, rules, &mut tell).ok_or(Unfit::Stopped)?;
        if !solved.objective.is_finite() {
            return Err(Invalid("the rows' values are too large for the costs").into());
        }
        all.push(found(solver, solved));
    }
    Ok(all)
}

/// The results of so many jobs, in order, on some threads.
fn pooled<R: Send>(
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
