//! Several problems of the logistic loss with an L2 penalty, solved side by side: labels against the rest, and folds.
//!
//! They have the same rows, with other signs, and some rows left out. Solved one after the other, each would wait for the
//! same memory. So K of them are lanes of one dual coordinate descent (`dual`): a row is read once for all, the weights
//! that a term has in all lanes stand in one cache line, and what is computed for a row is computed for all lanes at once.
//! No lane sees another; all go on until the last is solved, since a lane that rested would save nothing.
//!
//! With ratios, rows stay as they are: kept is v_j = r_j w_j, whose product with a row is that of w with the multiplied
//! row, and a step adds r_j^2 x_j to it, times what the dual variable gains.

mod logistic;
mod multiplied;

use std::borrow::Cow;

use super::loss::{Logistic, Loss as _};
use super::matrix::{Entry, Matrix};
use super::random::Random;
use super::{Lane, Problem, Rules, Solved, Solver, Tell, USUAL_SHARE};
use crate::exp::exp;
use crate::near::{full, prefetch};
use crate::wide;
use multiplied::Multiplied;

/// A number for each lane.
pub(super) type Of<T, const K: usize> = [T; K];

/// What belongs to a row.
#[derive(Debug, Clone)]
struct Line<const K: usize> {
    alpha: Of<f64, K>,
    conjugate: Of<f64, K>,
    norm: Of<f64, K>,
    /// The part of the norm of terms that only this row has.
    own: Of<f64, K>,
    /// 1 or -1, and 0 where the row is not learnt from.
    sign: Of<i8, K>,
    /// What the row counts, C with it.
    c: f64,
    start: usize,
    end: usize,
}

/// Problems under way.
pub(super) struct Lanes<'a, const K: usize> {
    matrix: &'a Matrix,
    /// How many lanes there are in truth; the others stay at nothing.
    width: usize,
    rows: Vec<u32>,
    lines: Vec<Line<K>>,
    /// v, by place.
    w: Vec<Of<f64, K>>,
    multiplied: Option<Multiplied<K>>,
    c: f64,
    random: Random,
}

/// What an epoch saw of a lane: the sums over rows of their gaps and of their conjugates, each when its row was visited.
struct Seen<const K: usize> {
    gap: Of<f64, K>,
    conjugate: Of<f64, K>,
}

impl<'a, const K: usize> Lanes<'a, K> {
    /// Some lanes of a problem, from 1 to K.
    pub fn new(problem: &Problem<'a>, rules: &Rules, lanes: &[Lane], folds: &[u32]) -> Self {
        let (matrix, width) = (problem.matrix, lanes.len());
        let signs = |row: usize| each(|k| lanes.get(k).map_or(0, |lane| problem.sign(lane, folds, row)));
        let multiplied = rules.ratios.map(|ratios| Multiplied::new(ratios, matrix, signs));
        let rows: Vec<u32> = (0..matrix.rows() as u32).filter(|&row| signs(row as usize) != [0; K]).collect();
        let line = |&row: &u32| {
            let row = row as usize;
            let (sign, (start, end)) = (signs(row), matrix.range(row));
            let (norm, own) = match &multiplied {
                Some(multiplied) => multiplied.norm(matrix, row, &sign),
                None => ([matrix.norm(row).0; K], [matrix.norm(row).1; K]),
            };
            Line { alpha: [0.0; K], conjugate: [0.0; K], norm, own, sign, c: problem.cost[row], start, end }
        };
        let lines = rows.iter().map(line).collect();
        let (w, random) = (full(matrix.places(), [0.0; K]), Random::new(rules.seed, lanes[0].output));
        Lanes { matrix, width, rows, lines, w, multiplied, c: 1.0, random }
    }

    /// One visit of all rows. `squared` is kept |w|^2.
    #[inline(always)]
    fn epoch(&mut self, order: &mut [u32], squared: &mut Of<f64, K>) -> Seen<K> {
        self.random.shuffle(order);
        let entries = self.matrix.entries.as_slice();
        let mut seen = Seen { gap: [0.0; K], conjugate: [0.0; K] };
        for (at, &number) in order.iter().enumerate() {
            self.fetch(order, at);
            let line = &mut self.lines[number as usize];
            let row = &entries[line.start..line.end];
            let sign: Of<f64, K> = each(|k| f64::from(line.sign[k]));
            let dots = dot(&self.w, row);
            let margin: Of<f64, K> = each(|k| sign[k] * dots[k] + line.alpha[k] * line.own[k]);
            let c: Of<f64, K> = each(|k| line.c * sign[k].abs());
            let gap = logistic::gap(&line.alpha, &margin, &c);
            let (alpha, conjugate) = logistic::best(&line.alpha, &margin, &line.norm, &c);
            let change: Of<f64, K> = each(|k| alpha[k] - line.alpha[k]);
            for k in 0..K {
                seen.gap[k] += gap[k];
                seen.conjugate[k] += line.conjugate[k];
                squared[k] += change[k] * (2.0 * margin[k] + change[k] * line.norm[k]);
            }
            (line.alpha, line.conjugate) = (alpha, conjugate);
            let times = each(|k| change[k] * sign[k]);
            match &self.multiplied {
                Some(multiplied) => multiplied.add(&mut self.w, row, &times),
                None => add(&mut self.w, row, &times),
            }
        }
        seen
    }

