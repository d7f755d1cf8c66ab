//! From text to terms to counts to scores: the loops of deciban over bytes, terms and non-zeros.
//!
//! Pure functions on flat buffers; no Python, no input or output, no panic on any input. The flow: [`tokens`] cuts a
//! text, [`accents`] are folded, [`stop`] leaves words out, [`terms`] names what is seen: runs of words, those that
//! reach the text's [`edges`] too, and of characters (`chars`); [`properties`] tell how it is written. `trie` numbers those names and `read` walks a text
//! through them, `names` where numbers do not do, as for [`hash`], which makes buckets of them; [`lexicon`] holds them
//! in canonical order, [`rows`] and [`scores`] read texts through it, [`pairs`] of terms add to scores, [`left_out`]
//! scores rows that are left out, [`many`] labels are asked by their postings, [`decision`] makes probabilities of
//! scores, which a [`calibration`] makes honest, in a tree of labels by [`descent`], [`counts`] are what is learnt, and [`tally`] learns them, the longest n-grams in `grams`; [`mixture`] has what
//! is expected of unlabelled texts; [`search`] tells which term to see next; [`fit`] solves for weights that no counts give; [`held`] are numbers that
//! may be somebody else's. [`vectorise`] makes what scikit-learn's vectorisers make.

pub mod accents;
mod by_label;
pub mod calibration;
mod characters;
mod chars;
pub mod counts;
pub mod decision;
pub mod descent;
pub mod edges;
pub mod elsewhere;
mod exp;
pub mod fit;
mod four;
mod frequent;
mod grams;
pub mod hash;
pub mod held;
pub mod left_out;
pub mod lexicon;
mod ln;
pub mod mail;
pub mod many;
pub mod mixture;
mod names;
mod near;
mod order;
pub mod pairs;
pub mod parts;
pub mod properties;
mod read;
pub mod reappearing;
pub mod rows;
pub mod scaled;
mod scan;
pub mod scores;
pub mod search;
pub mod seen;
pub mod stop;
mod table;
pub mod tally;
pub mod terms;
pub mod tokens;
mod trie;
pub mod vectorise;
mod wide;

/// Why flat buffers from outside were refused: one line that says what they should have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid(pub &'static str);

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Invalid {}
