//! Encoded words of mail headers (RFC 2047): `=?utf-8?B?...?=` and `=?iso-8859-1?Q?...?=`.

use super::pieces::is_blank;
use crate::mail::coded::Coding;

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
    let coding = match encoding {
        "B" | "b" => Coding::Base64,
        "Q" | "q" => Coding::Word,
        _ => return None,
    };
    let mut bytes = Vec::new();
    coding.decode(data.as_bytes(), data.len(), &mut bytes);
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
