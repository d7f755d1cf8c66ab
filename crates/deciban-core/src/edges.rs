//! Runs of words that reach the edges of a text: its start and its end stand among the words as two more.

use std::ops::RangeInclusive;

use crate::read::{Found, Visit, each_gram};
use crate::table::{Node, Short};

/// The name of a text's start among the words of an n-gram.
pub const START: &str = "\t<s>";
/// The name of a text's end among the words of an n-gram.
pub const END: &str = "\t</s>";

/// Shows the n-grams of the words that stand in some bytes, and of the edges around them.
pub(crate) fn edged_grams(
    bytes: &[u8],
    words: &[Found],
    lengths: &RangeInclusive<usize>,
    nodes: &mut Vec<Option<Node>>,
    visit: &mut impl Visit,
) {
    if words.is_empty() {
        return;
    }
    let (low, high) = (*lengths.start(), *lengths.end());
    nodes.clear();
    nodes.push(edge(START, visit));
    nodes.extend(words.iter().map(|word| word.show(bytes, low == 1, visit)));
    nodes.push(edge(END, visit));
    each_gram(nodes, low, high, visit);
}

/// An edge is no term of its own, but part of some.
fn edge(name: &str, visit: &mut impl Visit) -> Option<Node> {
    let key = Short::after(name.as_bytes(), [0; 16], 0);
    visit.short(key, visit.trie().short.hash(key), false)
}
