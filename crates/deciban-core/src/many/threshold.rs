//! The greatest score by Fagin's threshold algorithm: postings are read in falling order of what they are worth, and no
//! further than a label that was not met can still win. That is rarely far, however many labels have a frequent term.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::met::Greatest;
use super::{Row, Scratch, postings, times};
use crate::scores::{Scorecard, falling};

/// Up to this many postings, all labels of a term are tried.
const SHORT: usize = 16;
/// Finding the posting of a label costs about as much as adding so many: it waits for memory.
const COST_OF_FINDING: usize = 8;

/// What there is to know of a scorecard; the order of a term's postings is made when the term is first met.
#[derive(Debug)]
pub(super) struct Threshold {
    /// The place of each term of many postings among `long`.
    places: HashMap<u32, u32>,
    long: Vec<OnceLock<Long>>,
    greatest_bias: f64,
    greatest_absent: f64,
    largest: f64,
}

/// A term of many postings: those in falling order of what the term is worth to the label; and, 64 labels at a time, which have a posting, and how many have one before.
#[derive(Debug)]
struct Long {
    falling: Vec<Entry>,
    bits: Vec<(u64, u32)>,
}

/// A label, what a term is worth to it, and its bias: or a little more. All that most labels are turned away by.
#[derive(Debug, Clone, Copy)]
struct Entry {
    label: u32,
    worth: f32,
    bias: f32,
}

/// One term of a text: its postings, how often it counts, its place among the long ones, the label that it is worth most
/// to, and the most that it can be worth, counted once, to a label that was not met.
#[derive(Debug)]
pub(super) struct List {
    start: usize,
    len: usize,
    times: f64,
    long: Option<u32>,
    first: u32,
    front: f64,
}

impl Threshold {
    pub(super) fn new(card: &Scorecard) -> Self {
        let terms = 0..card.indptr.len() as u32 - 1;
        let long: Vec<u32> = terms.filter(|&term| postings(card, term).len() > SHORT).collect();
        let greatest = |numbers: &[f64]| numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
        Threshold {
            places: long.iter().copied().zip(0..).collect(),
            long: long.iter().map(|_| OnceLock::new()).collect(),
            greatest_bias: greatest(&card.bias),
            greatest_absent: greatest(&card.absent),
            largest: largest(&card.bias).max(largest(&card.absent)).max(largest(&card.weight)),
        }
    }

    /// Finds the greatest score by trying labels in falling order of what each term is worth to them, until no other can
    /// win; or says that adding is less work.
    pub(super) fn search(&self, row: &Row<'_>, scratch: &mut Scratch) -> bool {
        let Scratch { lists, met, greatest } = scratch;
        lists.clear();
        lists.extend(row.terms.iter().map(|&(term, count)| self.list(row.card, term, count)));
        let of_short: usize = lists.iter().filter(|list| list.long.is_none()).map(|list| list.len).sum();
        let mut left = lists.iter().map(|list| list.len).sum::<usize>() / COST_OF_FINDING;
        // How many postings will have to be found grew like this with the terms of a text, on two tasks (`make labels`).
        if of_short + lists.len().saturating_pow(4) / 8 >= left {
            return false;
        }
        met.clear(row.card.bias.len());
        greatest.clear(1);
        for list in lists.iter().filter(|list| list.len > 0) {
            if met.add(list.first) {
                self.offer(row, lists, list.first, f64::INFINITY, greatest);
            }
        }
        let rounding = self.rounding(row);
        for place in 0..lists.len() {
            if lists[place].long.is_none() {
                let List { start, len, times, front, .. } = lists[place];
                let most = of_fronts(lists) + rounding;
                for posting in start..start + len {
                    let (label, worth) = worth(row.card, posting);
                    let bound = row.card.bias[label as usize] + most;
                    if bound - times * (front - worth) >= greatest.least() && met.add(label) {
                        self.offer(row, lists, label, bound, greatest);
                    }
                }
                lists[place].front = self.greatest_absent;
            }
        }
        for depth in 0..lists.iter().map(|list| list.len).max().unwrap_or(0) {
            for place in 0..lists.len() {
                let Some(Entry { label, bias, .. }) = self.next(&mut lists[place], depth) else { continue };
                let bound = f64::from(bias) + of_fronts(lists) + rounding;
                if bound >= greatest.least() && met.add(label) {
                    self.offer(row, lists, label, bound, greatest);
                    left = left.saturating_sub(lists.len());
                }
            }
            if self.greatest_bias + of_fronts(lists) + rounding < greatest.least() {
                return true;
            }
            left = left.saturating_sub(1);
            if left == 0 {
                return false;
            }
        }
        false
    }

