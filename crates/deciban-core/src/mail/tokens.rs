//! Bytes of a mail -> words: runs of letters, digits and what may stand in or before or after them.

/// Longer words are no words: they are random, or encoded, and no two mails have the same.
const LONGEST: usize = 30;

/// What a byte may be in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing: it ends a word.
    End,
    /// A letter or a digit, or part of one; or a mark that is one for whoever sells.
    Word,
    /// Inside a word only.
    Inside,
    /// Inside a word and after it.
    After,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::End; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'$' | b'%' | 0x80..=0xff => Kind::Word,
            b'.' | b'-' | b'\'' | b'_' => Kind::Inside,
            b'!' => Kind::After,
            _ => Kind::End,
        };
        byte += 1;
    }
    kinds
};

/// Each byte of a word in lower case, and nothing for those that end one.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if !matches!(KINDS[byte], Kind::End) {
            letters[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    letters
};

/// Appends the words of some bytes, of UTF-8 or Latin-1, in lower case as far as they are ASCII: each with what shall
/// stand before it, and a blank. What is appended is UTF-8.
pub(super) fn write(before: &[u8], bytes: &[u8], seen: &mut Vec<u8>) {
    match std::str::from_utf8(bytes) {
        Ok(_) => write_utf8(before, bytes, seen),
        // A character that is cut at the end, after others that are whole.
        Err(error) if error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii() => {
            write_utf8(before, &bytes[..error.valid_up_to()], seen);
        }
        Err(_) => {
            let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
            write_utf8(before, text.as_bytes(), seen);
        }
    }
}

fn write_utf8(before: &[u8], bytes: &[u8], seen: &mut Vec<u8>) {
    let from = seen.len();
    // A word has two bytes, and one after it; one more may be begun.
    let most = bytes.len() + 1 + (bytes.len().div_ceil(3) + 1) * before.len();
    seen.resize(from + most, 0);
    let room = &mut seen[from..];
    let (mut start, mut at) = (0, 0);
    for &byte in bytes {
        let letter = LETTERS[byte as usize];
        if letter == 0 {
            at = ended(room, start, at, before.len());
            start = at;
        } else if at > start {
            room[at] = letter;
            at += 1;
        } else if KINDS[byte as usize] == Kind::Word {
            room[at..at + before.len()].copy_from_slice(before);
            at += before.len() + 1;
            room[at - 1] = letter;
        }
    }
    at = ended(room, start, at, before.len());
    seen.truncate(from + at);
}

/// Where to go on after what stands from `start` to `end`, the first so many bytes of which stand before a word: with a
/// blank after it if it is one, and over it if it is none.
#[inline]
fn ended(room: &mut [u8], start: usize, mut end: usize, before: usize) -> usize {
    if start == end {
        return end;
    }
    while KINDS[room[end - 1] as usize] == Kind::Inside {
        end -= 1;
    }
    if !(2..=LONGEST).contains(&(end - start - before)) {
        return start;
    }
    room[end] = b' ';
    end + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(bytes: &[u8]) -> String {
        let mut seen = Vec::new();
        write(b"", bytes, &mut seen);
        String::from_utf8(seen).unwrap()
    }

    #[test]
    fn words_keep_what_stands_in_them() {
        assert_eq!(
            seen(b"Don't -- wait: $9.99 (100%)... www.a-b.com/x FREE!!! a"),
            "don't wait $9.99 100% www.a-b.com free!!! "
        );
        assert_eq!(seen("Café".as_bytes()), "café ");
        assert_eq!(seen(b"Caf\xe9"), "café ");
        assert_eq!(seen(&"éé".as_bytes()[..3]), "é ");
        assert_eq!(seen(&[b'x'; 31]), "");
    }
}
