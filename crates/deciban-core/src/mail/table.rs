//! What the words of a model of mails weigh, as a file has it: a table of keys that is asked where it lies, so that
//! nothing is built before the first mail.
//!
//! A head of [`HEAD`] bytes: what it is, a checksum of all that follows, the name of the model that it was made of (64
//! bytes), numbers by lot that make keys, how many slots there are (two to that power), [`NUMBERS`] that [`super::judge`]
//! understands, and the labels, with an end of line between. Then tags, four in each place: the lower half of a key, or 0.
//! The upper bits of a key say in which place it is looked for first, and then in those after it, as long as they are full.
//! Then, for each tag, what the word weighs among all words and among those of its kind, fields' or text's: to find that a
//! word is unknown takes one look, at a quarter of the bytes.

use super::keys::{SEEDS, Seeds};
use crate::Invalid;
use crate::near::prefetch;

const MAGIC: [u8; 8] = *b"mails 2\n";
const HEAD: usize = 512;
/// Tags in a place: four are compared at once, and stand in one line of a cache.
const TAGS: usize = 4;
const PLACE: usize = 4 * TAGS;
const WEIGHTS: usize = 8;
/// Bytes of the name of a model.
pub const NAME: usize = 64;
const FEWEST_BITS: u32 = 2;
const MOST_BITS: u32 = 32;

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
    weights: &'a [[u8; WEIGHTS]],
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
        let (head, rest) = file.split_first_chunk::<HEAD>().ok_or(WRONG)?;
        let (words, _) = head.as_chunks();
        let word = |at: usize| u64::from_le_bytes(words[at]);
        let bits = u32::try_from(word(14)).ok().filter(|bits| (FEWEST_BITS..=MOST_BITS).contains(bits)).ok_or(WRONG)?;
        let (places, weights) = rest.split_at_checked(PLACE << bits).ok_or(WRONG)?;
        let (places, (weights, rest)) = (places.as_chunks().0, weights.as_chunks());
        if words[0] != MAGIC || !rest.is_empty() || weights.len() != TAGS << bits {
            return Err(WRONG);
        }
        let seeds = Seeds(std::array::from_fn(|i| word(10 + i)));
        let numbers = std::array::from_fn(|i| f64::from_bits(word(16 + i)));
        let labels = head[LABELS..].split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(Table { seeds, numbers, name: &head[16..16 + NAME], labels, places, weights, shift: 64 - bits })
    }

    /// Where the weights of a word stand, if the table has it.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<usize> {
        let (place, is_there) = self.look(key);
        is_there.then_some(place)
    }

    /// Writes down which of some keys the table has, and where their weights stand; says how many those are. Weights are
    /// on their way then.
    pub(super) fn find_all(&self, keys: &[u64], found: &mut Vec<(u64, usize)>) -> usize {
        found.resize(found.len().max(keys.len()), (0, 0));
        let mut many = 0;
        for &key in keys {
            // Nobody can foresee whether it is there.
            let (place, is_there) = self.look(key);
            prefetch(&self.weights[place]);
            found[many] = (key, place);
            many += usize::from(is_there);
        }
        many
    }

    #[inline(always)]
    fn look(&self, key: u64) -> (usize, bool) {
        let mut at = (key >> self.shift) as usize;
        // A table that is full, which none that was built is, has an end nevertheless.
        for _ in 0..self.places.len() {
            let tags = tags(&self.places[at]);
            let is_at = |i: usize| u32::from(tags[i] == key as u32) << i;
            let bits = is_at(0) | is_at(1) | is_at(2) | is_at(3);
            if (bits != 0) | (tags[TAGS - 1] == 0) {
                return (TAGS * at + bits.trailing_zeros() as usize % TAGS, bits != 0);
            }
            at = (at + 1) & (self.places.len() - 1);
        }
        (0, false)
    }

    /// What the word weighs whose weights stand there: among all, and among those of its kind.
    #[inline]
    pub(super) fn weights(&self, place: usize) -> (f64, f64) {
        let (weights, _) = self.weights[place].as_chunks();
        (f64::from(f32::from_le_bytes(weights[0])), f64::from(f32::from_le_bytes(weights[1])))
    }

    /// Some bits of the places where keys are looked for first: to read them all brings them near, many at a time.
    #[inline]
    pub(super) fn near(&self, keys: &[u64]) -> u8 {
        keys.iter().fold(0, |all, key| all ^ self.places.get((key >> self.shift) as usize).map_or(0, |tags| tags[0]))
    }
}

#[inline]
fn tags(place: &[u8; PLACE]) -> [u32; TAGS] {
    let (tags, _) = place.as_chunks();
    std::array::from_fn(|i| u32::from_le_bytes(tags[i]))
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
    let bits = words.len().div_ceil(2).max(1 << FEWEST_BITS).next_power_of_two().trailing_zeros();
    let mut file = vec![0; HEAD + ((PLACE + TAGS * WEIGHTS) << bits)];
    let (head, rest) = file.split_at_mut(HEAD);
    head[..8].copy_from_slice(&MAGIC);
    head[16..16 + NAME].copy_from_slice(model);
    head[LABELS..LABELS + labels.len()].copy_from_slice(labels);
    let after = seeds.into_iter().chain([u64::from(bits), 0]).chain(numbers.map(f64::to_bits));
    let room = head[16 + NAME..].as_chunks_mut().0;
    room.iter_mut().zip(after).for_each(|(room, number)| *room = number.to_le_bytes());
    let (places, weights) = rest.split_at_mut(PLACE << bits);
    let (places, weights) = (places.as_chunks_mut().0, weights.as_chunks_mut::<WEIGHTS>().0);
    for (name, among_all, among_kind) in words {
        let key = Seeds(seeds).of_name(name);
        let mut at = (key >> (64 - bits)) as usize;
        let free = loop {
            let there = tags(&places[at]);
            if there.contains(&(key as u32)) {
                return Err(SAME);
            }
            if let Some(free) = there.iter().position(|&tag| tag == 0) {
                break free;
            }
            at = (at + 1) & (places.len() - 1);
        };
        places[at].as_chunks_mut().0[free] = (key as u32).to_le_bytes();
        let room = weights[TAGS * at + free].as_chunks_mut().0;
        (room[0], room[1]) = (among_all.to_le_bytes(), among_kind.to_le_bytes());
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
            let place = table.find(table.seeds.of_name(name.as_bytes())).unwrap();
            assert_eq!(table.weights(place), (i as f64, -(i as f64)));
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
