//! Any text, cut in any way: every term's span is a piece of the text, and what is counted is what is seen.
#![no_main]

use std::collections::BTreeMap;

use deciban_core::tally::Tally;
use deciban_core::terms::Terms;
use deciban_core::tokens::Tokens;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, u8, u8, &str)| {
    let (kind, words, chars, more, text) = input;
    let tokens = [Tokens::Word, Tokens::Unicode, Tokens::Whitespace][kind as usize % 3];
    let lengths = |n: u8| (n % 6 > 0).then(|| (n % 6) as usize..=(n % 6 + more % 3) as usize);
    let terms = Terms { tokens, words: lengths(words), chars: lengths(chars), ..Terms::default() };
    let mut seen = BTreeMap::new();
    for term in terms.seen(text) {
        assert!(!text[term.span].is_empty());
        *seen.entry(term.name).or_insert(0_i64) += 1;
    }
    let mut tally = Tally::new(terms, 1);
    tally.add(&[text], &[0], || false).expect("one text is never too many");
    let (counts, _) = tally.take(&[0]).expect("one label has the number 0");
    let counted = counts.names.iter().map(str::to_string).zip(counts.occurrences.iter().copied());
    assert!(seen.into_iter().eq(counted));
});
