//! An mbox file -> where its mails stand.

use memchr::{memchr, memmem};

/// Where each mail of an mbox file begins and ends. A mail begins with a line `From ...` that has a time of day in it,
/// as in `From bob Mon Nov 16 09:30:00 2026`, at the start of the file or after an empty line, which is no part of any.
///
/// ```
/// let file = b"From a 09:30 2026\n\n1\n\nFrom c 09:31 2026\n\n2\n";
/// assert_eq!(deciban_core::mail::boxes::cut(file), [(0, 21), (22, 43)]);
/// ```
pub fn cut(file: &[u8]) -> Vec<(usize, usize)> {
    let (mut starts, mut ends) = (vec![0], Vec::new());
    for at in memmem::find_iter(file, b"\nFrom ") {
        // Before this end of a line stands another, which an empty line is after.
        let before = &file[..at];
        let end = match before {
            [.., b'\n'] => at,
            [.., b'\n', b'\r'] => at - 1,
            _ => continue,
        };
        if begins(&file[at + 1..]) {
            ends.push(end);
            starts.push(at + 1);
        }
    }
    ends.push(file.len());
    starts.into_iter().zip(ends).collect()
}

/// Whether a mail begins here.
fn begins(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"From ") else { return false };
    let Some(end) = memchr(b'\n', rest) else { return false };
    let is_time = |four: &[u8]| four[0].is_ascii_digit() && four[1] == b':' && four[2..].iter().all(u8::is_ascii_digit);
    rest[..end].windows(4).any(is_time)
}
