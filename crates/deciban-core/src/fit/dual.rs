//! One weight vector with an L2 penalty, by dual coordinate descent with shrinking (Hsieh et al. 2008; for the logistic
//! loss Yu, Huang and Lin 2011).
//!
//! Minimised is |w|^2 / 2 + sum_i c_i l(y_i w . x_i). A row's dual variable alpha_i is brought to its best, one row after
//! the other, while w = sum_i alpha_i y_i x_i is kept. What each row adds to the duality gap is known when it is visited;
//! once the sum of that looks small enough, the gap is computed in truth, over all rows.

mod near;

use std::marker::PhantomData;

use super::loss::Loss;
use super::matrix::{Entry, Matrix, add, dot};
use super::random::Random;
use super::{Rules, Solved, Solver, Tell, USUAL_SHARE};
use crate::near::{full, prefetch};
use crate::wide;
pub(super) use near::Near;

/// So many weights stay near by themselves.
const NEARBY: usize = 1 << 17;

/// So many numbers are computed side by side.
const AT_ONCE: usize = 64;

/// What belongs to a row, in one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line {
    alpha: f64,
    /// Where a visit begins to look.
    hint: f64,
    c: f64,
    norm: f64,
    /// The part of the norm of terms that only this row has.
    own: f64,
    start: usize,
    length: u32,
    sign: f32,
}

impl Line {
    #[inline]
    fn sign(&self) -> f64 {
        f64::from(self.sign)
    }

    #[inline]
    fn row<'a>(&self, matrix: &'a Matrix) -> &'a [Entry] {
        &matrix.entries[self.start..self.start + self.length as usize]
    }
}

/// A problem under way.
pub(super) struct Dual<'a, L> {
    matrix: &'a Matrix,
    /// The rows that are learnt from, and what belongs to them.
    rows: Vec<u32>,
    lines: Vec<Line>,
    /// By place.
    w: Vec<f64>,
    c: f64,
    random: Random,
    loss: PhantomData<L>,
}

/// What the dual is made of, kept as dual variables change: |w|^2, and the sum of all conjugates.
struct Kept {
    squared: f64,
    conjugates: f64,
}

impl Kept {
    fn dual(&self) -> f64 {
        -self.conjugates - 0.5 * self.squared
    }
}

/// Slopes beyond which rows at a bound are left alone for now; before anything is known, none are.
struct Shrink {
    most: f64,
    least: f64,
}

impl Shrink {
    fn none() -> Self {
        Shrink { most: f64::INFINITY, least: f64::NEG_INFINITY }
    }
}

impl<'a, L: Loss> Dual<'a, L> {
    /// Learns from rows with signs 1 or -1, each of which counts `cost` times, all costs above 0.
    pub fn new(matrix: &'a Matrix, rows: Vec<u32>, sign: impl Fn(usize) -> f64, cost: &[f64], random: Random) -> Self {
        let line = |&row: &u32| {
            let row = row as usize;
            let ((norm, own), (start, end)) = (matrix.norm(row), matrix.range(row));
            let (length, sign) = ((end - start) as u32, sign(row) as f32);
            Line { alpha: 0.0, hint: 0.0, c: cost[row], norm, own, start, length, sign }
        };
        let lines = rows.iter().map(line).collect();
        Dual { matrix, rows, lines, w: full(matrix.places(), 0.0), c: 1.0, random, loss: PhantomData }
    }

    /// |w|^2, the terms that only one row has with it.
    fn squared(&self) -> f64 {
        let own: f64 = self.lines.iter().map(|line| line.alpha * line.alpha * line.own).sum();
        own + self.w.iter().map(|w| w * w).sum::<f64>()
    }

    /// All dual variables times the factor that is best for the dual.
    fn scale(&mut self, factors: &[f64]) {
        let squared = self.squared();
        let dual = |by: f64| {
            let conjugate: f64 = self.lines.iter().map(|line| L::conjugate(by * line.alpha, line.c)).sum();
            -conjugate - 0.5 * by * by * squared
        };
        let best = factors.iter().copied().max_by(|&a, &b| dual(a).total_cmp(&dual(b))).unwrap_or(1.0);
        self.lines.iter_mut().for_each(|line| line.alpha *= best);
        self.w.iter_mut().for_each(|w| *w *= best);
    }

