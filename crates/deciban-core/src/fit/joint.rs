//! A weight vector for each label, all at once, with an L2 penalty, by dual coordinate descent over rows.
//!
//! A row's dual variable is a point p of the simplex, one number a label, and W = sum_i c_i (e_{y_i} - p_i) x_i^T. Each
//! visit brings a row's p to its best; what that is, its loss says (`simplex`).

use std::marker::PhantomData;

use super::matrix::{Entry, Matrix};
use super::random::Random;
use super::simplex::JointLoss;
use super::{Rules, Solved, Solver, Tell, USUAL_SHARE};

/// A row is left alone while its part of the gap is below this much of what it may be.
const QUIET: f64 = 0.01;

/// What an epoch saw: the sums over rows of their gaps and of their conjugates, each when its row was visited; the
/// conjugates of rows that are left alone; and |W|^2.
#[derive(Default)]
struct Sums {
    gap: f64,
    conjugate: f64,
    asleep: f64,
    squared: f64,
}

/// A problem under way.
pub(super) struct Joint<'a, L> {
    matrix: &'a Matrix,
    rows: Vec<u32>,
    label: &'a [u32],
    cost: &'a [f64],
    labels: usize,
    /// A point of the simplex a row.
    p: Vec<f64>,
    /// By place, one number a label.
    w: Vec<f64>,
    c: f64,
    random: Random,
    loss: PhantomData<L>,
}

impl<'a, L: JointLoss> Joint<'a, L> {
    /// Learns from rows, each of which counts `cost` times, all costs above 0.
    pub fn new(
        matrix: &'a Matrix,
        rows: Vec<u32>,
        (label, labels): (&'a [u32], usize),
        cost: &'a [f64],
        random: Random,
    ) -> Self {
        let mut p = vec![0.0; rows.len() * labels];
        p.chunks_exact_mut(labels).zip(&rows).for_each(|(p, &row)| p[label[row as usize] as usize] = 1.0);
        let w = vec![0.0; matrix.places() * labels];
        Joint { matrix, rows, label, cost, labels, p, w, c: 1.0, random, loss: PhantomData }
    }

    /// A row's number, its label and what it costs.
    fn facts(&self, number: usize) -> (usize, usize, f64) {
        let row = self.rows[number] as usize;
        (row, self.label[row] as usize, self.c * self.cost[row])
    }

    /// The scores of a row that is learnt from.
    fn score(&self, number: usize, scores: &mut [f64]) {
        let (row, y, c) = self.facts(number);
        sum(&self.w, self.matrix.shared(row), scores);
        let own = c * self.matrix.norm(row).1;
        let p = &self.p[number * self.labels..][..self.labels];
        scores.iter_mut().zip(p).enumerate().for_each(|(r, (score, p))| *score += own * (f64::from(r == y) - p));
    }

    /// Costs become `ratio` times what they are, and W so many times, for the factor that is best for the dual.
    fn scale(&mut self, factors: &[f64], ratio: f64) {
        let squared = self.squared();
        self.c *= ratio;
        let best = factors.iter().copied().max_by(|&a, &b| {
            let dual = |by: f64| -self.conjugates(by / ratio) - 0.5 * by * by * squared;
            dual(a).total_cmp(&dual(b))
        });
        let by = best.unwrap_or(1.0);
        for number in 0..self.rows.len() {
            let y = self.facts(number).1;
            let p = &mut self.p[number * self.labels..][..self.labels];
            p.iter_mut().enumerate().for_each(|(r, p)| *p = towards(*p, r == y, by / ratio));
        }
        self.w.iter_mut().for_each(|w| *w *= by);
    }

    /// The sum of the conjugates, with e_y - p so many times what it is.
    fn conjugates(&self, by: f64) -> f64 {
        let mut moved = vec![0.0; self.labels];
        let mut of_row = |number: usize| {
            let (_, y, c) = self.facts(number);
            let p = &self.p[number * self.labels..][..self.labels];
            moved.iter_mut().zip(p).enumerate().for_each(|(r, (moved, &p))| *moved = towards(p, r == y, by));
            c * L::conjugate(&moved, y)
        };
        (0..self.rows.len()).map(&mut of_row).sum()
    }

    /// |W|^2, the terms that only one row has with it.
    fn squared(&self) -> f64 {
        let of_row = |number: usize| {
            let (row, y, c) = self.facts(number);
            let p = &self.p[number * self.labels..][..self.labels];
            let beta: f64 = p.iter().enumerate().map(|(r, p)| (f64::from(r == y) - p).powi(2)).sum();
            c * c * beta * self.matrix.norm(row).1
        };
        self.w.iter().map(|w| w * w).sum::<f64>() + (0..self.rows.len()).map(of_row).sum::<f64>()
    }

    fn change_cost(&mut self, c: f64) {
        let ratio = c / self.c;
        if ratio != 1.0 {
            let factors = [0.0, 0.5, 1.0].map(|power| ratio.powf(power));
            self.scale(if ratio > 1.0 { &factors } else { &factors[2..] }, ratio);
        }
    }

    /// One visit of the active rows; those whose part of the gap is at most `quiet` leave. `sums` are kept.
    fn epoch(&mut self, active: &mut Vec<u32>, quiet: f64, sums: &mut Sums) {
        self.random.shuffle(active);
        (sums.gap, sums.conjugate) = (0.0, 0.0);
        let labels = self.labels;
        let (mut scores, mut change) = (vec![0.0; labels], vec![0.0; labels]);
        active.retain(|&number| {
            let number = number as usize;
            self.score(number, &mut scores);
            let (row, y, c) = self.facts(number);
            let p = &mut self.p[number * labels..][..labels];
            let conjugate = c * L::conjugate(p, y);
            let product = scores[y] - p.iter().zip(&scores).map(|(p, score)| p * score).sum::<f64>();
            let part = c * (L::cost(&scores, y) + product) + conjugate;
            if part <= quiet {
                sums.asleep += conjugate;
                return false;
            }
            sums.gap += part;
            sums.conjugate += conjugate;
            change.copy_from_slice(p);
            let norm = self.matrix.norm(row).0;
            L::improve(p, &scores, y, c * norm);
            for ((change, p), score) in change.iter_mut().zip(&*p).zip(&scores) {
                *change = c * (*change - p);
                sums.squared += *change * (2.0 * score + *change * norm);
            }
            for entry in self.matrix.shared(row) {
                let line = &mut self.w[entry.place as usize * labels..][..labels];
                line.iter_mut().zip(&change).for_each(|(w, change)| *w += change * f64::from(entry.value));
            }
            true
        });
    }

    /// The objective and the gap, in truth.
    fn judge(&self) -> (f64, f64) {
        let (mut cost, mut scores) = (0.0, vec![0.0; self.labels]);
        for number in 0..self.rows.len() {
            self.score(number, &mut scores);
            let (_, y, c) = self.facts(number);
            cost += c * L::cost(&scores, y);
        }
        let squared = self.squared();
        (0.5 * squared + cost, squared + cost + self.conjugates(1.0))
    }
}

/// What p is once e_y - p is so many times what it was.
fn towards(p: f64, is_own: bool, by: f64) -> f64 {
    let own = f64::from(is_own);
    own - by * (own - p)
}

/// The lines of W that belong to a row, added up.
fn sum(w: &[f64], row: &[Entry], scores: &mut [f64]) {
    scores.fill(0.0);
    for entry in row {
        let line = &w[entry.place as usize * scores.len()..][..scores.len()];
        scores.iter_mut().zip(line).for_each(|(score, w)| *score += w * f64::from(entry.value));
    }
}

impl<L: JointLoss> Solver for Joint<'_, L> {
    fn start(&mut self, weights: &[f64], c: f64) {
        self.c = c;
        let labels = self.labels;
        for number in 0..self.rows.len() {
            let (row, y, c) = self.facts(number);
            let p = &mut self.p[number * labels..][..labels];
            p.fill(0.0);
            for entry in self.matrix.row(row) {
                let line = &weights[entry.place as usize * labels..][..labels];
                p.iter_mut().zip(line).for_each(|(p, w)| *p += w * f64::from(entry.value));
            }
            L::seed(p, y);
            for entry in self.matrix.shared(row) {
                let line = &mut self.w[entry.place as usize * labels..][..labels];
                let value = c * f64::from(entry.value);
                line.iter_mut().zip(&*p).enumerate().for_each(|(r, (w, p))| *w += value * (f64::from(r == y) - p));
            }
        }
        self.scale(&[1.0, 0.5, 0.25, 0.0], 1.0);
    }