    /// Asks for the rows that come next: the second's line, the first's entries.
    #[inline(always)]
    fn fetch(&self, order: &[u32], at: usize) {
        if let Some(&number) = order.get(at + 4) {
            let line = &self.lines[number as usize];
            prefetch(&line.alpha);
            prefetch(&line.conjugate);
            prefetch(&line.norm);
            prefetch(&line.own);
            prefetch(&line.start);
        }
        if let Some(&number) = order.get(at + 1) {
            let line = &self.lines[number as usize];
            self.matrix.entries[line.start..line.end].iter().step_by(8).take(8).for_each(prefetch::<Entry>);
        }
    }

    /// The objectives and the gaps, in truth.
    #[inline(always)]
    fn judge(&self) -> (Of<f64, K>, Of<f64, K>) {
        let (mut cost, mut conjugate) = ([0.0; K], [0.0; K]);
        for line in &self.lines {
            let dots = dot(&self.w, &self.matrix.entries[line.start..line.end]);
            for k in 0..K {
                let (sign, alpha) = (f64::from(line.sign[k]), line.alpha[k]);
                let c = line.c * sign.abs();
                cost[k] += Logistic::cost(sign * dots[k] + alpha * line.own[k], c);
                conjugate[k] += logistic::conjugate(alpha, c);
            }
        }
        let squared = self.squared();
        (each(|k| 0.5 * squared[k] + cost[k]), each(|k| squared[k] + cost[k] + conjugate[k]))
    }

    /// |w|^2, the terms that only one row has with it.
    fn squared(&self) -> Of<f64, K> {
        let mut squared = match &self.multiplied {
            Some(multiplied) => multiplied.squared(&self.w),
            None => self.w.iter().fold([0.0; K], |sum, w| each(|k| sum[k] + w[k] * w[k])),
        };
        for line in &self.lines {
            (0..K).for_each(|k| squared[k] += line.alpha[k] * line.alpha[k] * line.own[k]);
        }
        squared
    }

    /// All dual variables times the factor that is best for the dual, each lane's own.
    fn scale(&mut self, factors: &[f64]) {
        let squared = self.squared();
        let (mut best, mut most) = ([1.0; K], [f64::NEG_INFINITY; K]);
        for &by in factors {
            let mut dual: Of<f64, K> = each(|k| -0.5 * by * by * squared[k]);
            for line in &self.lines {
                (0..K).for_each(|k| dual[k] -= logistic::conjugate(by * line.alpha[k], line.c));
            }
            for k in 0..K {
                if dual[k] > most[k] {
                    (most[k], best[k]) = (dual[k], by);
                }
            }
        }
        self.lines.iter_mut().for_each(|line| line.alpha = each(|k| line.alpha[k] * best[k]));
        self.w.iter_mut().for_each(|w| *w = each(|k| w[k] * best[k]));
    }

    /// Costs grow or shrink: where they grow, dual variables may grow with them, or stay.
    fn change_cost(&mut self, c: f64) {
        let ratio = c / self.c;
        self.c = c;
        self.lines.iter_mut().for_each(|line| line.c *= ratio);
        if self.lines.iter().any(|line| line.alpha != [0.0; K]) && ratio != 1.0 {
            let factors = [0.0, 0.25, 0.5, 0.75, 1.0].map(|power| ratio.powf(power));
            self.scale(if ratio > 1.0 { &factors } else { &factors[4..] });
        }
    }

    /// The weights of rows as they are, by place; terms that a single row has are not among them.
    pub fn shared(&self) -> Cow<'_, [Of<f64, K>]> {
        match &self.multiplied {
            Some(multiplied) if multiplied.beta < 1.0 => {
                Cow::Owned(multiplied.interpolated(self.matrix, &self.w, &self.sizes(multiplied)))
            }
            _ => Cow::Borrowed(&self.w),
        }
    }

    /// The mean |w_j| of each lane, of the multiplied rows.
    fn sizes(&self, multiplied: &Multiplied<K>) -> Of<f64, K> {
        let mut sum = multiplied.sizes(self.matrix, &self.w);
        for (line, &row) in self.lines.iter().zip(&self.rows) {
            let own: f64 = self.matrix.own(row as usize).iter().map(|entry| f64::from(entry.value).abs()).sum();
            (0..K).for_each(|k| sum[k] += line.alpha[k] * own * multiplied.of_own(line.sign[k], k).abs());
        }
        each(|k| sum[k] / multiplied.known[k].max(1) as f64)
    }
}

