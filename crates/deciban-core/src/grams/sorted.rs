//! N-grams that were met, in canonical order.
//!
//! A meeting is one number,
//!
//! ```text
//!     place of what it begins with, from where its bucket begins | rank of its last word | turn of its document
//! ```
//!
//! and sorted by it. Documents take their turns label by label, so that meetings of one label are neighbours, too; as
//! they are dealt out in turn, only the bits above need sorting. A bucket has some thousand meetings, which the cache
//! holds, or those of a single place.

use super::{MARK, Met, Sum};
use crate::order::by_radix;
use crate::parts;

/// About how many meetings a bucket has.
const FULL: usize = 1 << 14;
/// Below this many meetings a thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 18;
/// Below this many numbers, comparing them is faster than looking at their digits.
const FEW: usize = 256;
const RADIX: u32 = 10;
const DIGITS: usize = 1 << RADIX;

/// How nodes and labels stand in canonical order: a node's place, its rank as a last word, the number of a label.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) place: &'a [u32],
    pub(crate) rank: &'a [u32],
    pub(crate) number: &'a [u32],
}

/// What was counted of an n-gram that ends in the word of a rank, under a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) word: u32,
    pub(crate) label: u32,
    pub(crate) occurrences: i64,
    pub(crate) presences: i64,
}

/// Sorted n-grams, to be asked for place by place, in order.
#[derive(Debug)]
pub(crate) struct Sorted {
    meetings: Vec<u64>,
    bits: Bits,
    /// Where each label's turns end.
    ends: Vec<u64>,
    buckets: Vec<Bucket>,
    /// The bucket of the last place, how many are sorted, and what of all meetings is done.
    bucket: usize,
    sorted: usize,
    at: usize,
    spare: Vec<u64>,
    /// Sums of before, by place and word, and how many of them are done.
    sums: Vec<(u64, Sum)>,
    summed: usize,
    totals: Vec<Total>,
}

/// The places from `lowest` on, and where their meetings end.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    lowest: u32,
    end: usize,
}

/// How many bits a turn has, and a word.
#[derive(Debug, Clone, Copy)]
struct Bits {
    turn: u32,
    word: u32,
}

/// Where a node's meetings go, and what stands for it in them.
#[derive(Debug, Clone, Copy, Default)]
struct Spot {
    bucket: u32,
    beyond: u32,
    rank: u32,
}

impl Sorted {
    pub(super) fn new(met: Met, sums: Vec<Sum>, places: Places<'_>, threads: usize) -> Self {
        let bits = Bits { turn: bits_of(met.documents.len()), word: bits_of(places.rank.len()) };
        let (turns, ends) = turns(&met, places.number);
        let buckets = buckets(&met, places.place, bits);
        let mut meetings = dealt(&met, &turns, &spots(&buckets, places), bits, &buckets);
        drop(met);
        let sorted = sort_at_once(&mut meetings, &buckets, bits, threads);
        let (sums, spare, totals) = (sums_in_order(sums, places), Vec::new(), Vec::new());
        Sorted { meetings, bits, ends, buckets, bucket: 0, sorted, at: 0, spare, sums, summed: 0, totals }
    }

    /// How many postings there are at most.
    pub(crate) fn len(&self) -> usize {
        self.meetings.len() + self.sums.len()
    }

    /// The n-grams that begin with the node of the next place: by last word, then by label.
    #[inline]
    pub(crate) fn after(&mut self, place: u32) -> &[Total] {
        self.totals.clear();
        if self.buckets.get(self.bucket + 1).is_some_and(|next| next.lowest == place) {
            self.bucket += 1;
        }
        if let Some(&Bucket { lowest, end }) = self.buckets.get(self.bucket) {
            if self.bucket >= self.sorted {
                // Just before it is counted: it is still in the cache then.
                by_digits(&mut self.meetings[self.at..end], &mut self.spare, self.bits.turn);
                self.sorted = self.bucket + 1;
            }
            self.at += self.count(u64::from(place - lowest), end);
        }
        if self.sums.get(self.summed).is_some_and(|next| next.0 >> 32 == u64::from(place)) {
            self.add_sums(place);
        }
        &self.totals
    }

    /// Counts the meetings of a place; returns how many there are.
    #[inline]
    fn count(&mut self, beyond: u64, end: usize) -> usize {
        let Bits { turn: turn_bits, word: word_bits } = self.bits;
        let turn_of = |meeting: u64| meeting & ((1 << turn_bits) - 1);
        let rest = &self.meetings[self.at..end];
        let mut at = 0;
        while let Some(&first) = rest.get(at).filter(|&&first| first >> (turn_bits + word_bits) == beyond) {
            // All of one n-gram and label lie between the first and the end of the label's turns.
            let label = label_of(&self.ends, turn_of(first));
            let end = (first >> turn_bits << turn_bits) + self.ends[label as usize];
            let (mut last, mut presences, start) = (first, 1, at);
            at += 1;
            while let Some(&next) = rest.get(at).filter(|&&next| next < end) {
                presences += i64::from(next != last);
                last = next;
                at += 1;
            }
            let word = (first >> turn_bits) as u32 & ((1_u64 << word_bits) - 1) as u32;
            self.totals.push(Total { word, label, occurrences: (at - start) as i64, presences });
        }
        at
    }

