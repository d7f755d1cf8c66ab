//! Accents: a character -> what is left of it without them.
//!
//! As Python's `unicodedata` has it: NFKD, without the characters that combine with others. They leave in whatever order
//! they stand, so that each character is folded for itself.

use crate::characters::{BLOCK, FOLD, FOLD_STAGE, FOLDED, FOLDED_ENDS};

/// What becomes of accents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Accents {
    /// They stay.
    #[default]
    Keep,
    /// They leave, and characters are taken apart: é becomes e, ﬁ becomes fi.
    Fold,
    /// The same, and whatever is not ASCII then leaves too.
    Ascii,
}

impl Accents {
    /// Calls `emit` with what a character becomes.
    pub(crate) fn apply(self, c: char, mut emit: impl FnMut(char)) {
        match self {
            Accents::Keep => emit(c),
            Accents::Fold => fold(c, emit),
            Accents::Ascii => fold(c, |c| {
                if c.is_ascii() {
                    emit(c);
                }
            }),
        }
    }

    /// Whether a character is an accent, and leaves.
    pub(crate) fn is_accent(self, c: char) -> bool {
        let mut left = 0;
        fold(c, |_| left += 1);
        self != Accents::Keep && left == 0
    }
}

fn fold(c: char, mut emit: impl FnMut(char)) {
    let code = c as usize;
    if (0xAC00..0xD7A4).contains(&code) {
        return syllable(code as u32 - 0xAC00, emit);
    }
    match FOLD[FOLD_STAGE[code / BLOCK] as usize * BLOCK + code % BLOCK] as usize {
        0 => emit(c),
        number => {
            let start = if number == 1 { 0 } else { FOLDED_ENDS[number - 2] };
            FOLDED[start as usize..FOLDED_ENDS[number - 1] as usize].chars().for_each(emit);
        }
    }
}

/// The letters of a Hangul syllable, by its number: a consonant, a vowel, and perhaps a consonant.
fn syllable(number: u32, emit: impl FnMut(char)) {
    let letters = [0x1100 + number / 588, 0x1161 + number % 588 / 28, 0x11A7 + number % 28];
    letters.into_iter().filter(|&letter| letter != 0x11A7).filter_map(char::from_u32).for_each(emit);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(accents: Accents, text: &str) -> String {
        let mut left = String::new();
        text.chars().for_each(|c| accents.apply(c, |c| left.push(c)));
        left
    }

    #[test]
    fn accents_leave_and_characters_are_taken_apart() {
        assert_eq!(without(Accents::Fold, "Ça e\u{301}té ﬁn ℋ ½ ø ß"), "Ca ete fin H 1\u{2044}2 ø ß");
        assert_eq!(without(Accents::Fold, "한글 が"), "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af} か");
        assert_eq!(without(Accents::Ascii, "Ça ﬁn ½ ø が"), "Ca fin 12  ");
        assert_eq!(without(Accents::Keep, "Ça"), "Ça");
    }

    #[test]
    fn every_folding_is_in_the_tables() {
        (0..=0x0010_FFFF).filter_map(char::from_u32).for_each(|c| fold(c, |_| ()));
        assert!(
            Accents::Fold.is_accent('\u{301}') && !Accents::Fold.is_accent('e') && !Accents::Keep.is_accent('\u{301}')
        );
    }
}
