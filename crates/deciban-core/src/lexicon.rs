//! The terms of a model in canonical order: sorted by the bytes of their names, each once.

use std::num::NonZero;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Invalid;
use crate::properties::{FIELD, NEGATED, PAIR, PROPERTY, TITLE};
use crate::read::{Finding, Scratch, read};
use crate::table::Node;
use crate::terms::{ACROSS, CHARS, Terms};
use crate::trie::Trie;

/// Sorted names, and the way from a text to their places.
///
/// Terms are searched for among the sorted names until so much text has been read that an index would have paid.
#[derive(Debug)]
pub struct Lexicon {
    terms: Terms,
    names: Names,
    places: OnceLock<Trie<Place>>,
    searched: AtomicUsize,
}

/// Strictly increasing names, end to end in one string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    text: String,
    offsets: Vec<i64>,
}

impl Default for Names {
    fn default() -> Self {
        Names { text: String::new(), offsets: vec![0] }
    }
}

impl Names {
    /// Names from flat buffers; name i is `bytes[offsets[i]..offsets[i + 1]]`.
    pub fn new(bytes: Vec<u8>, offsets: Vec<i64>) -> Result<Self, Invalid> {
        let text = String::from_utf8(bytes).map_err(|_| Invalid("the lexicon is not valid UTF-8"))?;
        let ends = (offsets.first().copied(), offsets.last().copied());
        if ends != (Some(0), i64::try_from(text.len()).ok()) {
            return Err(Invalid("the lexicon's offsets do not span its bytes"));
        }
        let cuts = |o: &i64| usize::try_from(*o).is_ok_and(|o| text.is_char_boundary(o));
        if !offsets.is_sorted() || !offsets.iter().all(cuts) {
            return Err(Invalid("the lexicon's offsets do not fall between its characters"));
        }
        let names = Names { text, offsets };
        if !names.iter().zip(names.iter().skip(1)).all(|(a, b)| a < b) {
            return Err(Invalid("the lexicon is not in order, or names a term twice"));
        }
        Ok(names)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name at a place.
    pub fn get(&self, place: usize) -> Option<&str> {
        (place < self.len()).then(|| &self.text[self.range(place)])
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.len()).map(|place| &self.text[self.range(place)])
    }

    /// Whether any has a space.
    pub(crate) fn have_spaces(&self) -> bool {
        self.text.contains(' ')
    }

    /// The flat buffers: bytes and offsets.
    pub fn buffers(&self) -> (&[u8], &[i64]) {
        (self.text.as_bytes(), &self.offsets)
    }

    /// Names that are known to be in order.
    pub(crate) fn of_sorted(bytes: Vec<u8>, offsets: Vec<i64>) -> Self {
        String::from_utf8(bytes).map(|text| Names { text, offsets }).unwrap_or_default()
    }

    /// Appends a name, which must be greater than all before it.
    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.offsets.push(self.text.len() as i64);
    }

    fn range(&self, place: usize) -> Range<usize> {
        self.offsets[place] as usize..self.offsets[place + 1] as usize
    }
}

impl Lexicon {
    /// A lexicon of names that were seen as `terms` says.
    pub fn new(terms: Terms, names: Names) -> Result<Self, Invalid> {
        if names.len() >= Node::MAX as usize {
            return Err(Invalid("the lexicon has more than four billion terms"));
        }
        Ok(Lexicon { terms, names, places: OnceLock::new(), searched: AtomicUsize::new(0) })
    }

    /// The same lexicon with an index that whoever counted has made already.
    pub fn indexed(self, index: Index) -> Self {
        let places = OnceLock::from(index.0);
        Lexicon { places, ..self }
    }

    /// What is seen of a text.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The names in order.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The place of a name.
    pub fn place(&self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.names.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.names.get(middle).is_some_and(|found| found < name) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (self.names.get(low) == Some(name)).then_some(low)
    }

