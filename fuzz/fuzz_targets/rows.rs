//! Any lexicon and any texts: rows, dense scores and sparse scores tell the same.
#![no_main]

use deciban_core::lexicon::Lexicon;
use deciban_core::rows::rows;
use deciban_core::scores::{Scorecard, Scorer};
use deciban_core::tally::Tally;
use deciban_core::terms::Terms;
use deciban_core::tokens::Tokens;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<&str>, Vec<&str>, bool, u8)| {
    let (learnt, texts, binary, chars) = input;
    let chars = (chars % 4 > 0).then_some(1..=(chars % 4) as usize);
    let terms = Terms { tokens: Tokens::Whitespace, words: Some(1..=2), chars, ..Terms::default() };
    let mut tally = Tally::new(terms.clone(), 1);
    tally.add(&learnt, &vec![0; learnt.len()], || false).expect("few texts are never too many");
    let (counts, _) = tally.take(&[0][..usize::from(!learnt.is_empty())]).expect("one label has the number 0");
    let (terms_known, lexicon) = (counts.names.len(), Lexicon::new(terms, counts.names).expect("few terms"));
    let found = rows(&lexicon, &texts, 1);
    assert_eq!(found, rows(&lexicon, &texts, 4));
    for labels in [2_usize, 70] {
        let card = Scorecard {
            bias: vec![1.0; labels],
            absent: vec![0.5; labels],
            indptr: counts.indptr.clone(),
            label: vec![0; counts.label.len()],
            weight: counts.occurrences.iter().map(|&n| n as f64).collect(),
            binary,
        };
        let scorer = Scorer::new(card, terms_known).expect("a scorecard of these very counts");
        let by_text = scorer.scores(&lexicon, &texts, 1);
        let by_row = scorer.scores_of_rows(&found.indptr, &found.term, &found.count).expect("rows of this lexicon");
        assert!(by_text.iter().zip(&by_row).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(1.0)));
        assert_eq!(scorer.best(&lexicon, &texts, 1).len(), texts.len());
    }
});
