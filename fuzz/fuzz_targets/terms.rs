//! Any text, cut in any way: every term's span is a piece of the text, and what is counted is what is seen.
#![no_main]

use std::collections::BTreeMap;

mod settings;

use deciban_core::tally::Tally;
use libfuzzer_sys::fuzz_target;
use settings::Settings;

fuzz_target!(|input: (Settings, &str)| {
    let (settings, text) = input;
    let terms = settings.terms();
    let mut seen = BTreeMap::new();
    for term in terms.seen(text) {
        assert!(!text[term.span].is_empty());
        *seen.entry(terms.known_as(&term.name)).or_insert(0_i64) += 1;
    }
    let mut tally = Tally::new(terms, 1);
    tally.add(&[text], &[0], || false).expect("one text is never too many");
    let (counts, _) = tally.take(&[0]).expect("one label has the number 0");
    let counted = counts.names.iter().map(str::to_string).zip(counts.occurrences.iter().copied());
    assert!(seen.into_iter().eq(counted));
});
