//! The header of a mail or of a part: fields, `Name: value` (RFC 5322), which go on in lines that begin with a blank.

use memchr::{memchr, memchr2, memmem};

use super::coded::Coding;
use super::tokens;

/// Fields of ours: no verdict is ever learnt.
const OURS: &[u8] = b"x-deciban";
/// Longer names are none, and longer encoded words (RFC 2047 allows 75 bytes).
const LONGEST_NAME: usize = 60;
const LONGEST_CODED: usize = 1000;

/// A mail without the line `From ...` that mailboxes put before it.
pub(super) fn after_envelope(mail: &[u8]) -> &[u8] {
    let bare = mail.strip_prefix(b">").unwrap_or(mail);
    if !bare.starts_with(b"From ") {
        return mail;
    }
    memchr(b'\n', mail).map_or(&[], |end| &mail[end + 1..])
}

/// The header that bytes begin with, and what comes after it and an empty line. What does not begin with a field has no
/// header, unless it begins with an empty line.
pub(super) fn header(bytes: &[u8]) -> (&[u8], &[u8]) {
    if name_of(bytes).is_none() {
        let empty = [&b"\r\n"[..], b"\n"].into_iter().find(|empty| bytes.starts_with(empty));
        return (&[], &bytes[empty.map_or(0, <[u8]>::len)..]);
    }
    let mut at = 0;
    while let Some(line) = memchr(b'\n', &bytes[at..]) {
        at += line + 1;
        match &bytes[at..] {
            [b'\n', body @ ..] | [b'\r', b'\n', body @ ..] => return (&bytes[..at], body),
            _ => {}
        }
    }
    (bytes, &[])
}

/// The name that stands before the colon of a line, if it may be one.
fn name_of(line: &[u8]) -> Option<&[u8]> {
    let colon = line.iter().take(LONGEST_NAME + 1).position(|&byte| byte == b':')?;
    let name = line[..colon].trim_ascii_end();
    (!name.is_empty() && name.iter().all(u8::is_ascii_graphic)).then_some(name)
}

/// Calls `emit` with name and value of each field.
pub(super) fn each<'a>(header: &'a [u8], mut emit: impl FnMut(&'a [u8], &'a [u8])) {
    let mut rest = header;
    while !rest.is_empty() {
        let mut end = 0;
        loop {
            end += line(&rest[end..]);
            if !matches!(rest.get(end), Some(b' ' | b'\t')) {
                break;
            }
        }
        let (field, after) = rest.split_at(end);
        rest = after;
        if let Some(name) = name_of(field) {
            let value = memchr(b':', field).map_or(field.len(), |colon| colon + 1);
            emit(name, &field[value..]);
        }
    }
}

/// How long the first line is, with its end. A carriage return alone ends one, as it does for some programs: nobody shall
/// hide a field of ours behind it.
fn line(bytes: &[u8]) -> usize {
    match memchr2(b'\n', b'\r', bytes) {
        Some(end) if bytes[end..].starts_with(b"\r\n") => end + 2,
        Some(end) => end + 1,
        None => bytes.len(),
    }
}

/// Appends the words of the fields that are seen, each with its field's name before it, and the names alone.
pub(super) fn write(header: &[u8], scratch: &mut Vec<u8>, seen: &mut Vec<u8>) {
    let mut before = Vec::new();
    each(header, |name, value| {
        if name.get(..OURS.len()).is_some_and(|start| start.eq_ignore_ascii_case(OURS)) {
            return;
        }
        before.clear();
        before.extend(name.iter().map(u8::to_ascii_lowercase));
        before.push(b':');
        seen.extend_from_slice(&before);
        seen.push(b' ');
        write_value(&before, value, scratch, seen);
    });
}

/// Appends the words of a value, those of encoded words (RFC 2047) decoded.
fn write_value(before: &[u8], value: &[u8], scratch: &mut Vec<u8>, seen: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(start) = memmem::find(rest, b"=?") {
        let (plain, coded) = rest.split_at(start);
        tokens::write(before, plain, seen);
        rest = match encoded(coded) {
            Some((coding, data, length)) => {
                coding.decode(data, data.len(), scratch);
                tokens::write(before, scratch, seen);
                &coded[length..]
            }
            None => &coded[2..],
        };
    }
    tokens::write(before, rest, seen);
}

/// The encoded word that bytes begin with, `=?charset?B?data?=`: how its data are coded, and how long it is.
fn encoded(bytes: &[u8]) -> Option<(Coding, &[u8], usize)> {
    let mut parts = bytes[2..bytes.len().min(LONGEST_CODED)].splitn(4, |&byte| byte == b'?');
    let (charset, coding, data, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let coding = match coding {
        b"B" | b"b" => Coding::Base64,
        b"Q" | b"q" => Coding::Word,
        _ => return None,
    };
    let is_one = charset.iter().all(u8::is_ascii_graphic) && !data.contains(&b'\n') && rest.starts_with(b"=");
    is_one.then_some((coding, data, 2 + charset.len() + 1 + 1 + 1 + data.len() + 2))
}