    /// Makes ready for so many more bytes of text; says whether there is an index now.
    ///
    /// A byte takes about as long to search for as a term to index, so there is one once both are as many: whatever
    /// comes after, at most twice the time that it would have taken is spent.
    pub fn expect(&self, bytes: usize) -> bool {
        self.expect_in(bytes, || by_length(&self.names))
    }

    /// The same; an index is made in an order of places: those that come first stand where they are looked for first.
    pub(crate) fn expect_in(&self, bytes: usize, order: impl FnOnce() -> Vec<u32>) -> bool {
        let is_worth_it =
            || self.searched.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) >= self.names.len();
        if self.places.get().is_none() && is_worth_it() {
            self.places.get_or_init(|| places(&self.names, &order()));
        }
        self.places.get().is_some()
    }

    /// Calls `emit` with the place of each known term of `text`, as often as it occurs.
    #[inline]
    pub(crate) fn find(&self, text: &str, scratch: &mut Scratch, mut emit: impl FnMut(u32)) {
        let Some(trie) = self.places.get() else { return self.search(text, emit) };
        let emit = |place: Place| {
            if let Place(Some(place)) = place {
                emit(place.get() - 1);
            }
        };
        read(&self.terms, text, scratch, &mut Finding { trie, emit });
    }

    /// The index, if there is one, with a value for each term in the place of its place.
    pub(crate) fn mapped<V: Copy + Default>(&self, value: impl Fn(u32) -> V) -> Option<Trie<V>> {
        let value = |_, Place(place): Place| place.map_or(V::default(), |place| value(place.get() - 1));
        self.places.get().map(|trie| trie.with(value))
    }

    /// The same without an index. The order is that of [`read`], words before runs of words before runs of characters
    /// before properties, and that of the text where terms are hashed, so that whoever adds up what is found gets the same sum to the last bit.
    #[cold]
    #[inline(never)]
    fn search(&self, text: &str, mut emit: impl FnMut(u32)) {
        let mut seen = self.terms.seen(text);
        if self.terms.hash_bits.is_none() {
            seen.sort_by_key(|seen| match &seen.name {
                told if [PROPERTY, NEGATED, PAIR, TITLE, FIELD].iter().any(|kind| told.starts_with(kind)) => 4,
                across if across.starts_with(ACROSS) => 3,
                inside if inside.starts_with(CHARS) => 2,
                words if words.contains(' ') => 1,
                _ => 0,
            });
        }
        for place in seen.iter().filter_map(|seen| self.place(&self.terms.known_as(&seen.name))) {
            emit(place as u32);
        }
    }
}

/// The way from terms to their places, as counting leaves it.
#[derive(Debug)]
pub struct Index(Trie<Place>);

impl Index {
    /// The nodes of a trie as terms: for each node its place, plus one, or 0 if it is none.
    pub(crate) fn new<V: Copy + Default>(trie: Trie<V>, places: &[u32]) -> Self {
        Index(trie.mapped(|node, _| Place(NonZero::new(places[node as usize]))))
    }
}

/// A place in the lexicon, plus one; none for words that are no terms, but begin some.
#[derive(Debug, Clone, Copy, Default)]
struct Place(Option<NonZero<u32>>);

/// The index of some names, in an order of their places.
fn places(names: &Names, order: &[u32]) -> Trie<Place> {
    let mut trie = Trie::new();
    trie.set_all(names, order.iter().filter_map(|&at| Some((names.get(at as usize)?, Place(NonZero::new(at + 1))))));
    trie
}

