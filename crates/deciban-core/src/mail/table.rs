//! What the words of a model of mails weigh, as a file has it: a table of keys that is asked where it lies, so that
//! nothing is built before the first mail.
//!
//! A head of [`HEAD`] bytes: what it is, a checksum of all that follows, the name of the model that it was made of (64
//! bytes), numbers by lot that make keys, how many places there are, [`NUMBERS`] that [`super::judge`] understands, and the
//! labels, with an end of line between. Then places of [`PLACE`] bytes, a line of a cache: tags, five, each the lower half of
//! a key, or 0; of each what the word weighs among all words; of each what it weighs among those of its kind, fields' or
//! text's; and a number that is 0 unless some word has found the place full. The upper half of a key says in which place it
//! is looked for first, and then in those after it, as long as they were full. Nine in ten words of a mail are known: so what
//! a word weighs stands where it is found, and is on its way before it is asked for.

use super::keys::{SEEDS, Seeds};
use crate::Invalid;
use crate::near::prefetch;

const MAGIC: [u8; 8] = *b"mails 3\n";
const HEAD: usize = 512;
/// Tags in a place, and numbers in it: they, twice as many weights, and whether it was full.
const TAGS: usize = 5;
const OF_PLACE: usize = 3 * TAGS + 1;
const PLACE: usize = 4 * OF_PLACE;
/// So many places for so many words: half of all tags are words, so that few stand in another place than their first.
const PLACES: usize = 2;
const FOR_WORDS: usize = 5;
/// Bytes of the name of a model.
pub const NAME: usize = 64;

/// How many numbers a model has beside its weights.
pub const NUMBERS: usize = 16;
/// Where labels stand in the head.
const LABELS: usize = 256;

const WRONG: Invalid = Invalid("it is no table of words of mails, or it is damaged");

/// Two words cannot be told apart by these numbers by lot, which is rare: by others they can.
const SAME: Invalid = Invalid("two words have one key");

/// A table, in the bytes of its file.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    pub(super) seeds: Seeds,
    pub(super) numbers: [f64; NUMBERS],
    /// The name of the model that it was made of.
    pub name: &'a [u8],
    /// The labels, with an end of line between.
    pub labels: &'a [u8],
    places: &'a [[u8; PLACE]],
}

impl<'a> Table<'a> {
    /// The table that a file holds.
    pub fn of(file: &'a [u8]) -> Result<Self, Invalid> {
        let table = Self::again(file)?;
        if file[8..16] == sum(&file[16..]).to_le_bytes() { Ok(table) } else { Err(WRONG) }
    }

    /// The table that a file holds whose checksum has been looked at before.
    pub fn again(file: &'a [u8]) -> Result<Self, Invalid> {
        let (head, rest) = file.split_first_chunk::<HEAD>().ok_or(WRONG)?;
        let (words, _) = head.as_chunks();
        let word = |at: usize| u64::from_le_bytes(words[at]);
        let (places, rest) = rest.as_chunks();
        if words[0] != MAGIC || !rest.is_empty() || places.is_empty() || word(14) != places.len() as u64 {
            return Err(WRONG);
        }
        let seeds = Seeds(std::array::from_fn(|i| word(10 + i)));
        let numbers = std::array::from_fn(|i| f64::from_bits(word(16 + i)));
        let labels = head[LABELS..].split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(Table { seeds, numbers, name: &head[16..16 + NAME], labels, places })
    }

    /// What a word weighs among all, and among those of its kind, and whether the table has it; it weighs nothing, if not.
    #[inline(always)]
    pub(super) fn weights(&self, key: u64) -> (f64, f64, bool) {
        let mut at = first(key, self.places.len());
        let mut tags = tags_of(&self.places[at], key as u32);
        // Of a hundred words two or three stand further on. A table that is full, which none that was built is, has an end
        // nevertheless.
        let mut left = self.places.len();
        while (tags == 0) & (number(&self.places[at], OF_PLACE - 1) != 0) & (left > 0) {
            (at, left) = (next(at, self.places.len()), left - 1);
            tags = tags_of(&self.places[at], key as u32);
        }
        // Whether it is there cannot be foreseen: what stands there is read, and is nothing if it is not.
        let (is_there, tag) = (tags != 0, (tags | 1 << TAGS).trailing_zeros() as usize);
        let all_or_none = 0_u32.wrapping_sub(u32::from(is_there));
        let weight = |kind: usize| number(&self.places[at], (kind * TAGS + tag) % OF_PLACE) & all_or_none;
        (f64::from(f32::from_bits(weight(1))), f64::from(f32::from_bits(weight(2))), is_there)
    }

    /// Brings near what a word weighs.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.places[first(key, self.places.len())]);
    }
}

/// The place in which a word is looked for first.
#[inline(always)]
fn first(key: u64, places: usize) -> usize {
    // Where there were more than 2^32 places, 256 GB of them, keys would tell some apart only, and none past the last.
    ((key >> 32).wrapping_mul(places as u64) >> 32) as usize
}

