//! A mail -> its parts (MIME, RFC 2046): headers, and texts as they were sent.

use memchr::memchr;

use super::coded::Coding;
use super::fields;

/// Parts in parts in parts are followed so far, and so many altogether.
const DEEPEST: usize = 8;
const MOST: usize = 50;
/// Bytes of a mail that are looked through for parts.
const LONGEST: usize = 1 << 20;

/// Something to see.
pub(super) enum Part<'a> {
    /// The name and the value of a field of a header, of the mail or of one of its parts.
    Field(&'a [u8], &'a [u8]),
    /// Text, and how it was coded.
    Text(Coding, &'a [u8]),
}

/// What a header says of what comes after it.
struct Content<'a> {
    is_text: bool,
    is_mail: bool,
    boundary: Option<&'a [u8]>,
    coding: Coding,
}

/// Calls `emit` with all that is to be seen of a mail, in order, until it returns false.
pub(super) fn each<'a>(mail: &'a [u8], mut emit: impl FnMut(Part<'a>) -> bool) {
    let mut waiting = vec![(&mail[..mail.len().min(LONGEST)], DEEPEST)];
    let mut left = MOST;
    while let Some((bytes, deep)) = waiting.pop() {
        if left == 0 {
            return;
        }
        left -= 1;
        let mut content = Content { is_text: true, is_mail: false, boundary: None, coding: Coding::Plain };
        let start = fields::each(bytes, |name, value| {
            content.hear(name, value);
            // Who has seen enough of headers may still want texts.
            emit(Part::Field(name, value));
        });
        let body = &bytes[start..];
        match content.boundary.filter(|_| deep > 0).and_then(|boundary| cut(body, boundary)) {
            Some(inner) => waiting.extend(inner.into_iter().rev().map(|part| (part, deep - 1))),
            None if content.is_mail && deep > 0 => waiting.push((body, deep - 1)),
            None if content.is_text && !emit(Part::Text(content.coding, body)) => return,
            None => {}
        }
    }
}

impl<'a> Content<'a> {
    /// Takes in what a field says.
    fn hear(&mut self, name: &[u8], value: &'a [u8]) {
        if !matches!(name.first(), Some(b'c' | b'C')) {
            return;
        }
        let value = value.trim_ascii();
        let begins = |with: &[u8]| value.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
        if name.eq_ignore_ascii_case(b"content-transfer-encoding") {
            self.coding = Coding::of(value);
        } else if name.eq_ignore_ascii_case(b"content-type") {
            self.is_mail = begins(b"message/rfc822");
            let is_several = begins(b"multipart/");
            self.is_text = is_several || begins(b"text") || !value.contains(&b'/');
            self.boundary = is_several.then(|| boundary(value)).flatten();
        }
    }
}

/// What stands between parts: `boundary="..."` of a field `Content-Type`.
fn boundary(value: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"boundary";
    let at = value.windows(NAME.len()).position(|name| name.eq_ignore_ascii_case(NAME))?;
    let given = value[at + NAME.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let found = match given.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|&byte| byte == b'"').next()?,
        None => given.split(|&byte| byte == b';' || byte.is_ascii_whitespace()).next()?,
    };
    (!found.is_empty()).then_some(found)
}

/// The parts of a body, which stand between lines `--boundary` and the line `--boundary--`; what stands before and after
/// is nobody's. Nothing where there is no such line.
fn cut<'a>(body: &'a [u8], boundary: &[u8]) -> Option<Vec<&'a [u8]>> {
    let (mut found, mut start, mut at) = (Vec::new(), None, 0);
    while at < body.len() && found.len() < MOST {
        let end = memchr(b'\n', &body[at..]).map_or(body.len(), |line| at + line + 1);
        if let Some(after) = body[at..end].strip_prefix(b"--").and_then(|line| line.strip_prefix(boundary)) {
            if let Some(start) = start {
                found.push(&body[start..at]);
            }
            if after.starts_with(b"--") {
                return Some(found);
            }
            start = Some(end);
        }
        at = end;
    }
    found.extend(start.map(|start| &body[start..]));
    start.map(|_| found)
}
