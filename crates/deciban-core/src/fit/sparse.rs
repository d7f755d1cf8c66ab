//! One weight vector of which most are zero: L1 and the elastic net, by coordinate descent over columns (newGLMNET: Yuan,
//! Ho and Lin 2012; embedded feature selection: Aggarwal 5.2.6).
//!
//! Minimised is sum_j (rho |w_j| + (1 - rho) w_j^2 / 2) + sum_i c_i l(y_i w . x_i). In each round the gradient of all
//! columns is computed, which gives the duality gap and the columns that are worth a look: those whose weight is not zero,
//! and those whose gradient is nearly steep enough to make it so. On these the loss is replaced with its quadratic model,
//! which coordinate descent minimises; then comes a step in that direction, as long as pays. For the squared loss
//! (Aggarwal 5.10) the model is the loss itself. Rows that are not learnt from cost nothing, and so tell nothing.

use std::marker::PhantomData;

use super::loss::Loss;
use super::matrix::{Columns, Entry, Matrix};
use super::random::Random;
use super::{Rules, Solved, Solver, Tell};

/// How steep a gradient is worth a look, as a share of what it takes.
const NEARLY: f64 = 0.95;
/// Passes over the model of one round, and how much less the last one brings than the first.
const PASSES: usize = 50;
const LESS: f64 = 1e-2;
/// The least curvature of a model.
const FLAT: f64 = 1e-12;
/// How much of what the model promises a step has to bring, and how often it is halved for that.
const ENOUGH: f64 = 0.01;
const HALVINGS: usize = 40;

/// A problem under way.
pub(super) struct Sparse<'a, L> {
    matrix: &'a Matrix,
    columns: &'a Columns,
    rho: f64,
    sign: Vec<f64>,
    /// By row; 0 for those that are not learnt from.
    cost: Vec<f64>,
    c: f64,
    /// By column.
    w: Vec<f64>,
    /// w . x of each row.
    score: Vec<f64>,
    random: Random,
    loss: PhantomData<L>,
}

/// A direction on some columns, and what the rows' scores change by.
struct Direction {
    columns: Vec<u32>,
    by_column: Vec<f64>,
    by_row: Vec<f64>,
}

impl<'a, L: Loss> Sparse<'a, L> {
    /// Learns from rows with signs 1 or -1, each of which counts `cost` times.
    pub fn new(
        matrix: &'a Matrix,
        rho: f64,
        rows: &[u32],
        sign: impl Fn(usize) -> f64,
        cost: &[f64],
        random: Random,
    ) -> Self {
        let n = matrix.rows();
        let mut learnt = vec![0.0; n];
        rows.iter().for_each(|&row| learnt[row as usize] = cost[row as usize]);
        let (w, score) = (vec![0.0; matrix.terms() + 1], vec![0.0; n]);
        let sign = (0..n).map(sign).collect();
        Sparse {
            matrix,
            columns: matrix.columns(),
            rho,
            sign,
            cost: learnt,
            c: 1.0,
            w,
            score,
            random,
            loss: PhantomData,
        }
    }

    /// What a row counts, and its margin for a score.
    #[inline]
    fn at(&self, row: usize, score: f64) -> (f64, f64) {
        (self.c * self.cost[row], self.sign[row] * score)
    }

    /// The dual variable of each row that belongs to its margin.
    fn alphas(&self) -> Vec<f64> {
        let alpha = |row: usize| {
            let (c, margin) = self.at(row, self.score[row]);
            if c > 0.0 { L::seed(margin, c) } else { 0.0 }
        };
        (0..self.score.len()).map(alpha).collect()
    }

    /// How the losses change with each weight.
    fn gradient(&self) -> Vec<f64> {
        let slopes: Vec<f64> = self.alphas().iter().zip(&self.sign).map(|(alpha, sign)| -alpha * sign).collect();
        let slope =
            |column| self.columns.of(column).iter().map(|at| slopes[at.place as usize] * f64::from(at.value)).sum();
        (0..self.w.len()).map(slope).collect()
    }

    fn penalty(&self, w: f64) -> f64 {
        self.rho * w.abs() + 0.5 * (1.0 - self.rho) * w * w
    }

    /// The objective after so many times a direction.
    fn objective(&self, direction: &Direction, times: f64) -> f64 {
        let cost = |(row, &score): (usize, &f64)| {
            let (c, margin) = self.at(row, score + times * direction.by_row[row]);
            if c > 0.0 { L::cost(margin, c) } else { 0.0 }
        };
        let losses: f64 = self.score.iter().enumerate().map(cost).sum();
        let penalties: f64 =
            self.w.iter().zip(&direction.by_column).map(|(w, change)| self.penalty(w + times * change)).sum();
        losses + penalties
    }