    /// Costs grow or shrink: where they grow, dual variables may grow with them, or stay.
    fn change_cost(&mut self, c: f64) {
        let ratio = c / self.c;
        self.c = c;
        self.lines.iter_mut().for_each(|line| line.c *= ratio);
        if self.lines.iter().any(|line| line.alpha != 0.0) && ratio != 1.0 {
            let factors = [0.0, 0.25, 0.5, 0.75, 1.0].map(|power| ratio.powf(power));
            self.scale(if ratio > 1.0 { &factors } else { &factors[4..] });
        }
    }

    /// Hints of dual variables that have changed.
    fn know(&mut self) {
        self.lines.iter_mut().for_each(|line| line.hint = L::hint(line.alpha, line.c));
    }

    /// One visit of the active rows; those that need no more for now leave them. Returned is the sum over rows of their
    /// gaps, each when its row was visited.
    fn epoch(&mut self, active: &mut Vec<u32>, shrink: &mut Shrink, now: &mut Kept) -> f64 {
        self.random.shuffle(active);
        let (mut seen, mut kept) = (0.0, 0);
        let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
        for at in 0..active.len() {
            self.fetch(active, at);
            let number = active[at];
            let line = &mut self.lines[number as usize];
            let row = line.row(self.matrix);
            let margin = line.sign() * dot(&self.w, row) + line.alpha * line.own;
            let slope = L::slope(line.alpha, margin, line.c);
            let (low, high) = L::bounds(line.c);
            let (is_low, is_high) = (line.alpha <= low, line.alpha >= high);
            if (is_low && slope > shrink.most) || (is_high && slope < shrink.least) {
                continue;
            }
            active[kept] = number;
            kept += 1;
            if (is_low && slope >= 0.0) || (is_high && slope <= 0.0) {
                seen += L::gap(line.alpha, margin, line.c);
                (most, least) = (most.max(0.0), least.min(0.0));
                continue;
            }
            (most, least) = (most.max(slope), least.min(slope));
            let found = L::visit(line.alpha, line.hint, margin, line.norm, line.c);
            seen += found.gap;
            let change = found.alpha - line.alpha;
            if change != 0.0 {
                now.squared += change * (2.0 * margin + change * line.norm);
                if !L::HAS_LOGARITHMS {
                    now.conjugates += L::conjugate(found.alpha, line.c) - L::conjugate(line.alpha, line.c);
                }
                (line.alpha, line.hint) = (found.alpha, found.hint);
                add(&mut self.w, row, change * line.sign());
            }
        }
        active.truncate(kept);
        shrink.most = if most > 0.0 { most } else { f64::INFINITY };
        shrink.least = if least < 0.0 { least } else { f64::NEG_INFINITY };
        if L::HAS_LOGARITHMS {
            now.conjugates = self.conjugates();
        }
        seen
    }

    /// Asks for the rows that come next: the fourth's line, the second's entries, and the first's weights, where those
    /// are too many to be near.
    #[inline]
    fn fetch(&self, active: &[u32], at: usize) {
        let line = |ahead: usize| active.get(at + ahead).map(|&number| &self.lines[number as usize]);
        if let Some(line) = line(4) {
            prefetch(line);
        }
        if let Some(line) = line(2) {
            line.row(self.matrix).iter().step_by(8).take(24).for_each(prefetch::<Entry>);
        }
        if let Some(line) = line(1).filter(|_| self.w.len() > NEARBY) {
            line.row(self.matrix).iter().for_each(|entry| prefetch(&self.w[entry.place as usize]));
        }
    }

