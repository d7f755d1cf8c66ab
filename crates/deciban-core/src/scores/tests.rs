//! Texts and rows, scored by small scorecards.

use proptest::prelude::*;

use super::coarse::MOST_TERMS;
use super::layout::Layout;
use super::*;
use crate::lexicon::Names;
use crate::scaled::{Counting, Group};
use crate::terms::Terms;
use crate::tokens::Tokens;

/// Each of some terms has one posting, the first of weight `first`.
fn scorer(terms: u32, first: f64, binary: bool) -> Result<Scorer, Invalid> {
    let card = Scorecard {
        bias: vec![0.1, 0.2, 0.3],
        absent: vec![-0.7, -1.1, -1.3],
        indptr: (0..=i64::from(terms)).collect(),
        label: (0..terms).map(|term| term % 3).collect(),
        weight: (0..terms).map(|term| if term == 0 { first } else { f64::from(term).sqrt() }).collect(),
        binary,
    };
    Scorer::new(card, terms as usize)
}

#[test]
fn scores_are_the_same_to_the_last_bit_with_an_index_and_without() {
    let terms = Terms::default();
    let names: String = (100..400).map(|name| name.to_string()).collect();
    let names = Names::new(names.into_bytes(), (0..=300).map(|at| 3 * at).collect()).unwrap();
    let texts = ["399 101 250 101 333 187 no 100 222 399", "171 399 111 123"];
    for binary in [false, true] {
        let lexicon = Lexicon::new(terms.clone(), names.clone()).unwrap();
        let scorer = scorer(300, 0.1, binary).unwrap();
        let without = scorer.scores(&lexicon, &texts, 1);
        assert!(!lexicon.expect(0) && scorer.layout.get().is_none());
        assert!(lexicon.expect(300) && scorer.layout(&lexicon, 300).is_some());
        assert_eq!(scorer.scores(&lexicon, &texts, 1), without);
        assert_eq!(binary, matches!(scorer.layout.get(), Some(Layout::Rows(_))));
    }
}

/// A scorecard of ten terms, 100 to 109, each of which says something of every label.
fn full_card(labels: usize, weight: Vec<f64>, binary: bool) -> (Lexicon, Scorecard) {
    let names: String = (100..110).map(|name| name.to_string()).collect();
    let names = Names::new(names.into_bytes(), (0..=10).map(|at| 3 * at).collect()).unwrap();
    let card = Scorecard {
        bias: weight[..labels].to_vec(),
        absent: vec![-0.3; labels],
        indptr: (0..=10).map(|term| term * labels as i64).collect(),
        label: (0..10 * labels as u32).map(|p| p % labels as u32).collect(),
        weight: weight.into(),
        binary,
    };
    (Lexicon::new(Terms::default(), names).unwrap(), card)
}

proptest! {
    #[test]
    fn labels_told_without_scores_are_those_of_the_greatest(
        weights in prop::collection::vec(prop::sample::select(vec![-1.5, 0.0, 0.1, 0.1 + 1e-5, 0.1 + 1e-9, 0.1 + 1e-16, 2.0]), 640),
        labels in prop_oneof![1..5_usize, 5..10_usize, prop::sample::select(vec![31, 32, 33, 64])],
        words in prop::collection::vec(prop::collection::vec(0..12_u32, 0..9), 1..9),
        great in prop::sample::select(vec![0.0, 1.0, 1e29, 1e99]),
        binary in any::<bool>(),
        indexed in any::<bool>(),
    ) {
        let weight: Vec<f64> = weights.iter().take(10 * labels).map(|weight| weight * great).collect();
        let (lexicon, card) = full_card(labels, weight, binary);
        let scorer = Scorer::new(card, 10).unwrap();
        let texts: Vec<String> = words.iter().map(|some| some.iter().map(|word| format!("{} ", 100 + word)).collect()).collect();
        prop_assert_eq!(lexicon.expect(if indexed { 10 } else { 0 }), indexed);
        match scorer.teller(&lexicon, 10) {
            Some(Teller::Brief(_)) => prop_assert!(labels < 5 && great < 1e30 && !binary),
            Some(Teller::Coarse(_)) => prop_assert!(labels >= 5),
            None => prop_assert!(labels < 5 && (great > 1e30 || binary)),
        }
        let told = scorer.best(&lexicon, &texts, 1);
        let expected: Vec<u32> = scorer.scores(&lexicon, &texts, 1).chunks(labels).map(greatest).collect();
        prop_assert_eq!(told, expected);
    }
}