impl<const K: usize> Solver for Lanes<'_, K> {
    fn start(&mut self, weights: &[f64], c: f64) {
        self.change_cost(c);
        for (line, &row) in self.lines.iter_mut().zip(&self.rows) {
            let mut scores = [0.0; K];
            for entry in self.matrix.row(row as usize) {
                let of_term = &weights[entry.place as usize * self.width..][..self.width];
                scores.iter_mut().zip(of_term).for_each(|(score, w)| *score += f64::from(entry.value) * w);
            }
            let sign: Of<f64, K> = each(|k| f64::from(line.sign[k]));
            line.alpha = each(|k| line.c * sign[k].abs() / (1.0 + exp(sign[k] * scores[k])));
            let times = each(|k| line.alpha[k] * sign[k]);
            let row = &self.matrix.entries[line.start..line.end];
            match &self.multiplied {
                Some(multiplied) => multiplied.add(&mut self.w, row, &times),
                None => add(&mut self.w, row, &times),
            }
        }
        self.scale(&[1.0, 0.5, 0.25, 0.0]);
    }

    fn solve(&mut self, c: f64, rules: &Rules, tell: Tell<'_>) -> Option<Vec<Solved>> {
        self.change_cost(c);
        for line in &mut self.lines {
            line.conjugate = each(|k| logistic::conjugate(line.alpha[k], line.c));
        }
        let (mut squared, mut share) = (self.squared(), [USUAL_SHARE; K]);
        let mut order: Vec<u32> = (0..self.lines.len() as u32).collect();
        for epoch in 1..=rules.epochs {
            let seen = wide::run(
                #[inline(always)]
                || self.epoch(&mut order, &mut squared),
            );
            let objective = |k: usize| seen.gap[k] - seen.conjugate[k] - 0.5 * squared[k];
            let is_near = |k: usize| share[k] * seen.gap[k] <= rules.tolerance * objective(k).abs();
            let worst = (0..K).max_by(|&a, &b| seen.gap[a].total_cmp(&seen.gap[b])).unwrap_or(0);
            if tell(epoch, objective(worst), seen.gap[worst]) {
                return None;
            }
            if !(0..K).all(is_near) && epoch < rules.epochs {
                continue;
            }
            let (objective, gap) = wide::run(
                #[inline(always)]
                || self.judge(),
            );
            if (0..K).all(|k| gap[k] <= rules.tolerance * objective[k].abs()) || epoch == rules.epochs {
                let solved = |k| Solved { objective: objective[k], gap: gap[k], epochs: epoch };
                return Some((0..self.width).map(solved).collect());
            }
            share = each(|k| if gap[k] < seen.gap[k] { gap[k] / seen.gap[k] } else { USUAL_SHARE });
        }
        None
    }

    fn scores(&self, rows: &[u32]) -> Vec<f64> {
        let weights = self.shared();
        let score = |&row: &u32| dot(&weights, self.matrix.shared(row as usize)).into_iter().take(self.width);
        rows.iter().flat_map(score).collect()
    }

    fn weights(&self) -> Vec<f64> {
        let mut weights = self.matrix.spread(self.shared().as_flattened(), K);
        let sizes = self.multiplied.as_ref().filter(|of| of.beta < 1.0).map_or([0.0; K], |of| self.sizes(of));
        for (line, &row) in self.lines.iter().zip(&self.rows) {
            for entry in self.matrix.own(row as usize) {
                let of_term = &mut weights[entry.place as usize * K..][..K];
                for (k, w) in of_term.iter_mut().enumerate() {
                    let fitted = line.alpha[k] * f64::from(line.sign[k]) * f64::from(entry.value);
                    *w = match &self.multiplied {
                        Some(multiplied) => multiplied.weight(multiplied.of_own(line.sign[k], k), fitted, sizes[k]),
                        None => fitted,
                    };
                }
            }
        }
        weights.chunks_exact(K).flat_map(|of_term| &of_term[..self.width]).copied().collect()
    }
}
/// A number for each lane.
#[inline(always)]
fn each<T: Copy + Default, const K: usize>(of: impl Fn(usize) -> T) -> Of<T, K> {
    let mut all = [T::default(); K];
    (0..K).for_each(|k| all[k] = of(k));
    all
}

/// Weights times a row.
#[inline(always)]
pub(super) fn dot<const K: usize>(weights: &[Of<f64, K>], row: &[Entry]) -> Of<f64, K> {
    let (pairs, rest) = row.as_chunks::<2>();
    let (mut one, mut other) = ([0.0; K], [0.0; K]); // a single sum would wait for each addition
    for [a, b] in pairs {
        let (u, v) = (&weights[a.place as usize], &weights[b.place as usize]);
        for k in 0..K {
            one[k] += u[k] * f64::from(a.value);
            other[k] += v[k] * f64::from(b.value);
        }
    }
    for entry in rest {
        let w = &weights[entry.place as usize];
        (0..K).for_each(|k| one[k] += w[k] * f64::from(entry.value));
    }
    each(|k| one[k] + other[k])
}

/// Adds so many times a row to weights.
#[inline(always)]
fn add<const K: usize>(weights: &mut [Of<f64, K>], row: &[Entry], times: &Of<f64, K>) {
    for entry in row {
        let w = &mut weights[entry.place as usize];
        (0..K).for_each(|k| w[k] += times[k] * f64::from(entry.value));
    }
}