    /// The sum over rows of what a number of each and its cost come to, many side by side.
    #[inline(always)]
    fn sum(&self, number: impl Fn(usize) -> f64, of: impl Fn(f64, f64) -> f64) -> f64 {
        let (mut sum, mut numbers, mut costs) = (0.0, [0.0; AT_ONCE], [1.0; AT_ONCE]);
        for (run, lines) in self.lines.chunks(AT_ONCE).enumerate() {
            for (at, line) in lines.iter().enumerate() {
                (numbers[at], costs[at]) = (number(run * AT_ONCE + at), line.c);
            }
            for at in 0..AT_ONCE {
                numbers[at] = of(numbers[at], costs[at]);
            }
            for &number in &numbers[..lines.len()] {
                sum += number;
            }
        }
        sum
    }

    fn conjugates(&self) -> f64 {
        wide::run(
            #[inline(always)]
            || self.sum(|row| self.lines[row].alpha, L::conjugate),
        )
    }

    fn kept(&self) -> Kept {
        Kept { squared: self.squared(), conjugates: self.conjugates() }
    }

    fn margin(&self, line: &Line) -> f64 {
        line.sign() * dot(&self.w, line.row(self.matrix)) + line.alpha * line.own
    }

    /// The objective and the gap, in truth.
    fn judge(&self) -> (f64, f64) {
        let margins: Vec<f64> = self.lines.iter().map(|line| self.margin(line)).collect();
        self.judged(&margins)
    }

    /// The same, by the rows' margins.
    fn judged(&self, margins: &[f64]) -> (f64, f64) {
        let cost = wide::run(
            #[inline(always)]
            || self.sum(|row| margins[row], L::cost),
        );
        let now = self.kept();
        let objective = 0.5 * now.squared + cost;
        (objective, objective - now.dual())
    }
}

impl<L: Loss> Solver for Dual<'_, L> {
    fn start(&mut self, weights: &[f64], c: f64) {
        self.change_cost(c);
        for (line, &row) in self.lines.iter_mut().zip(&self.rows) {
            let score: f64 =
                self.matrix.row(row as usize).map(|entry| f64::from(entry.value) * weights[entry.place as usize]).sum();
            line.alpha = L::seed(line.sign() * score, line.c);
            add(&mut self.w, line.row(self.matrix), line.alpha * line.sign());
        }
        self.scale(&[1.0, 0.5, 0.25, 0.0]);
    }

    fn solve(&mut self, c: f64, rules: &Rules, tell: Tell<'_>) -> Option<Vec<Solved>> {
        self.change_cost(c);
        self.know();
        let (mut shrink, mut now) = (Shrink::none(), self.kept());
        let mut active: Vec<u32> = (0..self.lines.len() as u32).collect();
        let (mut share, mut before) = (None, f64::INFINITY);
        for epoch in 1..=rules.epochs {
            let seen = self.epoch(&mut active, &mut shrink, &mut now);
            let objective = seen + now.dual();
            if tell(epoch, objective, seen) {
                return None;
            }
            let fell = if active.len() < self.lines.len() { 1.0 } else { seen / before };
            before = seen;
            let left = share.unwrap_or(L::share_left(fell));
            if left * seen > rules.tolerance * objective.abs() && epoch < rules.epochs {
                continue;
            }
            let (objective, gap) = self.judge();
            if gap <= rules.tolerance * objective.abs() || epoch == rules.epochs {
                return Some(vec![Solved { objective, gap, epochs: epoch }]);
            }
            share = Some(gap / seen);
            if gap > seen {
                (share, shrink) = (Some(USUAL_SHARE), Shrink::none());
                active = (0..self.lines.len() as u32).collect();
            }
        }
        None
    }

    fn scores(&self, rows: &[u32]) -> Vec<f64> {
        rows.iter().map(|&row| dot(&self.w, self.matrix.shared(row as usize))).collect()
    }

    fn weights(&self) -> Vec<f64> {
        let mut weights = self.matrix.spread(&self.w, 1);
        for (line, &row) in self.lines.iter().zip(&self.rows) {
            add(&mut weights, self.matrix.own(row as usize), line.alpha * line.sign());
        }
        weights
    }
}