/// The place after another.
#[inline(always)]
fn next(at: usize, places: usize) -> usize {
    if at + 1 < places { at + 1 } else { 0 }
}

/// Which tags of a place are this one: a bit for each.
#[inline(always)]
fn tags_of(place: &[u8; PLACE], tag: u32) -> u32 {
    (0..TAGS).fold(0, |bits, i| bits | u32::from(number(place, i) == tag) << i)
}

#[inline(always)]
fn number(place: &[u8; PLACE], at: usize) -> u32 {
    u32::from_le_bytes(place.as_chunks().0[at])
}

/// The file of a table: of names, and of what each weighs among all words and among those of its kind.
pub fn build<'a>(
    model: &[u8; NAME],
    labels: &[u8],
    seeds: [u64; SEEDS],
    numbers: [f64; NUMBERS],
    words: impl ExactSizeIterator<Item = (&'a [u8], f32, f32)>,
) -> Result<Vec<u8>, Invalid> {
    if labels.len() >= HEAD - LABELS || labels.contains(&0) {
        return Err(Invalid("the labels are too long for a table"));
    }
    let places = PLACES * words.len() / FOR_WORDS + 1;
    let mut file = vec![0; HEAD + PLACE * places];
    let (head, rest) = file.split_at_mut(HEAD);
    head[..8].copy_from_slice(&MAGIC);
    head[16..16 + NAME].copy_from_slice(model);
    head[LABELS..LABELS + labels.len()].copy_from_slice(labels);
    let after = seeds.into_iter().chain([places as u64, 0]).chain(numbers.map(f64::to_bits));
    let room = head[16 + NAME..].as_chunks_mut().0;
    room.iter_mut().zip(after).for_each(|(room, number)| *room = number.to_le_bytes());
    let places = rest.as_chunks_mut::<PLACE>().0;
    for (name, among_all, among_kind) in words {
        let key = Seeds(seeds).of_name(name);
        let mut at = first(key, places.len());
        let free = loop {
            if tags_of(&places[at], key as u32) != 0 {
                return Err(SAME);
            }
            let free = tags_of(&places[at], 0);
            if free != 0 {
                break free.trailing_zeros() as usize;
            }
            write(&mut places[at], OF_PLACE - 1, 1);
            at = next(at, places.len());
        };
        let numbers = [key as u32, among_all.to_bits(), among_kind.to_bits()];
        numbers.into_iter().enumerate().for_each(|(kind, number)| write(&mut places[at], kind * TAGS + free, number));
    }
    let sum = sum(&file[16..]);
    file[8..16].copy_from_slice(&sum.to_le_bytes());
    Ok(file)
}

fn write(place: &mut [u8; PLACE], at: usize, number: u32) {
    place.as_chunks_mut().0[at] = number.to_le_bytes();
}

/// A checksum: against disks that fail, not against people.
fn sum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (lanes, rest) = bytes.as_chunks::<32>();
    let mut sums = [1_u64, 2, 3, bytes.len() as u64];
    for lane in lanes {
        let (words, _) = lane.as_chunks();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = (*sum ^ u64::from_le_bytes(*word)).wrapping_mul(ODD).rotate_left(29);
        }
    }
    let tail = rest.iter().fold(0, |all: u64, &byte| (all ^ u64::from(byte)).wrapping_mul(ODD).rotate_left(9));
    sums.into_iter().fold(tail, |all, sum| (all ^ sum).wrapping_mul(ODD).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_finds_what_it_was_made_of() {
        let names: Vec<String> =
            (0..1000).map(|i| if i % 3 == 0 { format!("to:{i}") } else { i.to_string() }).collect();
        let words = names.iter().enumerate().map(|(i, name)| (name.as_bytes(), i as f32, -(i as f32)));
        let numbers = std::array::from_fn(|i| i as f64);
        let seeds = [3_u64.pow(40), 5_u64.pow(27), 7_u64.pow(22), 11_u64.pow(18)];
        let file = build(&[b'a'; NAME], b"ham\nspam", seeds, numbers, words).unwrap();
        let table = Table::of(&file).unwrap();
        assert_eq!((table.name, table.labels, table.numbers), (&[b'a'; NAME][..], &b"ham\nspam"[..], numbers));
        for (i, name) in names.iter().enumerate() {
            assert_eq!(table.weights(table.seeds.of_name(name.as_bytes())), (i as f64, -(i as f64), true));
        }
        assert_eq!(table.weights(table.seeds.of_name(b"from:3")), (0.0, 0.0, false));
        for at in [0, 9, 20, 100, 200, 600, file.len() - 1] {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert!(Table::of(&damaged).is_err());
        }
        assert!(Table::of(&file[..file.len() - 16]).is_err());
    }
}