    fn solve(&mut self, c: f64, rules: &Rules, tell: Tell<'_>) -> Option<Vec<Solved>> {
        self.change_cost(c);
        let mut active: Vec<u32> = (0..self.rows.len() as u32).collect();
        let mut sums = Sums { squared: self.squared(), ..Sums::default() };
        let (mut share, mut quiet) = (USUAL_SHARE, f64::NEG_INFINITY);
        for epoch in 1..=rules.epochs {
            self.epoch(&mut active, quiet, &mut sums);
            let objective = sums.gap - sums.conjugate - sums.asleep - 0.5 * sums.squared;
            if tell(epoch, objective, sums.gap) {
                return None;
            }
            quiet = QUIET * rules.tolerance * objective.max(0.0) / self.rows.len() as f64;
            if share * sums.gap > rules.tolerance * objective && epoch < rules.epochs {
                continue;
            }
            let (objective, gap) = self.judge();
            if gap <= rules.tolerance * objective || epoch == rules.epochs {
                return Some(vec![Solved { objective, gap, epochs: epoch }]);
            }
            share = gap / sums.gap;
            if gap > sums.gap {
                (share, sums.asleep) = (USUAL_SHARE, 0.0);
                active = (0..self.rows.len() as u32).collect();
            }
        }
        None
    }

    fn scores(&self, rows: &[u32]) -> Vec<f64> {
        let mut all = vec![0.0; rows.len() * self.labels];
        let each = rows.iter().zip(all.chunks_exact_mut(self.labels));
        each.for_each(|(&row, scores)| sum(&self.w, self.matrix.shared(row as usize), scores));
        all
    }

    fn weights(&self) -> Vec<f64> {
        let mut weights = self.matrix.spread(&self.w, self.labels);
        for number in 0..self.rows.len() {
            let (row, y, c) = self.facts(number);
            let p = &self.p[number * self.labels..][..self.labels];
            for entry in self.matrix.own(row) {
                let line = &mut weights[entry.place as usize * self.labels..][..self.labels];
                let value = c * f64::from(entry.value);
                line.iter_mut().zip(p).enumerate().for_each(|(r, (w, p))| *w = value * (f64::from(r == y) - p));
            }
        }
        weights
    }
}