#[test]
fn terms_of_great_weights_come_first() {
    let weight = vec![-2.0, -9.0, 0.5, -0.0, 0.0, -3.0];
    let card = Scorecard {
        bias: vec![0.0; 2],
        absent: vec![-1.0; 2],
        indptr: vec![0, 1, 2, 4, 4, 6].into(),
        label: vec![0, 1, 0, 1, 0, 1].into(),
        weight: weight.into(),
        binary: false,
    };
    assert_eq!(card.by_weight(), [2, 4, 0, 1, 3]);
}

#[test]
fn most_labels_need_no_scores() {
    let weight = (0..200).map(|p| f64::from(p * p % 97) - 50.0).collect();
    let (lexicon, card) = full_card(20, weight, false);
    let coarse = Coarse::new(&card);
    let told = coarse.labels(&lexicon, &["100 101 104", "102 102 109 103", "none of them"], |_| 77);
    assert!(told[..2].iter().all(|&label| label < 20));
    assert_eq!(coarse.labels(&lexicon, &["100 ".repeat(MOST_TERMS + 1)], |_| 77), [77]);
}

#[test]
fn rows_are_scaled_by_the_length_of_their_kinds() {
    let names = Names::new(b"\t<s> aa\tcabaabb".to_vec(), vec![0, 7, 11, 13, 15]).unwrap();
    let lexicon = Lexicon::new(Terms { chars: Some(2..=2), ..Terms::default() }, names).unwrap();
    let card = Scorecard {
        bias: vec![0.5, 0.0],
        absent: vec![0.0; 2],
        indptr: vec![0, 0, 1, 3, 4].into(),
        label: vec![1, 0, 3, 3].into(),
        weight: vec![1.0, 2.0, 4.0, 8.0].into(),
        binary: false,
    };
    let length = vec![0.0, 1.0, 3.0, 4.0];
    let scaling = |groups: [(Counting, u32); 2]| Scaling {
        length: length.clone(),
        groups: groups.map(|(counting, kinds)| Group { counting, kinds }).to_vec(),
    };
    let scored = |groups| {
        let scorer = Scorer::scaled(card.clone(), scaling(groups), &lexicon).unwrap();
        let rows = scorer.scores_of_rows(&[0, 3], &[1, 2, 3], &[1, 1, 2]).unwrap();
        assert_eq!(scorer.scores(&lexicon, &["ab aa bb bb"], 1), rows); // one of "ab", inside a word
        rows
    };
    let (once, each, log) = (Counting::Once, Counting::Each, Counting::Log);
    assert_eq!(scored([(each, 0), (once, 4)]), [0.5 + 2.0, 1.0 + 12.0 * (1.0 / 5.0)]);
    assert_eq!(scored([(once, 2), (each, 0)]), [0.5 + 2.0, 1.0 + 20.0]);
    assert_eq!(scored([(log, 0), (log, 0)])[1], 1.0 + (4.0 + 8.0 * (1.0 + 2f64.ln())));
    let refused = |scaling| Scorer::scaled(card.clone(), scaling, &lexicon).is_err();
    let good = scaling([(once, 0), (once, 0)]);
    assert!(refused(Scaling { length: vec![1.0], ..good.clone() }));
    assert!(refused(Scaling { length: vec![f64::NAN; 4], ..good.clone() }));
    assert!(refused(Scaling { groups: good.groups[..1].to_vec(), ..good }));
    assert!(refused(scaling([(once, 0), (once, 32)])));
}