    /// Adds what was summed up before of the n-grams that begin with the node of a place.
    #[cold]
    fn add_sums(&mut self, place: u32) {
        let rest = &self.sums[self.summed..];
        let here = rest.iter().take_while(|of| of.0 >> 32 == u64::from(place));
        let before = self.totals.len();
        self.totals.extend(here.map(|&(key, sum)| {
            let (occurrences, presences) = (sum.occurrences.into(), sum.presences.into());
            Total { word: key as u32, label: sum.label, occurrences, presences }
        }));
        self.summed += self.totals.len() - before;
        self.totals.sort_unstable_by_key(|of| (of.word, of.label));
        self.totals.dedup_by(|next, kept| {
            let is_same = (next.word, next.label) == (kept.word, kept.label);
            if is_same {
                kept.occurrences += next.occurrences;
                kept.presences += next.presences;
            }
            is_same
        });
    }
}

/// How many bits the numbers below `n` take; at least one.
fn bits_of(n: usize) -> u32 {
    usize::BITS - n.max(2).saturating_sub(1).leading_zeros()
}

/// The label whose turns hold this one.
#[inline(always)]
fn label_of(ends: &[u64], turn: u64) -> u32 {
    match ends.len() {
        0..=8 => ends.iter().map(|&end| u32::from(end <= turn)).sum(),
        _ => ends.partition_point(|&end| end <= turn) as u32,
    }
}

/// The turn of each document, by the numbers of their labels; and where each number's turns end.
fn turns(met: &Met, number: &[u32]) -> (Vec<u64>, Vec<u64>) {
    let mut ends = vec![0_u64; number.len() + 1];
    met.documents.iter().for_each(|&(_, label)| ends[number[label as usize] as usize + 1] += 1);
    for label in 0..number.len() {
        ends[label + 1] += ends[label];
    }
    let next = |&(_, label): &(usize, u32)| {
        let turn = &mut ends[number[label as usize] as usize];
        *turn += 1;
        *turn - 1
    };
    let turns = met.documents.iter().map(next).collect();
    ends.pop();
    (turns, ends)
}

/// Runs of places with about as many meetings each, that leave room for the bits of words and turns.
fn buckets(met: &Met, place: &[u32], bits: Bits) -> Vec<Bucket> {
    let places = place.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut sizes, mut of_node) = (vec![0_usize; places], vec![0_usize; place.len()]);
    Met::each(&met.words, |first, _| of_node[first as usize] += 1);
    place.iter().zip(of_node).for_each(|(&place, size)| sizes[place as usize] += size);
    let widest = 1_u64 << (u64::BITS - bits.turn - bits.word).min(u32::BITS);
    let mut buckets = Vec::new();
    let (mut bucket, mut start) = (Bucket { lowest: 0, end: 0 }, 0);
    for (place, size) in (0_u32..).zip(sizes) {
        let is_full = bucket.end - start + size > FULL && bucket.end > start;
        if is_full || u64::from(place - bucket.lowest) >= widest {
            buckets.push(bucket);
            start = bucket.end;
            bucket.lowest = place;
        }
        bucket.end += size;
    }
    buckets.push(bucket);
    buckets
}

/// Where each node's meetings go.
fn spots(buckets: &[Bucket], places: Places<'_>) -> Vec<Spot> {
    let mut of_place: Vec<u32> = Vec::with_capacity(places.place.len());
    for (number, next) in (0..).zip(&buckets[1..]) {
        of_place.resize(next.lowest as usize, number);
    }
    of_place.resize(places.place.len().max(of_place.len()), buckets.len() as u32 - 1);
    let spot = |(&place, &rank): (&u32, &u32)| {
        let bucket = of_place[place as usize];
        Spot { bucket, beyond: place - buckets[bucket as usize].lowest, rank }
    };
    places.place.iter().zip(places.rank).map(spot).collect()
}

/// All meetings, dealt out to their buckets turn by turn.
fn dealt(met: &Met, turns: &[u64], spots: &[Spot], bits: Bits, buckets: &[Bucket]) -> Vec<u64> {
    let mut by_turn = vec![(0, 0); turns.len()];
    let mut start = 0;
    for (&turn, &(end, _)) in turns.iter().zip(&met.documents) {
        by_turn[turn as usize] = (start, end);
        start = end;
    }
    let mut next: Vec<usize> = std::iter::once(0).chain(buckets.iter().map(|bucket| bucket.end)).collect();
    let mut meetings = vec![0; met.grams];
    for (turn, (start, end)) in (0_u64..).zip(by_turn) {
        let mut first = Spot::default();
        for &word in &met.words[start..end] {
            let spot = spots[(word & !MARK) as usize];
            if word & MARK == 0 {
                let at = &mut next[first.bucket as usize];
                let gram = u64::from(first.beyond) << bits.word | u64::from(spot.rank);
                meetings[*at] = gram << bits.turn | turn;
                *at += 1;
            }
            first = spot;
        }
    }
    meetings
}

