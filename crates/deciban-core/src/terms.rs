//! Tokens -> terms: what is seen of a text.
//!
//! A word n-gram is named by its tokens with a space between them. Every other kind of term has a name that begins with
//! a tab, which no token can hold, and a letter for its kind: [`CHARS`] for character n-grams inside words, [`ACROSS`]
//! for those across words. The edges of a text, which are words that no text holds, have names of such a kind too:
//! [`crate::edges`]; so have the properties of how a text is written: [`crate::properties`]. Terms that are hashed are named after their buckets: [`crate::hash`].

use std::ops::{Range, RangeInclusive};

use crate::accents::Accents;
use crate::hash::bucket_name;
use crate::names::each_name;
use crate::properties::Properties;
use crate::read::Scratch;
use crate::scan::Scan;
use crate::stop::Stop;
use crate::tokens::{self, Tokens};

/// How the name of a character n-gram inside a word begins.
pub const CHARS: &str = "\tc";
/// How the name of a character n-gram across words begins.
pub const ACROSS: &str = "\ta";

/// Which terms are seen: how texts are cut, and the lengths of word and character n-grams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// How a text is cut into words.
    pub tokens: Tokens,
    /// Lengths of word n-grams, if any are wanted.
    pub words: Option<RangeInclusive<usize>>,
    /// Whether word n-grams of two and more see a text's start and end, as words of their own.
    pub edges: bool,
    /// Lengths of character n-grams inside words, each with a blank on both sides, if any are wanted.
    pub chars: Option<RangeInclusive<usize>>,
    /// Lengths of character n-grams of the whole text, one blank for two or more white spaces, if any are wanted.
    pub chars_across: Option<RangeInclusive<usize>>,
    /// Whether texts are lower-cased first.
    pub lowercase: bool,
    /// What then becomes of accents.
    pub accents: Accents,
    /// Words that leave before n-grams are made.
    pub stop: Stop,
    /// What is told of how a text is written, beside all that.
    pub properties: Properties,
    /// Where terms are known by buckets alone: two to the power of this many, from 1 to 31.
    pub hash_bits: Option<u32>,
}

/// Lower-cased words, one by one.
impl Default for Terms {
    fn default() -> Self {
        Terms {
            tokens: Tokens::Word,
            words: Some(1..=1),
            edges: false,
            chars: None,
            chars_across: None,
            lowercase: true,
            accents: Accents::Keep,
            stop: Stop::default(),
            properties: Properties::default(),
            hash_bits: None,
        }
    }
}

/// A term of a text and the bytes of the text that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The term's name.
    pub name: String,
    /// Its byte range in the text as given.
    pub span: Range<usize>,
}

impl Terms {
    /// How many terms may begin at one byte of a text: one of each length.
    pub(crate) fn lengths(&self) -> usize {
        [&self.words, &self.chars, &self.chars_across]
            .into_iter()
            .flatten()
            .map(|lengths| lengths.clone().count())
            .sum::<usize>()
            + self.properties.most_at_once()
    }

    /// All terms of a text in order, each with its span: for explanations.
    ///
    /// ```
    /// # use deciban_core::terms::Terms;
    /// let terms = Terms { words: Some(1..=2), ..Terms::default() };
    /// let names: Vec<_> = terms.seen("No refund!").into_iter().map(|s| s.name).collect();
    /// assert_eq!(names, ["no", "no refund", "refund"]);
    /// ```
    pub fn seen(&self, text: &str) -> Vec<Seen> {
        let (mut origin, mut found) = (Vec::new(), Vec::new());
        self.each_character(text, |at, c| origin.resize(origin.len() + c.len_utf8(), at));
        let mut scratch = Scratch::default();
        each_name(self, text, &mut scratch, |kind, rest, (from, to)| {
            let name = format!("{kind}{}", String::from_utf8_lossy(rest));
            found.push(Seen { name, span: origin[from]..self.end_of(text, origin[to - 1]) });
        });
        self.properties.each(text, &mut scratch.pieces, |kind, rest, span| {
            found.push(Seen { name: format!("{kind}{}", String::from_utf8_lossy(rest)), span });
        });
        found
    }

    /// The name that a term which is seen has in a lexicon.
    pub fn known_as(&self, name: &str) -> String {
        self.hash_bits.map_or_else(|| name.to_string(), |bits| bucket_name(name, bits))
    }

    /// Where the character at a place ends, with the accents after it that leave.
    fn end_of(&self, text: &str, at: usize) -> usize {
        let after = |c: &char| self.accents.is_accent(*c);
        let mut rest = text[at..].chars();
        let first = rest.next().map_or(0, char::len_utf8);
        at + first + rest.take_while(after).map(char::len_utf8).sum::<usize>()
    }

    /// Calls `emit` with each character of a text as it is scanned, and where in the text it comes from.
    fn each_character(&self, text: &str, mut emit: impl FnMut(usize, char)) {
        tokens::each_character(text, self.lowercase, |at, c| self.accents.apply(c, |c| emit(at, c)));
    }

    /// Scans a text for tokens of a kind; `folded` is a buffer.
    #[inline]
    pub(crate) fn scan(&self, text: &str, tokens: Tokens, scan: &mut Scan, folded: &mut String) {
        if self.accents != Accents::Keep && !text.is_ascii() {
            // Folding may bring capitals back, and they stay: scikit-learn too lower-cases first.
            folded.clear();
            self.each_character(text, |_, c| folded.push(c));
            return scan.read_cased(folded, tokens);
        }
        if self.lowercase { scan.read(text, tokens) } else { scan.read_cased(text, tokens) }
    }