    /// The duality gap: alphas as they belong to the margins, or shrunk until no gradient is too steep.
    fn gap(&self, objective: f64, gradient: &[f64]) -> f64 {
        let steepest = gradient.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        let alphas = self.alphas();
        let dual = |by: f64| {
            let conjugate = |(&alpha, &cost): (&f64, &f64)| {
                if cost > 0.0 { L::conjugate(by * alpha, self.c * cost) } else { 0.0 }
            };
            let losses: f64 = alphas.iter().zip(&self.cost).map(conjugate).sum();
            let beyond: f64 = gradient.iter().map(|slope| (by * slope.abs() - self.rho).max(0.0).powi(2)).sum();
            let penalty = if beyond > 0.0 { 0.5 * beyond / (1.0 - self.rho) } else { 0.0 };
            -losses - penalty
        };
        let safe = if steepest > self.rho { self.rho / steepest * (1.0 - f64::EPSILON) } else { 1.0 };
        let best = if self.rho < 1.0 { dual(1.0).max(dual(safe)) } else { dual(safe) };
        (objective - best).max(0.0)
    }

    /// The direction to the least of the quadratic model on the columns that are worth a look.
    fn direction(&mut self, gradient: &[f64]) -> Direction {
        let is_worth =
            |&column: &u32| self.w[column as usize] != 0.0 || gradient[column as usize].abs() > NEARLY * self.rho;
        let mut columns: Vec<u32> = (0..self.w.len() as u32).filter(is_worth).collect();
        let curvature: Vec<f64> = (0..self.score.len())
            .map(|row| self.at(row, self.score[row]))
            .map(|(c, margin)| if c > 0.0 { L::curvature(margin, c) } else { 0.0 })
            .collect();
        let square = |at: &Entry| curvature[at.place as usize] * f64::from(at.value).powi(2);
        let mut diagonal = vec![0.0; self.w.len()];
        for &column in &columns {
            diagonal[column as usize] = self.columns.of(column as usize).iter().map(square).sum();
        }
        let (mut by_column, mut by_row) = (vec![0.0; self.w.len()], vec![0.0; self.score.len()]);
        let mut first = 0.0;
        for pass in 0..PASSES {
            self.random.shuffle(&mut columns);
            let mut gain = 0.0;
            for &column in &columns {
                let (column, entries) = (column as usize, self.columns.of(column as usize));
                let bent = entries.iter().map(|at| {
                    let row = at.place as usize;
                    curvature[row] * by_row[row] * f64::from(at.value)
                });
                let h = diagonal[column] + (1.0 - self.rho) + FLAT;
                let w = self.w[column] + by_column[column];
                let slope = gradient[column] + bent.sum::<f64>() + (1.0 - self.rho) * w;
                let change = towards_zero(h * w - slope, self.rho) / h - w;
                if change != 0.0 {
                    by_column[column] += change;
                    entries.iter().for_each(|at| by_row[at.place as usize] += change * f64::from(at.value));
                    gain += h * change * change;
                }
            }
            if pass == 0 {
                first = gain;
            }
            if gain <= LESS * LESS * first {
                break;
            }
        }
        Direction { columns, by_column, by_row }
    }

    /// A step in a direction, as long as it pays; returns whether there was one.
    fn step(&mut self, direction: &Direction, gradient: &[f64], objective: f64) -> bool {
        let promised = |&column: &u32| {
            let (w, change) = (self.w[column as usize], direction.by_column[column as usize]);
            gradient[column as usize] * change + self.penalty(w + change) - self.penalty(w)
        };
        let promise: f64 = direction.columns.iter().map(promised).sum();
        let times = (0..HALVINGS).map(|halvings| 0.5_f64.powi(halvings as i32));
        let pays = |times: &f64| self.objective(direction, *times) - objective <= ENOUGH * times * promise;
        let Some(times) = times.into_iter().find(pays).filter(|_| promise < 0.0) else { return false };
        self.w.iter_mut().zip(&direction.by_column).for_each(|(w, change)| *w += times * change);
        self.score.iter_mut().zip(&direction.by_row).for_each(|(score, change)| *score += times * change);
        true
    }

    fn still(&self) -> Direction {
        Direction { columns: Vec::new(), by_column: vec![0.0; self.w.len()], by_row: vec![0.0; self.score.len()] }
    }
}

/// A number, nearer to zero by so much, but not beyond.
fn towards_zero(number: f64, by: f64) -> f64 {
    number - number.clamp(-by, by)
}

impl<L: Loss> Solver for Sparse<'_, L> {
    fn start(&mut self, weights: &[f64], _: f64) {
        self.w.copy_from_slice(weights);
        for row in 0..self.score.len() {
            self.score[row] = self.matrix.row(row).map(|at| f64::from(at.value) * weights[at.place as usize]).sum();
        }
    }

    fn solve(&mut self, c: f64, rules: &Rules, tell: Tell<'_>) -> Option<Vec<Solved>> {
        self.c = c;
        for round in 1..=rules.epochs {
            let (gradient, objective) = (self.gradient(), self.objective(&self.still(), 0.0));
            let gap = self.gap(objective, &gradient);
            if tell(round, objective, gap) {
                return None;
            }
            let solved = Solved { objective, gap, epochs: round };
            if gap <= rules.tolerance * objective || round == rules.epochs {
                return Some(vec![solved]);
            }
            let direction = self.direction(&gradient);
            if !self.step(&direction, &gradient, objective) {
                return Some(vec![solved]);
            }
        }
        None
    }

    fn scores(&self, rows: &[u32]) -> Vec<f64> {
        rows.iter().map(|&row| self.score[row as usize]).collect()
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn least_c(&self) -> f64 {
        self.rho / self.gradient().iter().fold(0.0, |most: f64, slope| most.max(slope.abs()))
    }
}
