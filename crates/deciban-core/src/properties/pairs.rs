//! Pairs of words that stand apart: each with the second and the third before it, and with the text's first.

use super::pieces::{Kind, Pieces};
use super::{PAIR, Tell};

/// How many words back.
const BACK: [usize; 2] = [2, 3];
/// The text's start, which is a word here: no word has such characters, and none has what stands between two.
const START: &str = "<s>";

/// Tells each pair at its last word.
pub(super) fn each(pieces: &Pieces, tell: &mut impl Tell) {
    let mut words: Vec<&str> = vec![START];
    for (at, item) in pieces.items().iter().enumerate().filter(|(_, item)| item.kind == Kind::Word) {
        let (word, span) = (pieces.form(at), item.start..item.end);
        for first in BACK.into_iter().filter_map(|back| words.len().checked_sub(back)) {
            tell(PAIR, format!("{}…{word}", words[first]).as_bytes(), span.clone());
        }
        if let Some(first) = words.get(1) {
            tell(PAIR, format!("{START} {first}…{word}").as_bytes(), span);
        }
        words.push(word);
    }
}
