//! Any buffers, as a model file may hold them: refused, or safe to use.
#![no_main]

mod settings;

use deciban_core::counts::Counts;
use deciban_core::lexicon::{Lexicon, Names};
use deciban_core::pairs::Pairs;
use deciban_core::rows::rows;
use deciban_core::scaled::{Counting, Group, Scaling};
use deciban_core::scores::{Scorecard, Scorer};
use libfuzzer_sys::fuzz_target;
use settings::Settings;

#[derive(Debug, arbitrary::Arbitrary)]
struct Buffers {
    bytes: Vec<u8>,
    offsets: Vec<i64>,
    documents: Vec<i64>,
    indptr: Vec<i64>,
    label: Vec<u32>,
    occurrences: Vec<i64>,
    presences: Vec<i64>,
    floats: Vec<f64>,
    binary: bool,
    pairs: (Vec<u32>, Vec<u32>, Vec<f64>),
    text: String,
    settings: Settings,
}

fuzz_target!(|found: Buffers| {
    let Ok(names) = Names::new(found.bytes, found.offsets) else { return };
    let lexicon = Lexicon::new(found.settings.terms(), names.clone()).expect("few terms");
    let texts = [found.text.as_str()];
    assert_eq!(rows(&lexicon, &texts, 1).indptr.len(), 2);
    for (place, name) in names.iter().enumerate() {
        assert_eq!(lexicon.place(name), Some(place));
    }
    let card = Scorecard {
        bias: vec![0.0; found.documents.len()],
        absent: vec![0.0; found.documents.len()],
        indptr: found.indptr.clone().into(),
        label: found.label.clone().into(),
        weight: found.floats.into(),
        binary: found.binary,
    };
    let (first, second, weight) = found.pairs;
    let groups = first.iter().map(|&kinds| Group { counting: Counting::Log, kinds }).collect();
    if let Ok(scorer) = Scorer::scaled(card.clone(), Scaling { length: weight.clone(), groups }, &lexicon) {
        scorer.scores(&lexicon, &texts, 1);
    }
    if let Ok(scorer) = Scorer::new(card, names.len()) {
        scorer.scores(&lexicon, &texts, 1);
        if let Ok(paired) = scorer.with_pairs(Pairs { first, second, weight }) {
            paired.scores(&lexicon, &texts, 1);
        }
    }
    let counts = Counts {
        names,
        documents: found.documents,
        indptr: found.indptr,
        label: found.label,
        occurrences: found.occurrences,
        presences: found.presences,
    };
    if counts.check().is_ok() {
        assert_eq!(counts.minus(&counts).expect("all of it was learnt").names.len(), 0);
        if let Ok(twice) = counts.plus(&counts) {
            assert_eq!(twice.minus(&counts).as_ref(), Ok(&counts));
        }
    }
});
