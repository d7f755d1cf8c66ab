//! The labels that were met in a text, and the greatest scores among them; kept from text to text.

use super::Scored;

/// The labels that were met in the text at hand, and their scores.
#[derive(Debug, Default)]
pub(super) struct Met {
    epoch: u32,
    epochs: Vec<u32>,
    pub(super) scores: Vec<f64>,
    pub(super) labels: Vec<u32>,
}

impl Met {
    pub(super) fn clear(&mut self, labels: usize) {
        self.labels.clear();
        self.epoch = self.epoch.wrapping_add(1);
        if self.epochs.len() != labels || self.epoch == 0 {
            (self.epoch, self.epochs, self.scores) = (1, vec![0; labels], vec![0.0; labels]);
        }
    }

    #[inline]
    pub(super) fn has(&self, label: u32) -> bool {
        self.epochs[label as usize] == self.epoch
    }

    /// All labels are met, and score this.
    pub(super) fn add_all(&mut self, scores: &[f64]) {
        self.epochs.fill(self.epoch);
        self.labels.extend(0..scores.len() as u32);
        self.scores.copy_from_slice(scores);
    }

    /// Whether a label is new; from now on it is not.
    #[inline]
    pub(super) fn add(&mut self, label: u32) -> bool {
        let is_new = !self.has(label);
        if is_new {
            self.epochs[label as usize] = self.epoch;
            self.labels.push(label);
        }
        is_new
    }
}

/// The greatest so far, in falling order; of equal ones the first label.
#[derive(Debug, Default)]
pub(super) struct Greatest {
    pub(super) found: Vec<Scored>,
    pub(super) most: usize,
}

impl Greatest {
    pub(super) fn clear(&mut self, most: usize) {
        self.found.clear();
        self.most = most;
    }

    /// What is to be beaten, or equalled by an earlier label.
    #[inline]
    pub(super) fn least(&self) -> f64 {
        if self.found.len() < self.most { f64::NEG_INFINITY } else { self.found[self.most - 1].1 }
    }

    #[inline]
    pub(super) fn offer(&mut self, label: u32, score: f64) {
        if score >= self.least() {
            let is_before = |&(other, found): &Scored| found > score || (found == score && other < label);
            self.found.insert(self.found.partition_point(is_before), (label, score));
            self.found.truncate(self.most);
        }
    }
}
