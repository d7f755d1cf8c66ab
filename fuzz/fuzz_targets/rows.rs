//! Any lexicon and any texts: rows, dense scores and sparse scores tell the same.
#![no_main]

mod settings;

use deciban_core::lexicon::Lexicon;
use deciban_core::rows::rows;
use deciban_core::scores::{Scorecard, Scorer};
use deciban_core::tally::Tally;
use libfuzzer_sys::fuzz_target;
use settings::Settings;

fuzz_target!(|input: (Vec<&str>, Vec<&str>, bool, Settings)| {
    let (learnt, texts, binary, settings) = input;
    let terms = settings.terms();
    let mut tally = Tally::new(terms.clone(), 1);
    tally.add(&learnt, &vec![0; learnt.len()], || false).expect("few texts are never too many");
    let (counts, index) = tally.take(&[0][..usize::from(!learnt.is_empty())]).expect("one label has the number 0");
    let fresh = Lexicon::new(terms.clone(), counts.names.clone()).expect("few terms");
    let (terms_known, lexicon) = (counts.names.len(), Lexicon::new(terms, counts.names).expect("few terms"));
    let found = rows(&lexicon, &texts, 1);
    if let Some(index) = index {
        assert_eq!(found, rows(&fresh.indexed(index), &texts, 1));
    }
    assert_eq!(found, rows(&lexicon, &texts, 4));
    for labels in [2_usize, 70] {
        let card = Scorecard {
            bias: vec![1.0; labels],
            absent: vec![0.5; labels],
            indptr: counts.indptr.clone().into(),
            label: vec![0; counts.label.len()].into(),
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