/// Short names first, which are the frequent ones.
fn by_length(names: &Names) -> Vec<u32> {
    let of_length = |lengths: std::ops::RangeInclusive<usize>| {
        (0_u32..).zip(names.iter()).filter(move |(_, name)| lengths.contains(&name.len())).map(|(place, _)| place)
    };
    of_length(0..=3).chain(of_length(4..=6)).chain(of_length(7..=usize::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::tokens::Tokens;

    fn lexicon(names: &[&str]) -> Lexicon {
        let terms = Terms { words: Some(1..=2), ..Terms::default() };
        let mut all = Names::default();
        names.iter().for_each(|name| all.push(name));
        Lexicon::new(terms, all).unwrap()
    }

    #[test]
    fn finds_the_terms_that_it_knows_and_no_prefix_that_is_none() {
        let lexicon = lexicon(&["no", "no refund", "the money"]);
        let mut places = Vec::new();
        lexicon.find("No refund, the money the", &mut Scratch::default(), |place| places.push(place));
        assert_eq!(places, [0, 1, 2]);
        assert_eq!((lexicon.place("the money"), lexicon.place("the")), (Some(2), None));
    }

    #[test]
    fn an_index_is_made_once_it_pays_and_finds_the_same() {
        let names = ["\tc no", "be", "be no", "be or", "no", "or no be"];
        let terms = Terms { words: Some(1..=3), chars: Some(3..=3), ..Terms::default() };
        let mut all = Names::default();
        names.iter().for_each(|name| all.push(name));
        let lexicon = Lexicon::new(terms, all).unwrap();
        let found = || {
            let mut places = Vec::new();
            lexicon.find("To be or no be, no", &mut Scratch::default(), |place| places.push(place));
            places
        };
        assert!(!lexicon.expect(2) && !lexicon.expect(3));
        let searched = found();
        assert_eq!(searched, [1, 4, 1, 4, 3, 5, 2, 0, 0]);
        assert!(lexicon.expect(1) && lexicon.expect(0));
        assert_eq!(found(), searched);
    }

    proptest! {
        #[test]
        fn what_is_searched_for_is_what_an_index_finds(
            learnt in "[abé İ_.'\u{3042}]{0,40}", text in "[abé İ_.'\u{3042}]{0,40}", low in 1..3_usize, more in 0..3_usize, hash_bits in prop::option::of(1..32_u32),
        ) {
            for tokens in [Tokens::Word, Tokens::Unicode, Tokens::Marks, Tokens::Whitespace] {
                let lengths = Some(low..=low + more);
                let terms = Terms {
                    tokens,
                    words: lengths.clone(),
                    chars: lengths.clone(),
                    chars_across: lengths,
                    edges: more % 2 == 1,
                    properties: crate::properties::tests::all(),
                    hash_bits,
                    ..Terms::default()
                };
                let known: BTreeSet<_> = terms.seen(&learnt).iter().map(|seen| terms.known_as(&seen.name)).collect();
                let mut names = Names::default();
                known.iter().for_each(|name| names.push(name));
                let lexicon = Lexicon::new(terms, names).unwrap();
                let (mut searched, mut found) = (Vec::new(), Vec::new());
                lexicon.find(&text, &mut Scratch::default(), |place| searched.push(place));
                prop_assert!(lexicon.expect(known.len()));
                lexicon.find(&text, &mut Scratch::default(), |place| found.push(place));
                prop_assert_eq!(searched, found);
            }
        }
    }

    #[test]
    fn bad_buffers_are_refused() {
        let bad = |bytes: &[u8], offsets: &[i64]| Names::new(bytes.to_vec(), offsets.to_vec()).is_err();
        assert!(bad(b"ab", &[]));
        assert!(bad(b"ab", &[0, 1]));
        assert!(bad(b"ab", &[0, 2, 1, 2]));
        assert!(bad(b"ba", &[0, 1, 2]));
        assert!(bad(b"aa", &[0, 1, 2]));
        assert!(bad("é".as_bytes(), &[0, 1, 2]));
        assert!(bad(b"\xff", &[0, 1]));
        assert!(bad(b"ab", &[0, -1, 2]));
        assert!(!bad(b"ab", &[0, 1, 2]));
    }
}
