//! Encoded words of mail headers (RFC 2047): `=?utf-8?B?...?=` and `=?iso-8859-1?Q?...?=`.

use super::pieces::is_blank;

/// Encoded words with nothing but blanks between them: what they say, or the name of the encoding that is not known.
pub(super) struct Encoded {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: Result<String, String>,
}

/// All encoded words between two places of a text.
pub(super) fn each(text: &str, start: usize, end: usize) -> Vec<Encoded> {
    let mut found: Vec<Encoded> = Vec::new();
    let mut at = start;
    while let Some(next) = text[at..end].find("=?").map(|next| at + next) {
        let Some((length, said)) = one(&text[next..end]) else {
            at = next + 2;
            continue;
        };
        let after = next + length;
        match (found.last_mut(), &said) {
            (Some(Encoded { end, text: Ok(before), .. }), Ok(more)) if is_blank(&text[*end..next]) => {
                before.push_str(more);
                *end = after;
            }
            _ => found.push(Encoded { start: next, end: after, text: said }),
        }
        at = after;
    }
    found
}

/// The encoded word that a text begins with: how long it is, and what it says.
fn one(text: &str) -> Option<(usize, Result<String, String>)> {
    let mut parts = text[2..].splitn(4, '?');
    let (charset, encoding, data, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_name = !charset.is_empty() && charset.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_name || data.contains('\n') || !rest.starts_with('=') {
        return None;
    }
    let bytes = match encoding {
        "B" | "b" => base64(data),
        "Q" | "q" => quoted(data),
        _ => return None,
    };
    Some((2 + charset.len() + encoding.len() + data.len() + 4, said(&charset.to_ascii_lowercase(), bytes)))
}

/// What bytes say in an encoding; of those that are not known, its name.
fn said(charset: &str, bytes: Vec<u8>) -> Result<String, String> {
    match charset {
        "utf-8" | "utf8" | "us-ascii" | "ascii" => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        "iso-8859-1" | "iso-8859-15" | "latin1" | "windows-1252" | "cp1252" => {
            Ok(bytes.into_iter().map(char::from).collect())
        }
        other => Err(other.to_string()),
    }
}

/// Base64, as far as it goes; whatever is none is passed over.
fn base64(data: &str) -> Vec<u8> {
    let (mut bytes, mut word, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in data.bytes().take_while(|&byte| byte != b'=') {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        (word, bits) = (word << 6 | u32::from(value), bits + 6);
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    bytes
}

/// Q: `_` is a blank, `=` and two hexadecimal digits a byte.
fn quoted(data: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = data.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let hex = |digit: u8| (digit as char).to_digit(16);
        let coded = match (first, after) {
            (b'=', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match (first, coded) {
            (_, Some((high, low))) => {
                bytes.push((high << 4 | low) as u8);
                rest = &after[2..];
            }
            (b'_', _) => bytes.push(b' '),
            _ => bytes.push(first),
        }
    }
    bytes
}
