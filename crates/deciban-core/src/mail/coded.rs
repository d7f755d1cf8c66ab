//! Bytes as mails send them: base64, quoted-printable, or as they are.

use memchr::{memchr, memchr2};

/// How bytes were made to pass through mail servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Not at all.
    Plain,
    /// Base64.
    Base64,
    /// Quoted-printable: `=` and two hexadecimal digits are a byte, `=` at the end of a line joins it with the next.
    Quoted,
    /// Q of encoded words (RFC 2047): the same, and `_` is a blank.
    Word,
}

impl Coding {
    /// What a field `Content-Transfer-Encoding` says, in any case.
    pub(crate) fn of(said: &[u8]) -> Self {
        let said = said.trim_ascii();
        if said.eq_ignore_ascii_case(b"base64") {
            Coding::Base64
        } else if said.eq_ignore_ascii_case(b"quoted-printable") {
            Coding::Quoted
        } else {
            Coding::Plain
        }
    }

    /// What bytes stand for, at most so many of them: the bytes themselves, or what is written over `room`.
    pub(crate) fn decoded<'a>(self, raw: &'a [u8], most: usize, room: &'a mut Vec<u8>) -> &'a [u8] {
        if self == Coding::Plain {
            return &raw[..raw.len().min(most)];
        }
        self.decode(raw, most, room);
        room
    }

    /// Writes what bytes stand for, at most so many of them, over `decoded`.
    pub(crate) fn decode(self, raw: &[u8], most: usize, decoded: &mut Vec<u8>) {
        decoded.clear();
        match self {
            Coding::Plain => decoded.extend_from_slice(&raw[..raw.len().min(most)]),
            Coding::Base64 => base64(raw, most, decoded),
            Coding::Quoted | Coding::Word => quoted(raw, self == Coding::Word, most, decoded),
        }
        decoded.truncate(most);
    }
}

/// What is no digit of base64.
const NONE: u32 = 1 << 31;
/// What each byte is worth as a digit of base64.
const DIGITS: [u32; 256] = {
    let (mut digits, mut value) = ([NONE; 256], 0);
    while value < 64 {
        let digit = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[value as usize];
        digits[digit as usize] = value;
        value += 1;
    }
    digits
};

/// Base64, as far as it goes; whatever is none is passed over.
fn base64(raw: &[u8], most: usize, decoded: &mut Vec<u8>) {
    let (mut word, mut bits, mut rest) = (0_u32, 0, raw);
    while decoded.len() < most {
        // Four digits are three bytes; nearly all stand so.
        if let Some((four, after)) = rest.split_first_chunk().filter(|_| bits == 0)
            && let Some(three) = three(*four)
        {
            decoded.extend_from_slice(&three);
            rest = after;
            continue;
        }
        let Some((&digit, after)) = rest.split_first().filter(|&(&digit, _)| digit != b'=') else { return };
        rest = after;
        let value = DIGITS[digit as usize];
        if value != NONE {
            (word, bits) = (word << 6 | value, bits + 6);
        }
        if bits >= 8 {
            bits -= 8;
            decoded.push((word >> bits) as u8);
        }
    }
}

/// What four digits stand for, if all are some.
fn three(four: [u8; 4]) -> Option<[u8; 3]> {
    let [a, b, c, d] = four.map(|digit| DIGITS[digit as usize]);
    let [_, three @ ..] = (a << 18 | b << 12 | c << 6 | d).to_be_bytes();
    ((a | b | c | d) & NONE == 0).then_some(three)
}

fn quoted(raw: &[u8], is_word: bool, most: usize, decoded: &mut Vec<u8>) {
    let hex = |digit: u8| (digit as char).to_digit(16);
    let mut rest = raw;
    while decoded.len() < most {
        let plain = if is_word { memchr2(b'=', b'_', rest) } else { memchr(b'=', rest) }.unwrap_or(rest.len());
        decoded.extend_from_slice(&rest[..plain.min(most - decoded.len())]);
        let Some((&first, after)) = rest[plain..].split_first().filter(|_| decoded.len() < most) else { return };
        rest = after;
        match (first, after) {
            (b'=', [b'\n', more @ ..] | [b'\r', b'\n', more @ ..]) => rest = more,
            (b'=', [high, low, more @ ..]) => match hex(*high).zip(hex(*low)) {
                Some((high, low)) => {
                    decoded.push((high << 4 | low) as u8);
                    rest = more;
                }
                None => decoded.push(b'='),
            },
            (b'_', _) if is_word => decoded.push(b' '),
            _ => decoded.push(first),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Digit by digit.
    fn slowly(raw: &[u8], most: usize) -> Vec<u8> {
        let digits = raw.iter().take_while(|&&byte| byte != b'=').map(|&byte| DIGITS[byte as usize]);
        let digits: Vec<u32> = digits.filter(|&digit| digit != NONE).collect();
        let bits = digits.iter().flat_map(|digit| (0..6).rev().map(move |bit| (digit >> bit & 1) as u8));
        let bits: Vec<u8> = bits.collect();
        let bytes = bits.as_chunks::<8>().0.iter().map(|eight| eight.iter().fold(0, |byte, bit| byte << 1 | bit));
        bytes.take(most).collect()
    }

    proptest! {
        #[test]
        fn base64_is_read_four_digits_at_a_time_as_one_at_a_time(
            raw in prop::collection::vec(prop_oneof![9 => prop::sample::select(b"AZaz09+/mQ".to_vec()), 1 => any::<u8>()], 0..90),
            most in 0..60_usize,
        ) {
            prop_assert_eq!(decoded(Coding::Base64, &raw, most), slowly(&raw, most));
        }
    }

    fn decoded(coding: Coding, raw: &[u8], most: usize) -> Vec<u8> {
        let mut found = vec![1];
        coding.decode(raw, most, &mut found);
        found
    }

    #[test]
    fn bytes_are_decoded_as_far_as_they_go() {
        assert_eq!(decoded(Coding::Base64, b"SGVs\r\nbG8gQm9i!=ignored", 99), b"Hello Bob");
        assert_eq!(decoded(Coding::Base64, b"SGVsbG8gQm9i", 4), b"Hell");
        assert_eq!(decoded(Coding::Quoted, b"caf=C3=a9 =\r\nau_lait =3g=", 99), "café au_lait =3g=".as_bytes());
        assert_eq!(decoded(Coding::Word, b"a_b=5Fc", 99), b"a b_c");
        assert_eq!(decoded(Coding::Plain, b"as it is", 5), b"as it");
        assert_eq!(Coding::of(b" BASE64\r"), Coding::Base64);
        assert_eq!(Coding::of(b"8bit"), Coding::Plain);
    }
}
