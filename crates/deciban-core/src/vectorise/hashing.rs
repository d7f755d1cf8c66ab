//! Texts -> a matrix whose columns are hashes of terms: scikit-learn's, MurmurHash3 (x86, 32 bits) with seed 0.

use crate::hash::murmur3;
use crate::names::each_name;
use crate::terms::Terms;
use crate::vectorise::vocabulary::{Finds, One};

/// Which column a term goes to, and with which sign.
#[derive(Debug, Clone)]
pub struct Hashing {
    /// What is seen of a text.
    pub terms: Terms,
    /// How many columns there are, below two billion.
    pub columns: u32,
    /// Whether a term counts as minus one where its hash is negative.
    pub signed: bool,
}

impl Hashing {
    /// Counts the terms of some texts into rows; `threads` as in [`crate::parts::cut`].
    pub fn count<T: AsRef<str> + Sync>(&self, texts: &[T], threads: usize, rows: &mut Finds) {
        let columns = self.columns.clamp(1, i32::MAX as u32);
        rows.add(texts, threads, |text, scratch, found| {
            each_name(&self.terms, text, scratch, |_, name, _| {
                let hash = murmur3(name) as i32;
                found.push(One::new(hash.unsigned_abs() % columns, self.signed && hash < 0));
            });
        });
    }
}
