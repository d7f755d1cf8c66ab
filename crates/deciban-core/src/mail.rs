//! A mail, as bytes -> the words that are seen of it: those of its header, each with its field's name, and those of its
//! text, decoded (MIME: base64, quoted-printable, parts in parts).
//!
//! ```text
//! Subject: =?utf-8?q?Free_caf=C3=A9?=        subject: subject:free subject:café
//! Content-Transfer-Encoding: base64     ->   content-transfer-encoding: content-transfer-encoding:base64
//!
//! SGVsbG8gQm9i                               hello bob
//! ```
//!
//! No mail is malformed: what cannot be understood is taken as it stands. All that is read is bounded, whatever a mail
//! says of itself: bytes of a header, of text, of the raw mail; parts, and how deep they stand in each other.

pub mod boxes;
pub(crate) mod coded;
mod fields;
pub mod judge;
mod keys;
pub mod lines;
mod parts;
mod runs;
pub mod table;
mod tokens;

pub use self::keys::SEEDS;

use self::parts::Part;
use self::tokens::{Cutter, Seen, Sink};

/// Bytes of headers that are seen, of all parts together.
const HEADER: usize = 8000;
/// Bytes of decoded text that are seen, of all parts together.
const TEXT: usize = 8000;

/// Fewer mails are not worth a thread.
const WORTH_A_THREAD: usize = 64;

/// The words of a mail, with a blank after each.
///
/// ```
/// let seen = deciban_core::mail::words(b"Subject: Hi there\n\nSee you, Bob!");
/// assert_eq!(seen, "subject: subject:hi subject:there see you bob! ");
/// ```
pub fn words(mail: &[u8]) -> String {
    let mut seen = Seen::default();
    show(mail, &mut Scratch::default(), &mut seen);
    String::from_utf8(seen.text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Room that is used again from mail to mail.
#[derive(Default)]
struct Scratch {
    cutter: Cutter,
    decoded: Vec<u8>,
}

/// Shows all words of a mail.
fn show(mail: &[u8], scratch: &mut Scratch, sink: &mut impl Sink) {
    let (mut left, mut of_header) = (TEXT, HEADER);
    let Scratch { cutter, decoded } = scratch;
    let mail = fields::after_envelope(mail);
    cutter.lay(&mail[..mail.len().min(HEADER + TEXT)]);
    parts::each(mail, |part| {
        match part {
            Part::Field(name, value) => {
                let seen = &value[..value.len().min(of_header.saturating_sub(name.len()))];
                if of_header > name.len() {
                    fields::show(name, seen, cutter, decoded, sink);
                }
                of_header = of_header.saturating_sub(name.len() + 1 + value.len());
            }
            Part::Text(coding, raw) => {
                let text = coding.decoded(raw, left, decoded);
                left -= text.len();
                sink.text();
                cutter.cut(text, sink);
            }
        }
        left > 0
    });
}

/// The words of each mail, made by so many threads (0: as many as there are cores).
pub fn all(mails: &[&[u8]], threads: usize) -> Vec<String> {
    let some = |part: &[&[u8]]| part.iter().map(|mail| words(mail)).collect::<Vec<_>>();
    let size = mails.len().div_ceil(crate::parts::count(threads, mails.len() / WORTH_A_THREAD)).max(1);
    crate::parts::joined(crate::parts::run(mails.chunks(size).map(|part| || some(part)).collect()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        let pieces = [
            "Content-Type: multipart/mixed; boundary=b\n\n",
            "Content-Type: message/rfc822\n\n",
            "Content-Transfer-Encoding: base64\n",
            "Content-Transfer-Encoding: quoted-printable\n",
            "--b\n",
            "--b--\n",
            "\r\n",
            "\n",
            "Subject: =?utf-8?q?=C3=",
            "?=",
            "\n\nFrom a 09:30\n",
            "word ",
        ];
        let piece = prop::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec());
        let any = prop::collection::vec(any::<u8>(), 0..9);
        prop::collection::vec(prop_oneof![3 => piece, 1 => any], 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn words_stand_between_blanks_and_are_bounded(mail in hostile()) {
            let seen = words(&mail);
            prop_assert!(seen.len() <= 40 * mail.len());
            prop_assert!(seen.is_empty() || seen.ends_with(' '));
            prop_assert!(!seen.contains("  ") && !seen.contains('\n'));
        }

        #[test]
        fn mails_of_a_box_are_all_of_it_but_empty_lines(file in hostile()) {
            let places = boxes::cut(&file);
            let gaps = places.windows(2).map(|pair| &file[pair[0].1..pair[1].0]);
            prop_assert!(gaps.into_iter().all(|gap| gap == b"\n" || gap == b"\r\n"));
            prop_assert_eq!((places[0].0, places[places.len() - 1].1), (0, file.len()));
        }
    }

    #[test]
    fn many_threads_see_the_same() {
        let mails: Vec<Vec<u8>> = (0..300).map(|i| format!("Subject: {i}\n\nno {i}").into_bytes()).collect();
        let mails: Vec<&[u8]> = mails.iter().map(Vec::as_slice).collect();
        assert_eq!(all(&mails, 3), all(&mails, 1));
        assert!(all(&[], 0).is_empty());
    }
}
