//! The same problem, solved by rows near their margin; and folds of it, each from the solution of all rows.
//!
//! Where a label is rare, nearly all rows are beyond their margin, and have a dual variable of 0. So after a first solution
//! work goes to those with one and to as many that are nearest to theirs; all rows are looked at in between, and those that
//! turn out to be needed join. A fold is the solution without its rows, brought to its best by the near rows alone.

use super::{Dual, Line, Shrink};
use crate::fit::loss::Loss;
use crate::fit::matrix::add;
use crate::fit::{Rules, Solved, Solver, Tell, USUAL_SHARE};

/// So many rows are near at least, and so many times as many as have a dual variable.
const FEWEST: usize = 64;
const TIMES: usize = 2;

/// A problem, and how far each row is beyond its margin, once that is known.
pub(in crate::fit) struct Near<'a, L> {
    dual: Dual<'a, L>,
    slopes: Vec<f64>,
}

impl<'a, L: Loss> Near<'a, L> {
    pub fn new(dual: Dual<'a, L>) -> Self {
        Near { dual, slopes: Vec::new() }
    }

    /// Solves it for a C, from where it stands; nothing where it was told to stop.
    pub fn solve(&mut self, c: f64, rules: &Rules, tell: Tell<'_>) -> Option<Solved> {
        let dual = &mut self.dual;
        dual.change_cost(c);
        dual.know();
        let (mut now, mut epoch, mut share) = (dual.kept(), 0, USUAL_SHARE);
        loop {
            let (mut active, mut shrink) = (self.near(), Shrink::none());
            let seen = loop {
                epoch += 1;
                let seen = self.dual.epoch(&mut active, &mut shrink, &mut now);
                let objective = seen + now.dual();
                if tell(epoch, objective, seen) {
                    return None;
                }
                if share * seen <= rules.tolerance * objective.abs() || epoch >= rules.epochs {
                    break seen;
                }
            };
            let (objective, gap) = self.look();
            if gap <= rules.tolerance * objective.abs() || epoch >= rules.epochs {
                return Some(Solved { objective, gap, epochs: epoch });
            }
            share = (gap / seen).min(USUAL_SHARE);
        }
    }

    /// The rows that work goes to: all, as long as nothing is known.
    fn near(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..self.dual.lines.len() as u32).collect();
        if self.slopes.is_empty() {
            return rows;
        }
        let is_needed = |&row: &u32| self.dual.lines[row as usize].alpha > 0.0 || self.slopes[row as usize] < 0.0;
        let needed = rows.iter().copied().filter(is_needed).count();
        let most = (TIMES * needed).max(FEWEST);
        if most < rows.len() {
            let slope = |row: u32| if is_needed(&row) { f64::NEG_INFINITY } else { self.slopes[row as usize] };
            rows.select_nth_unstable_by(most, |&a, &b| slope(a).total_cmp(&slope(b)).then(a.cmp(&b)));
            rows.truncate(most);
            rows.sort_unstable();
        }
        rows
    }

    /// The objective and the gap, in truth; and how far rows are beyond their margins.
    fn look(&mut self) -> (f64, f64) {
        let dual = &self.dual;
        let margins: Vec<f64> = dual.lines.iter().map(|line| dual.margin(line)).collect();
        let slope = |(line, &margin): (&Line, &f64)| L::slope(line.alpha, margin, line.c);
        self.slopes = dual.lines.iter().zip(&margins).map(slope).collect();
        dual.judged(&margins)
    }

    /// The scores of some rows by what is learnt without them; they are those of the problem that `is_left_out` names.
    pub fn without(
        &self,
        is_left_out: impl Fn(u32) -> bool,
        held: &[u32],
        rules: &Rules,
        tell: Tell<'_>,
    ) -> Option<Vec<f64>> {
        let whole = &self.dual;
        let mut w = whole.w.clone();
        let mut kept: (Vec<u32>, Vec<Line>) = Default::default();
        for number in self.near() {
            let (row, line) = (whole.rows[number as usize], &whole.lines[number as usize]);
            if is_left_out(row) {
                add(&mut w, line.row(whole.matrix), -line.alpha * line.sign());
            } else {
                kept.0.push(row);
                kept.1.push(*line);
            }
        }
        let (rows, lines) = kept;
        let (matrix, c, random, loss) = (whole.matrix, whole.c, whole.random.clone(), whole.loss);
        let mut part = Dual::<L> { matrix, rows, lines, w, c, random, loss };
        part.solve(c, rules, tell)?;
        Some(part.scores(held))
    }

    /// The rows that weights are made of, and how often each is in them.
    pub fn duals(&self) -> Vec<(u32, f64)> {
        let of = self.dual.rows.iter().zip(&self.dual.lines).filter(|(_, line)| line.alpha != 0.0);
        of.map(|(&row, line)| (row, line.alpha * line.sign())).collect()
    }
}