    /// Writes the places of the words of a text, which was scanned for them, over `words`.
    #[inline]
    pub(crate) fn cut(&self, scan: &Scan, words: &mut Vec<(usize, usize)>) {
        words.clear();
        self.tokens.ranges(scan, words);
        self.stop.leave(scan.padded(), words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(tokens: Tokens, words: Option<RangeInclusive<usize>>, chars: Option<RangeInclusive<usize>>) -> Terms {
        Terms { tokens, words, chars, ..Terms::default() }
    }

    proptest! {
        #[test]
        fn every_span_is_a_piece_of_the_text(text in "\\PC{0,30}|[aİΣ é\u{0}\t]{0,20}|[A@.:?=!_ w\n-]{0,30}", low in 1..4_usize, more in 0..4_usize) {
            for tokens in [Tokens::Word, Tokens::Unicode, Tokens::Marks, Tokens::Whitespace] {
                let lengths = Some(low..=low + more);
                let properties = crate::properties::tests::all();
                let terms = Terms { chars_across: lengths.clone(), properties, ..of(tokens, lengths.clone(), lengths) };
                for seen in terms.seen(&text) {
                    prop_assert!(text.get(seen.span).is_some_and(|piece| !piece.is_empty()));
                }
            }
        }
    }

    fn names(terms: &Terms, text: &str) -> Vec<String> {
        terms.seen(text).into_iter().map(|seen| seen.name).collect()
    }

    #[test]
    fn word_grams_of_given_lengths_only() {
        let terms = of(Tokens::Word, Some(2..=3), None);
        assert_eq!(names(&terms, "to be or not"), ["to be", "to be or", "be or", "be or not", "or not"]);
        assert_eq!(names(&terms, "be"), [""; 0]);
    }

    #[test]
    fn edges_belong_to_runs_of_words() {
        let terms = Terms { edges: true, ..of(Tokens::Whitespace, Some(1..=2), None) };
        let text = " not  GOOD ";
        assert_eq!(names(&terms, text), ["\t<s> not", "not", "not good", "good", "good \t</s>"]);
        let spans: Vec<_> = terms.seen(text).into_iter().map(|seen| &text[seen.span]).collect();
        assert_eq!(spans, ["not", "not", "not  GOOD", "GOOD", "GOOD"]);
        assert_eq!(names(&terms, "<s>"), ["\t<s> <s>", "<s>", "<s> \t</s>"]);
        assert_eq!(names(&terms, " "), [""; 0]);
        let terms = Terms { words: Some(3..=9), ..terms };
        assert_eq!(names(&terms, "so far"), ["\t<s> so far", "\t<s> so far \t</s>", "so far \t</s>"]);
    }

    #[test]
    fn stop_words_leave_before_runs_are_made() {
        let stop = ["the", "of"].into_iter().collect();
        let terms = Terms { words: Some(1..=2), stop, ..Terms::default() };
        assert_eq!(names(&terms, "The end of THE day"), ["end", "end day", "day"]);
    }

    #[test]
    fn capitals_stay_where_they_are_asked_to() {
        let stop = ["the"].into_iter().collect();
        let terms = Terms { tokens: Tokens::Run, lowercase: false, stop, ..Terms::default() };
        assert_eq!(names(&terms, "The É of the Day"), ["The", "É", "of", "Day"]);
    }

    #[test]
    fn char_grams_stay_inside_words() {
        let terms = of(Tokens::Word, None, Some(3..=4));
        assert_eq!(names(&terms, "AB c"), ["\tc ab", "\tcab ", "\tc ab ", "\tc c "]);
    }

    #[test]
    fn characters_run_across_words_and_one_blank() {
        let across = |lengths| Terms { words: None, chars_across: Some(lengths), ..Terms::default() };
        let text = "A\tÉ \u{3000}b";
        assert_eq!(names(&across(2..=2), text), ["\taa\t", "\ta\té", "\taé ", "\ta b"]);
        let spans: Vec<_> = across(2..=2).seen(text).into_iter().map(|seen| &text[seen.span]).collect();
        assert_eq!(spans, ["A\t", "\tÉ", "É \u{3000}", " \u{3000}b"]);
        assert_eq!(names(&across(1..=9), " \n"), ["\ta "]);
        assert_eq!(names(&across(1..=2), ""), [""; 0]);
    }

    #[test]
    fn folded_accents_belong_to_the_spans() {
        let terms = Terms { accents: Accents::Fold, ..of(Tokens::Word, Some(1..=1), Some(4..=4)) };
        let text = "Cafe\u{301}, ﬁnÉ";
        let spans: Vec<_> = terms.seen(text).into_iter().map(|s| (s.name, &text[s.span])).collect();
        assert_eq!(spans[0], ("cafe".to_string(), "Cafe\u{301}"));
        assert_eq!(spans[1], ("fine".to_string(), "ﬁnÉ"));
        assert_eq!(spans[3], ("\tccafe".to_string(), "Cafe\u{301}"));
        assert_eq!(spans[6], ("\tc fin".to_string(), "ﬁn"));
    }

    #[test]
    fn spans_are_of_the_text_as_given() {
        let terms = of(Tokens::Word, Some(2..=2), Some(4..=4));
        let text = "Ünder İXY";
        let spans: Vec<_> = terms.seen(text).into_iter().map(|s| (s.name, &text[s.span])).collect();
        assert_eq!(spans[0], ("ünder xy".to_string(), "Ünder İXY"));
        assert_eq!(spans[1], ("\tc ünd".to_string(), "Ünd"));
        assert_eq!(spans[5].1, "İX");
    }
}
