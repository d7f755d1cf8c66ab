//! The header of a mail or of a part: fields, `Name: value` (RFC 5322), which go on in lines that begin with a blank.

use memchr::{memchr, memchr_iter, memchr2};

use super::coded::Coding;
use super::tokens::{Cutter, NAME_ROOM, Sink};

/// Fields of ours: no verdict is ever learnt.
const OURS: &[u8] = b"x-deciban";
/// Longer names are none, and longer encoded words (RFC 2047 allows 75 bytes).
const LONGEST_NAME: usize = NAME_ROOM - 4;
const LONGEST_CODED: usize = 1000;

/// A mail without the line `From ...` that mailboxes put before it.
pub(super) fn after_envelope(mail: &[u8]) -> &[u8] {
    let bare = mail.strip_prefix(b">").unwrap_or(mail);
    if !bare.starts_with(b"From ") {
        return mail;
    }
    memchr(b'\n', mail).map_or(&[], |end| &mail[end + 1..])
}

/// The name that stands before the colon of a line, if it may be one, and what comes after the colon.
fn name_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().take(LONGEST_NAME + 1).position(|&byte| byte == b':')?;
    let name = line[..colon].trim_ascii_end();
    let are_all = name.iter().fold(true, |are_all, byte| are_all & byte.is_ascii_graphic());
    (!name.is_empty() && are_all).then_some((name, &line[colon + 1..]))
}

/// Calls `emit` with name and value of each field of the header that bytes begin with; says
/// where the body begins, after an empty line. What does not begin with a field has no header, unless it begins with an
/// empty line.
pub(super) fn each<'a>(bytes: &'a [u8], mut emit: impl FnMut(&'a [u8], &'a [u8])) -> usize {
    let mut at = 0;
    if name_of(bytes).is_none() {
        return empty(bytes).unwrap_or(0);
    }
    while at < bytes.len() {
        let (start, mut is_last) = (at, None);
        loop {
            at += line(&bytes[at..]);
            let is_whole = bytes[at - 1] == b'\n';
            is_last = is_last.or_else(|| empty(&bytes[at..]).filter(|_| is_whole));
            if is_last.is_some() || !matches!(bytes.get(at), Some(b' ' | b'\t')) {
                break;
            }
        }
        if let Some((name, value)) = name_of(&bytes[start..at]) {
            emit(name, value);
        }
        if let Some(end) = is_last {
            return at + end;
        }
    }
    bytes.len()
}

/// How long the empty line is that bytes begin with.
fn empty(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        _ => None,
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

/// Shows the name of a field and the words of its value, unless it is one of ours.
pub(super) fn show(name: &[u8], value: &[u8], cutter: &mut Cutter, scratch: &mut Vec<u8>, sink: &mut impl Sink) {
    let mut lower = [0; NAME_ROOM];
    lower.iter_mut().zip(name).for_each(|(lower, byte)| *lower = byte.to_ascii_lowercase());
    if !lower.starts_with(OURS) {
        sink.field(&lower, name.len().min(NAME_ROOM));
        show_value(value, cutter, scratch, sink);
    }
}

/// Shows the words of a value, those of encoded words (RFC 2047) decoded.
fn show_value(value: &[u8], cutter: &mut Cutter, scratch: &mut Vec<u8>, sink: &mut impl Sink) {
    let mut rest = value;
    while let Some(start) = coded_at(rest) {
        let (plain, coded) = rest.split_at(start);
        cutter.cut(plain, sink);
        rest = match encoded(coded) {
            Some((coding, data, length)) => {
                coding.decode(data, data.len(), scratch);
                cutter.cut(scratch, sink);
                &coded[length..]
            }
            None => &coded[2..],
        };
    }
    cutter.cut(rest, sink);
}

/// Where `=?` stands. Most values have none; to prepare a search for it takes longer than to look.
fn coded_at(value: &[u8]) -> Option<usize> {
    memchr_iter(b'?', value).map(|at| at.wrapping_sub(1)).find(|&at| value.get(at) == Some(&b'='))
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
