//! Any corpora: counts add, subtract, and never depend on threads; what was not learnt is refused, never a panic.
#![no_main]

mod settings;

use deciban_core::counts::Counts;
use deciban_core::tally::Tally;
use libfuzzer_sys::fuzz_target;
use settings::Settings;

const LABELS: [u32; 3] = [0, 1, 2];

fn count(corpus: &[(&str, u8)], settings: &Settings, threads: usize) -> Counts {
    let mut tally = Tally::new(settings.terms(), threads);
    let texts: Vec<&str> = corpus.iter().map(|&(text, _)| text).collect();
    let labels: Vec<u32> = corpus.iter().map(|&(_, label)| u32::from(label % 3)).collect();
    tally.add(&texts, &labels, || false).expect("few texts are never too many");
    let most = labels.iter().max().map_or(0, |&most| most as usize + 1);
    let (counts, _) = tally.take(&LABELS[..most]).expect("the numbers are those of the labels");
    counts.relabelled(&LABELS[..most], LABELS.len()).expect("the same numbers among three")
}

fuzz_target!(|input: (Settings, Vec<(&str, u8)>, Vec<(&str, u8)>)| {
    let (settings, a, b) = input;
    let (one, two) = (count(&a, &settings, 1), count(&b, &settings, 3));
    let both = count(&[a, b].concat(), &settings, 2);
    assert_eq!(one.plus(&two).expect("counts add"), both);
    assert_eq!(both.minus(&two).expect("what was added can be taken away"), one);
    assert_eq!(both.check(), Ok(()));
    if let Ok(left) = one.minus(&two) {
        assert_eq!(left.plus(&two).expect("counts add"), one);
    }
});