/// Sorts all buckets, if there are threads for it; returns how many are sorted.
fn sort_at_once(meetings: &mut [u64], buckets: &[Bucket], bits: Bits, threads: usize) -> usize {
    let threads = parts::count(threads, meetings.len() / WORTH_A_THREAD);
    if threads == 1 {
        return 0;
    }
    let (mut rest, mut start, mut jobs) = (meetings, 0, Vec::with_capacity(threads));
    for buckets in buckets.chunks(buckets.len().div_ceil(threads)) {
        let end = buckets.last().map_or(start, |last| last.end);
        let (here, after) = rest.split_at_mut(end - start);
        jobs.push(move || sort_some(here, start, buckets, bits));
        (rest, start) = (after, end);
    }
    parts::run(jobs);
    buckets.len()
}

fn sort_some(mut rest: &mut [u64], mut start: usize, buckets: &[Bucket], bits: Bits) {
    let mut spare = Vec::new();
    for bucket in buckets {
        let (here, after) = rest.split_at_mut(bucket.end - start);
        by_digits(here, &mut spare, bits.turn);
        (rest, start) = (after, bucket.end);
    }
}

/// Sorts numbers by their bits from `lowest` on, digit by digit.
fn by_digits(items: &mut [u64], spare: &mut Vec<u64>, lowest: u32) {
    let Some(&one) = items.first() else { return };
    let differ = items.iter().fold(0, |bits, &item| bits | (item ^ one)) >> lowest;
    if items.len() < FEW || differ == 0 {
        items.sort_unstable();
        return;
    }
    spare.resize(spare.len().max(items.len()), 0);
    let bits = u64::BITS - differ.leading_zeros();
    let passes = bits.div_ceil(RADIX);
    let width = bits.div_ceil(passes);
    let (mut from, mut to) = (&mut *items, &mut spare[..]);
    for pass in 0..passes {
        to = &mut to[..from.len()];
        by_digit(from, to, lowest + pass * width, width);
        (from, to) = (to, from);
    }
    if !passes.is_multiple_of(2) {
        to.copy_from_slice(from);
    }
}

/// Deals numbers out by one of their digits, in the order in which they come.
#[inline(always)]
fn by_digit(from: &[u64], to: &mut [u64], shift: u32, width: u32) {
    let digit = |item: u64| (item >> shift) as usize & ((1 << width) - 1) & (DIGITS - 1);
    let (mut next, mut sum) = ([0_u32; DIGITS], 0);
    from.iter().for_each(|&item| next[digit(item)] += 1);
    for start in &mut next[..1 << width] {
        (*start, sum) = (sum, sum + *start);
    }
    for &item in from {
        let at = &mut next[digit(item)];
        to[*at as usize] = item;
        *at += 1;
    }
}

/// Sums by the place and the rank of their n-grams, with the numbers of their labels.
fn sums_in_order(sums: Vec<Sum>, places: Places<'_>) -> Vec<(u64, Sum)> {
    let keyed = |sum: Sum| {
        let (first, word) = (sum.gram.0 as usize, sum.gram.1 as usize);
        let key = u64::from(places.place[first]) << 32 | u64::from(places.rank[word]);
        (key, Sum { label: places.number[sum.label as usize], ..sum })
    };
    let mut keyed = sums.into_iter().map(keyed).collect();
    by_radix(&mut keyed, &mut Vec::new());
    keyed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_by_the_bits_above_and_keeps_the_order_of_those_below(
            mut items in prop::collection::vec(any::<u64>(), 0..2000),
            shift in 0..60_u32,
            lowest in 0..20_u32,
        ) {
            items.iter_mut().for_each(|item| *item >>= shift);
            items.sort_unstable_by_key(|item| item & ((1 << lowest) - 1));
            let mut expected = items.clone();
            expected.sort_unstable();
            by_digits(&mut items, &mut Vec::new(), lowest);
            prop_assert_eq!(items, expected);
        }
    }

    #[test]
    fn buckets_leave_room_for_words_and_turns() {
        let mut met = Met::default();
        (0..1000).for_each(|node| met.push(node, 0));
        met.documents.push((met.words.len(), 0));
        let place: Vec<u32> = (0..1000).collect();
        let found = buckets(&met, &place, Bits { turn: 30, word: 30 });
        assert_eq!(found.len(), 1000_usize.div_ceil(16));
        assert!(found.windows(2).all(|pair| pair[1].lowest - pair[0].lowest == 16));
    }
}
