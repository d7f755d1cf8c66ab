//! Rows with labels -> weights, by solvers: what naive Bayes has in closed form, others have to search for.
//!
//! Minimised is a penalty plus the sum of what rows cost, c_i l(...), where c_i is C times the row's own cost. Losses of
//! one margin (`loss`) see a label against the rest: a job a label, one job where there are two labels. `joint` losses see
//! all labels at once. Penalties: L2, by the dual (`dual`, `joint`), and the elastic net with L1, by columns (`sparse`).
//! A constant of the bias is a column like others, penalised with them; the larger its value, the less.
//!
//! What is done for which rows, labels and C's stands in `jobs`.

mod dual;
mod folded;
mod jobs;
mod joint;
mod lanes;
mod loss;
mod matrix;
mod random;
mod ratios;
mod simplex;
mod sparse;

use crate::Invalid;
use dual::Dual;
pub use folded::{Duals, Folded, folded, weights};
pub use jobs::{fit, held_out, least_c};
use joint::Joint;
use lanes::Lanes;
pub use matrix::Matrix;
use random::Random;
use ratios::Multiplied;
pub use ratios::Ratios;
use sparse::Sparse;

/// Above this, numbers of costs are not taken for costs.
const GREATEST: f64 = 1e15;
/// How much of the gap that an epoch sees is left at its end, as a rule.
const USUAL_SHARE: f64 = 0.5;

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

/// The labels of rows.
#[derive(Debug, Clone, Copy)]
pub enum Labels<'a> {
    /// Each row has one.
    One(&'a [u32]),
    /// Each row has any number: those from its end to the next, rising. For losses of one margin.
    Several {
        /// Where the labels of each row begin, and where the last ones end.
        ends: &'a [i64],
        /// All of them.
        label: &'a [u32],
    },
}

impl<'a> Labels<'a> {
    /// The labels of a row.
    fn of(&self, row: usize) -> &'a [u32] {
        match *self {
            Labels::One(label) => &label[row..=row],
            Labels::Several { ends, label } => &label[ends[row] as usize..ends[row + 1] as usize],
        }
    }

    fn is_one(&self) -> bool {
        matches!(self, Labels::One(_))
    }

    fn are_of(&self, rows: usize) -> bool {
        match *self {
            Labels::One(label) => label.len() == rows,
            Labels::Several { ends, label } => {
                ends.len() == rows + 1
                    && ends[0] == 0
                    && ends.windows(2).all(|pair| pair[0] <= pair[1])
                    && ends[rows] == label.len() as i64
                    && (0..rows).all(|row| self.of(row).windows(2).all(|pair| pair[0] < pair[1]))
            }
        }
    }

    fn all(&self) -> &'a [u32] {
        match *self {
            Labels::One(label) | Labels::Several { label, .. } => label,
        }
    }
}

/// Rows, the labels of each, and how much each counts.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The rows.
    pub matrix: &'a Matrix,
    /// The labels of each row.
    pub label: Labels<'a>,
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
    /// Whether rows are multiplied with log-count ratios, each job's own.
    pub ratios: Option<Ratios>,
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

impl Rules {
    /// How many of so many problems of one margin are solved side by side at most.
    fn lanes(&self, problems: usize) -> usize {
        match problems {
            _ if self.loss != Loss::Logistic || self.l1 > 0.0 => 1,
            0..=8 => 4,
            _ => 8,
        }
    }
}

/// A weight vector of its own: an output, learnt from the rows that are not in a fold.
#[derive(Debug, Clone, Copy)]
struct Lane {
    output: usize,
    fold: Option<u32>,
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
    fn solve(&mut self, c: f64, rules: &Rules, tell: Tell<'_>) -> Option<Vec<Solved>>;
    /// The scores of rows, one number an output: of those, where they are not learnt from.
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
        if self.labels == 2 && self.label.is_one() && !loss.is_joint() { 1 } else { self.labels }
    }

