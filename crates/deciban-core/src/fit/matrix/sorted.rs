//! A row's terms, sorted into those that other rows have too and those that they have not.

use super::{ALONE, Entry};
use crate::near::prefetch;

/// How many terms ahead what is known of them is asked for: in a large lexicon, each look would wait for memory.
const AHEAD: usize = 32;

/// Asks for what is known of a term that comes soon.
#[inline]
pub(super) fn ahead(term: &[u32], at: usize, known: &[u32]) {
    if let Some(&next) = term.get(at + AHEAD) {
        prefetch(&known[next as usize]);
    }
}

/// A row under way. Each term is written to both sides and stays on one: which it will be, no processor can guess.
pub(super) struct Sorted {
    shared: Vec<Entry>,
    own: Vec<Entry>,
    lengths: (usize, usize),
}

impl Sorted {
    /// With room for the longest row, and a constant.
    pub fn new(indptr: &[i64]) -> Self {
        let longest = indptr.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as usize;
        let room = vec![Entry { place: 0, value: 0.0 }; longest + 1];
        Sorted { shared: room.clone(), own: room, lengths: (0, 0) }
    }

    #[inline]
    pub fn push(&mut self, place: u32, column: u32, value: f32) {
        let (shared, own) = self.lengths;
        self.shared[shared] = Entry { place, value };
        self.own[own] = Entry { place: column, value };
        let is_own = usize::from(place == ALONE);
        self.lengths = (shared + 1 - is_own, own + is_own);
    }

    /// Both sides; the next term begins a new row.
    #[inline]
    pub fn taken(&mut self) -> (&[Entry], &[Entry]) {
        let (shared, own) = std::mem::take(&mut self.lengths);
        (&self.shared[..shared], &self.own[..own])
    }
}