    /// Offers a label with its whole score, unless what it can be at most, `bound` with all terms worth what their fronts
    /// say, falls too low on the way.
    #[inline]
    fn offer(&self, row: &Row<'_>, lists: &[List], label: u32, mut bound: f64, greatest: &mut Greatest) {
        let (mut score, absent) = (row.card.bias[label as usize], row.card.absent[label as usize]);
        for list in lists {
            let weight = self.posting(row.card, list, label).map(|posting| row.card.weight[posting]);
            bound -= list.times * (list.front - absent - weight.unwrap_or(0.0));
            if bound < greatest.least() {
                return;
            }
            score = weight.map_or(score, |weight| score + list.times * weight);
        }
        greatest.offer(label, score + row.known * absent);
    }

    fn list(&self, card: &Scorecard, term: u32, count: i64) -> List {
        let (range, long) = (postings(card, term), self.places.get(&term).copied());
        let (first, most) = match long {
            Some(place) => {
                let long = self.long[place as usize].get_or_init(|| Long::new(card, range.clone()));
                long.falling.first().map_or((0, self.greatest_absent), |first| (first.label, f64::from(first.worth)))
            }
            None => {
                let greater = |a: (u32, f64), b: (u32, f64)| if b.1 > a.1 { b } else { a };
                range.clone().map(|posting| worth(card, posting)).fold((0, f64::NEG_INFINITY), greater)
            }
        };
        let front = most.max(self.greatest_absent);
        List { start: range.start, len: range.len(), times: times(card, count), long, first, front }
    }

    /// What stands at a depth of a term's falling order; after it, the term is worth less, or absent.
    #[inline]
    fn next(&self, list: &mut List, depth: usize) -> Option<Entry> {
        let next = list.long.and_then(|place| self.long[place as usize].get()?.falling.get(depth).copied());
        list.front = next.map_or(self.greatest_absent, |entry| f64::from(entry.worth).max(self.greatest_absent));
        next
    }

    /// By how much two ways to add up a score can differ, at most.
    fn rounding(&self, row: &Row<'_>) -> f64 {
        (8 * row.terms.len() + 32) as f64 * f64::EPSILON * self.largest * (1.0 + 2.0 * row.known)
    }

    /// Where a term's posting of a label stands, if it has one.
    #[inline]
    fn posting(&self, card: &Scorecard, list: &List, label: u32) -> Option<usize> {
        match list.long.and_then(|place| self.long[place as usize].get()) {
            Some(long) if !long.bits.is_empty() => {
                let ((labels, before), bit) = (long.bits[label as usize / 64], 1 << (label % 64));
                let place = before + (labels & (bit - 1)).count_ones();
                (labels & bit != 0).then_some(list.start + place as usize)
            }
            _ => {
                let found = card.label[list.start..list.start + list.len].binary_search(&label);
                found.ok().map(|place| list.start + place)
            }
        }
    }
}

/// A posting's label, and what the term is worth to it.
#[inline]
fn worth(card: &Scorecard, posting: usize) -> (u32, f64) {
    let label = card.label[posting];
    (label, card.absent[label as usize] + card.weight[posting])
}

/// The most that all terms together can be worth to a label that was not met.
#[inline]
fn of_fronts(lists: &[List]) -> f64 {
    lists.iter().map(|list| list.times * list.front).sum()
}

impl Long {
    fn new(card: &Scorecard, postings: Range<usize>) -> Self {
        let labels = &card.label[postings.clone()];
        let mut by_worth: Vec<_> = postings.map(|posting| worth(card, posting)).collect();
        by_worth.sort_unstable_by(|a, b| falling(a.1, b.1).then(a.0.cmp(&b.0)));
        let more = |number: f64| (number as f32).next_up();
        let entry =
            |(label, worth): (u32, f64)| Entry { label, worth: more(worth), bias: more(card.bias[label as usize]) };
        // Bits take less memory than the postings themselves; where there are few of those, searching is quick.
        let words = card.bias.len().div_ceil(64);
        let mut bits = vec![(0_u64, 0_u32); if labels.len() >= words { words } else { 0 }];
        if !bits.is_empty() {
            labels.iter().for_each(|&label| bits[label as usize / 64].0 |= 1 << (label % 64));
            let mut before = 0;
            for (word, rank) in &mut bits {
                *rank = before;
                before += word.count_ones();
            }
        }
        Long { falling: by_worth.into_iter().map(entry).collect(), bits }
    }
}
