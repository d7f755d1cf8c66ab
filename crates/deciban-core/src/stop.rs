//! Words that are not seen.

use std::sync::Arc;

use crate::read::{Finding, Found};
use crate::trie::Trie;

/// Words that leave a text before n-grams of the others are made.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    words: Vec<String>,
    trie: Option<Arc<Trie<()>>>,
}

impl<'a> FromIterator<&'a str> for Stop {
    fn from_iter<I: IntoIterator<Item = &'a str>>(words: I) -> Self {
        let mut words: Vec<String> = words.into_iter().filter(|word| !word.contains(' ')).map(str::to_string).collect();
        words.sort_unstable();
        words.dedup();
        let mut trie = Trie::new();
        words.iter().for_each(|word| trie.set(word, ()));
        Stop { trie: (!words.is_empty()).then(|| Arc::new(trie)), words }
    }
}

impl PartialEq for Stop {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for Stop {}

impl Stop {
    /// Whether all words are seen.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.trie.is_none()
    }

    /// Drops the places of such words in some bytes.
    #[inline]
    pub(crate) fn leave(&self, bytes: &[u8], words: &mut Vec<(usize, usize)>) {
        if let Some(trie) = &self.trie {
            let mut known = Finding { trie: &**trie, emit: |()| () };
            words.retain(|&(start, end)| {
                Found::new(trie.short.seed(), bytes, start, end).show(bytes, false, &mut known).is_none()
            });
        }
    }
}
