//! Words of the header fields of a mail, each in the name space of its field.
//!
//! A text that begins with fields (`Name: value`, RFC 822) is a mail; one line `From ...` may stand before them. A field
//! goes on in lines that begin with white space, and the last one ends at the first line that is no field. Words of two
//! characters and more are told, those of encoded words (RFC 2047) decoded; and each field itself, by its bare name.

use super::encoded::{self, Encoded};
use super::pieces::{Pieces, is_blank, write_form};
use super::{FIELD, Tell};
use crate::accents::Accents;
use crate::scan::Scan;
use crate::tokens::Tokens;

/// A field: its name, and where its value stands.
struct Field<'a> {
    name: &'a str,
    start: usize,
    end: usize,
}

/// Tells the words of the fields that are wanted; of all, where none is named.
pub(super) fn each(text: &str, pieces: &Pieces, wanted: &[String], accents: Accents, tell: &mut impl Tell) {
    for field in fields(text) {
        let name = field.name.to_ascii_lowercase();
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        let at = field.start - 1 - name.len();
        let mut telling = Telling { name: format!("{name}:"), accents, tell };
        telling.tell_word("", at..field.start - 1);
        let decoded = encoded::each(text, field.start, field.end);
        let mut coded = decoded.iter().peekable();
        for &(start, end) in pieces.runs_from(field.start) {
            if start >= field.end {
                break;
            }
            while let Some(run) = coded.next_if(|run| run.start <= start) {
                telling.tell_decoded(run);
            }
            let next = decoded.partition_point(|run| run.end <= start);
            if decoded.get(next).is_none_or(|run| end <= run.start) {
                telling.tell_word(&text[start..end], start..end);
            }
        }
        coded.for_each(|run| telling.tell_decoded(run));
    }
}

struct Telling<'a, T> {
    /// The field's name and a colon.
    name: String,
    accents: Accents,
    tell: &'a mut T,
}

impl<T: Tell> Telling<'_, T> {
    fn tell_word(&mut self, word: &str, span: std::ops::Range<usize>) {
        if word.chars().count() != 1 {
            let bare = self.name.len();
            write_form(word, self.accents, &mut self.name);
            (self.tell)(FIELD, self.name.as_bytes(), span);
            self.name.truncate(bare);
        }
    }

    /// The words of encoded words stand for all their bytes; where they cannot be decoded, their encoding is told.
    fn tell_decoded(&mut self, run: &Encoded) {
        let span = run.start..run.end;
        match &run.text {
            Ok(text) => {
                let (mut scan, mut runs) = (Scan::default(), Vec::new());
                scan.read_cased(text, Tokens::Run);
                Tokens::Run.ranges(&scan, &mut runs);
                runs.into_iter().for_each(|(start, end)| self.tell_word(&text[start..end], span.clone()));
            }
            Err(encoding) => self.tell_word(&format!("=?{encoding}"), span),
        }
    }
}

/// How many fields a text begins with.
pub(super) fn count(text: &str) -> usize {
    fields(text).len()
}

/// The fields that a text begins with.
fn fields(text: &str) -> Vec<Field<'_>> {
    let mut found: Vec<Field<'_>> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.starts_with([' ', '\t']) && !is_blank(line) && !found.is_empty() {
            if let Some(last) = found.last_mut() {
                last.end = end;
            }
        } else if let Some(name) = name_of(line) {
            found.push(Field { name, start: start + name.len() + 1, end });
        } else if start > 0 || !line.starts_with("From ") {
            break;
        }
        start = end;
    }
    found
}

/// The name of the field that begins in a line: printable ASCII up to a colon.
fn name_of(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic())).then_some(name)
}