    fn check(&self, cs: &[f64], rules: &Rules) -> Result<(), Invalid> {
        let rows = self.matrix.rows();
        if !self.label.are_of(rows) || self.cost.len() != rows {
            return Err(Invalid("the labels or the costs do not fit the rows"));
        }
        let fewest = if self.label.is_one() { 2 } else { 1 };
        if self.labels < fewest || self.label.all().iter().any(|&label| label as usize >= self.labels) {
            return Err(Invalid("there are fewer than two labels, or labels that are none of them"));
        }
        if !self.label.is_one() && rules.loss.is_joint() {
            return Err(Invalid("a row of any number of labels is no row of a loss of all labels"));
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
        let may_be_ratio = |ratios: Ratios| {
            !rules.loss.is_joint()
                && ratios.alpha > 0.0
                && ratios.alpha <= GREATEST
                && (0.0..=1.0).contains(&ratios.beta)
        };
        if !rules.ratios.is_none_or(may_be_ratio) {
            return Err(Invalid("ratios are of a label against the rest, their alpha above 0, their beta from 0 to 1"));
        }
        if rules.tolerance.is_nan() || rules.tolerance < 0.0 || rules.epochs == 0 {
            return Err(Invalid("the tolerance is at least 0, and there is at least one epoch"));
        }
        Ok(())
    }

    /// The same with other rows.
    fn with<'b>(&self, matrix: &'b Matrix) -> Problem<'b>
    where
        Self: 'b,
    {
        Problem { matrix, ..*self }
    }

    /// What a row is to a lane: of its label (1), of the others (-1), or not learnt from (0).
    fn sign(&self, lane: &Lane, folds: &[u32], row: usize) -> i8 {
        let positive = if self.outputs(Loss::Logistic) == 1 && self.labels == 2 { 1 } else { lane.output as u32 };
        let is_learnt = self.cost[row] > 0.0 && lane.fold.is_none_or(|fold| folds[row] != fold);
        if is_learnt { if self.label.of(row).binary_search(&positive).is_ok() { 1 } else { -1 } } else { 0 }
    }

    /// The rows of a single lane multiplied with its ratios, where there are some; several see to that themselves.
    fn multiplied(&self, rules: &Rules, lanes: &[Lane], folds: &[u32]) -> Option<Multiplied> {
        let &[lane] = lanes else { return None };
        let side = |row: usize| Some(self.sign(&lane, folds, row)).filter(|&sign| sign != 0).map(|sign| sign > 0);
        rules.ratios.map(|ratios| Multiplied::new(ratios, self.matrix, side))
    }

    /// The solver of a job.
    fn solver<'b>(&'b self, rules: &Rules, lanes: &[Lane], folds: &[u32]) -> Box<dyn Solver + 'b> {
        match lanes.len() {
            2..=4 if !rules.loss.is_joint() => return Box::new(Lanes::<4>::new(self, rules, lanes, folds)),
            2.. if !rules.loss.is_joint() => return Box::new(Lanes::<8>::new(self, rules, lanes, folds)),
            _ => {}
        }
        let first = lanes.first().copied().unwrap_or(Lane { output: 0, fold: None });
        let learns = |&row: &u32| self.sign(&first, folds, row as usize) != 0;
        let rows: Vec<u32> = (0..self.matrix.rows() as u32).filter(learns).collect();
        let sign = |row: usize| f64::from(self.sign(&first, folds, row));
        let (labels, random) = ((self.label.all(), self.labels), Random::new(rules.seed, first.output));
        match (rules.loss, rules.l1 > 0.0) {
            (Loss::Softmax, _) => {
                Box::new(Joint::<simplex::Softmax>::new(self.matrix, rows, labels, self.cost, random))
            }
            (Loss::Multiclass, _) => {
                Box::new(Joint::<simplex::Multiclass>::new(self.matrix, rows, labels, self.cost, random))
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