#[test]
fn words_with_a_colon_and_without_are_kinds_too() {
    let names = Names::new(b"a:ba:cbbcc".to_vec(), vec![0, 3, 6, 8, 10]).unwrap();
    let lexicon = Lexicon::new(Terms { tokens: Tokens::Whitespace, ..Terms::default() }, names).unwrap();
    let card = Scorecard {
        bias: vec![0.0; 2],
        absent: vec![0.0; 2],
        indptr: vec![0, 1, 2, 3, 4].into(),
        label: vec![1, 1, 3, 3].into(),
        weight: vec![1.0, 2.0, 4.0, 8.0].into(),
        binary: false,
    };
    let scored = |kinds: [u32; 2], text| {
        let groups = kinds.map(|kinds| Group { counting: Counting::Once, kinds }).to_vec();
        let scaling = Scaling { length: vec![1.0; 4], groups };
        Scorer::scaled(card.clone(), scaling, &lexicon).unwrap().scores(&lexicon, &[text], 1)[1]
    };
    let text = "a:b a:c bb a:c bb";
    assert_eq!(scored([8, 16], text), 3.0 * (1.0 / 2f64.sqrt()) + 4.0);
    assert_eq!(scored([4, 8], text), 3.0 * (1.0 / 3f64.sqrt()) + 4.0 * (1.0 / 2f64.sqrt()));
    assert_eq!(scored([24, 16], "cc"), 8.0);
}

#[test]
fn a_label_that_has_not_shown_a_term_cannot_have_it_where_that_is_so() {
    let names = Names::new(b"aabbcc".to_vec(), vec![0, 2, 4, 6]).unwrap();
    let lexicon = Lexicon::new(Terms::default(), names).unwrap();
    let card = scorer(3, 0.5, false).unwrap().card;
    let strict = Scorer::new(Scorecard { absent: vec![f64::NEG_INFINITY; 3], ..card }, 3).unwrap();
    let expected = [0.1 + 0.5 + 0.5, f64::NEG_INFINITY, f64::NEG_INFINITY];
    assert_eq!(strict.scores(&lexicon, &["aa zz aa"], 1), expected);
    assert_eq!(strict.scores_of_rows(&[0, 1], &[0], &[2]).unwrap(), expected);
    assert!(strict.scores(&lexicon, &["aa bb"], 1).iter().all(|&score| score == f64::NEG_INFINITY));
}

#[test]
fn pairs_add_to_texts_and_rows_alike() {
    let names = Names::new(b"aabbcc".to_vec(), vec![0, 2, 4, 6]).unwrap();
    let lexicon = Lexicon::new(Terms::default(), names).unwrap();
    let pairs = |weight| Pairs { first: vec![0], second: vec![2], weight: vec![weight, 0.0, -weight] };
    assert!(scorer(3, 0.1, false).unwrap().with_pairs(pairs(1.0)).is_err());
    assert!(scorer(3, 0.1, true).unwrap().with_pairs(pairs(f64::NAN)).is_err());
    let (plain, paired) =
        (scorer(3, 0.1, true).unwrap(), scorer(3, 0.1, true).unwrap().with_pairs(pairs(8.0)).unwrap());
    let texts = ["cc bb aa cc", "aa bb"];
    let difference = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| (a - b).round()).collect::<Vec<_>>();
    let expected = vec![8.0, 0.0, -8.0, 0.0, 0.0, 0.0];
    assert_eq!(difference(paired.scores(&lexicon, &texts, 1), plain.scores(&lexicon, &texts, 1)), expected);
    let rows = (&[0, 3, 5], &[0, 1, 2, 0, 1], &[1, 1, 2, 1, 1]);
    let by_row = |scorer: Scorer| scorer.scores_of_rows(rows.0, rows.1, rows.2).unwrap();
    assert_eq!(difference(by_row(paired), by_row(plain)), expected);
}

#[test]
fn a_weight_that_is_no_number_is_refused() {
    for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e101] {
        assert!(scorer(3, weight, false).is_err());
    }
    assert!(scorer(3, -1e100, false).is_ok());
}
