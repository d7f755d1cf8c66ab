//! What the words of a model of mails weigh, as a file has it: a table of keys that is asked where it lies, so that
//! nothing is built before the first mail.
//!
//! A head of [`HEAD`] bytes: what it is, a checksum of all that follows, the name of the model that it was made of (64
//! bytes), numbers by lot that make keys, how many slots there are (two to that power), [`NUMBERS`] that [`super::judge`]
//! understands, and the labels, with an end of line between. Then slots: a key, or 0, and what the word weighs among all
//! words and among those of its kind, fields' or text's.

use super::keys::{SEEDS, Seeds};
use crate::Invalid;

const MAGIC: [u8; 8] = *b"mails 1\n";
const HEAD: usize = 512;
const SLOT: usize = 16;
/// Bytes of the name of a model.
pub const NAME: usize = 64;
const FEWEST_BITS: u32 = 4;
const MOST_BITS: u32 = 40;

/// How many numbers a model has beside its weights.
pub const NUMBERS: usize = 16;
/// Where labels stand in the head.
const LABELS: usize = 256;

const WRONG: Invalid = Invalid("it is no table of words of mails, or it is damaged");

/// A table, in the bytes of its file.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    pub(super) seeds: Seeds,
    pub(super) numbers: [f64; NUMBERS],
    /// The name of the model that it was made of.
    pub name: &'a [u8],
    /// The labels, with an end of line between.
    pub labels: &'a [u8],
    slots: &'a [[u8; SLOT]],
    shift: u32,
}

impl<'a> Table<'a> {
    /// The table that a file holds.
    pub fn of(file: &'a [u8]) -> Result<Self, Invalid> {
        let table = Self::again(file)?;
        if file[8..16] == sum(&file[16..]).to_le_bytes() { Ok(table) } else { Err(WRONG) }
    }

    /// The table that a file holds whose checksum has been looked at before.
    pub fn again(file: &'a [u8]) -> Result<Self, Invalid> {
        let (head, slots) = file.split_first_chunk::<HEAD>().ok_or(WRONG)?;
        let (words, _) = head.as_chunks();
        let word = |at: usize| u64::from_le_bytes(words[at]);
        let (slots, rest) = slots.as_chunks();
        let bits = u32::try_from(word(14)).ok().filter(|bits| (FEWEST_BITS..=MOST_BITS).contains(bits)).ok_or(WRONG)?;
        if words[0] != MAGIC || !rest.is_empty() || slots.len() != 1 << bits {
            return Err(WRONG);
        }
        let seeds = Seeds(std::array::from_fn(|i| word(10 + i)));
        let numbers = std::array::from_fn(|i| f64::from_bits(word(16 + i)));
        let labels = head[LABELS..].split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(Table { seeds, numbers, name: &head[16..16 + NAME], labels, slots, shift: 64 - bits })
    }

    /// What a word weighs among all, and among those of its kind.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<(f32, f32)> {
        let mut at = (key >> self.shift) as usize;
        loop {
            let slot = self.slots.get(at)?;
            let (words, _) = slot.as_chunks();
            match u64::from_le_bytes(words[0]) {
                0 => return None,
                there if there == key => {
                    let (weights, _) = slot.as_chunks();
                    return Some((f32::from_le_bytes(weights[2]), f32::from_le_bytes(weights[3])));
                }
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Some bits of the slots where keys are looked for first: to read them all brings them near, many at a time.
    #[inline]
    pub(super) fn near(&self, keys: &[u64]) -> u8 {
        keys.iter().fold(0, |all, key| all ^ self.slots.get((key >> self.shift) as usize).map_or(0, |slot| slot[0]))
    }
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
    let bits = (words.len().saturating_mul(3) / 2).max(1 << FEWEST_BITS).next_power_of_two().trailing_zeros();
    let mut file = vec![0; HEAD + (SLOT << bits)];
    let (head, slots) = file.split_at_mut(HEAD);
    head[..8].copy_from_slice(&MAGIC);
    head[16..16 + NAME].copy_from_slice(model);
    head[LABELS..LABELS + labels.len()].copy_from_slice(labels);
    let after = seeds.into_iter().chain([u64::from(bits), 0]).chain(numbers.map(f64::to_bits));
    let room = head[16 + NAME..].as_chunks_mut().0;
    room.iter_mut().zip(after).for_each(|(room, number)| *room = number.to_le_bytes());
    let slots = slots.as_chunks_mut::<SLOT>().0;
    for (name, among_all, among_kind) in words {
        let key = Seeds(seeds).of_name(name);
        let mut at = (key >> (64 - bits)) as usize;
        while slots[at][..8] != [0; 8] {
            if slots[at][..8] == key.to_le_bytes() {
                return Err(Invalid("two words have one key"));
            }
            at = (at + 1) & (slots.len() - 1);
        }
        slots[at][..8].copy_from_slice(&key.to_le_bytes());
        slots[at][8..12].copy_from_slice(&among_all.to_le_bytes());
        slots[at][12..].copy_from_slice(&among_kind.to_le_bytes());
    }
    let sum = sum(&file[16..]);
    file[8..16].copy_from_slice(&sum.to_le_bytes());
    Ok(file)
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
            assert_eq!(table.find(table.seeds.of_name(name.as_bytes())), Some((i as f32, -(i as f32))));
        }
        assert_eq!(table.find(table.seeds.of_name(b"from:3")), None);
        for at in [0, 9, 20, 100, 200, 600, file.len() - 1] {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert!(Table::of(&damaged).is_err());
        }
        assert!(Table::of(&file[..file.len() - 16]).is_err());
    }
}
