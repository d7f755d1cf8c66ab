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
mod parts;
mod tokens;

use self::parts::Part;

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
    let mut seen = Vec::new();
    let (mut scratch, mut left, mut of_header) = (Vec::new(), TEXT, HEADER);
    parts::each(fields::after_envelope(mail), |part| {
        match part {
            Part::Header(header) => {
                let (first, _) = header.split_at(header.len().min(of_header));
                of_header -= first.len();
                fields::write(first, &mut scratch, &mut seen);
            }
            Part::Text(coding, raw) => {
                coding.decode(raw, left, &mut scratch);
                left -= scratch.len();
                tokens::write(b"", &scratch, &mut seen);
            }
        }
        left > 0
    });
    String::from_utf8(seen).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The words of each mail, made by so many threads (0: as many as there are cores).
pub fn all(mails: &[&[u8]], threads: usize) -> Vec<String> {
    let some = |part: &[&[u8]]| part.iter().map(|mail| words(mail)).collect::<Vec<_>>();
    let size = mails.len().div_ceil(crate::parts::count(threads, mails.len() / WORTH_A_THREAD)).max(1);
    crate::parts::run(mails.chunks(size).map(|part| || some(part)).collect()).concat()
}
