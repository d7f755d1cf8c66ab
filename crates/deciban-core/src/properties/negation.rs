//! Negated words: those between a negation and the next mark.

use super::pieces::Pieces;
use super::{NEGATED, Tell};

/// Words that negate, beside those that end with n't.
const NEGATIONS: [&str; 30] = [
    "not", "no", "never", "nor", "neither", "none", "nobody", "nothing", "nowhere", "cannot", "without", "hardly",
    "aint", "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt", "mustnt",
    "neednt", "shouldnt", "wasnt", "werent", "wont", "wouldnt",
];
/// What ends the reach of a negation, beside an empty line.
const ENDS: [char; 9] = ['.', ',', ';', ':', '!', '?', '…', '(', ')'];

pub(super) fn each(text: &str, pieces: &Pieces, tell: &mut impl Tell) {
    let (mut is_negated, mut last) = (false, "");
    pieces.each_word(|at, item, before| {
        let (gap, form) = (before.map_or("", |gap| &text[gap]), pieces.form(at));
        if gap.contains(ENDS) || gap.bytes().filter(|&byte| byte == b'\n').count() > 1 {
            is_negated = false;
        }
        if NEGATIONS.contains(&form) || form == "t" && matches!(gap, "'" | "’") && last.ends_with('n') {
            is_negated = true;
        } else if is_negated && form.chars().nth(1).is_some() {
            tell(NEGATED, form.as_bytes(), item.start..item.end);
        }
        last = form;
    });
}
