//! Words of a title, and those that stand next to each other there: of the first line with words, where more words follow
//! in other lines. The header fields of a mail are no title, and a line of very many words is none.

use super::pieces::{Kind, Pieces};
use super::{TITLE, Tell, headers};

/// A title has no more words.
const MOST: usize = 32;
/// So many header fields make a mail: one may be a title with a colon.
const FIELDS: usize = 2;

/// Tells each word, and each pair of neighbours at its last word.
pub(super) fn each(text: &str, pieces: &Pieces, tell: &mut impl Tell) {
    let words = || pieces.items().iter().enumerate().filter(|(_, item)| item.kind == Kind::Word);
    let Some((_, first)) = words().next() else { return };
    let Some(end) = text[first.start..].find('\n').map(|length| first.start + length) else { return };
    let in_title = words().take_while(|(_, item)| item.start < end).count();
    if in_title > MOST || words().nth(in_title).is_none() || headers::count(text) >= FIELDS {
        return;
    }
    let mut before = None;
    for (at, item) in words().take(in_title) {
        let word = pieces.form(at);
        tell(TITLE, word.as_bytes(), item.start..item.end);
        if let Some((last, start)) = before {
            tell(TITLE, format!("{last} {word}").as_bytes(), start..item.end);
        }
        before = Some((word, item.start));
    }
}
