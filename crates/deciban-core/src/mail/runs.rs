//! Bytes of a mail -> the same in lower case, and runs of them that a word may be.
//!
//! Where runs begin and end is found for 64 bytes at once, as bits of a number: to ask of each byte what it is would guess
//! wrong at every word. Fields and texts are pieces of a mail, most of them short: so runs are found for a whole mail, and
//! each piece has some of them.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use crate::scan::register::Registers;
use crate::scan::{Blocks, Loops, is_inside_word_of_mail, is_word_of_mail};
use crate::wide;

/// So many bytes can be read after where a run begins.
pub(super) const ROOM: usize = 32;
const BLOCK: usize = 64;

/// Bytes of which all runs are known already: most of what is cut are pieces of them.
#[derive(Default)]
pub(super) struct Laid {
    /// Where they stand in memory, and how many they are.
    address: usize,
    length: usize,
    pub(super) marked: Marked,
    is_ascii: bool,
    /// How many runs stand before what was cut last: pieces come in order.
    passed: usize,
}

/// Bytes in lower case, with room after them, and where runs begin and end that may stand in a word.
#[derive(Default)]
pub(super) struct Marked {
    pub(super) lower: Vec<u8>,
    edges: Vec<usize>,
    found: usize,
}

impl Laid {
    /// Finds the runs of bytes that pieces will be cut from, as long as they stay where they are.
    pub(super) fn lay(&mut self, bytes: &[u8]) {
        (self.address, self.length) = (bytes.as_ptr().addr(), bytes.len());
        (self.is_ascii, self.passed) = (bytes.is_ascii(), 0);
        self.marked.mark(bytes);
    }

    /// Which of the runs are those of a piece: if it is one, is ASCII, and cuts through none.
    pub(super) fn runs(&mut self, bytes: &[u8]) -> Option<Range<usize>> {
        let start = bytes.as_ptr().addr().wrapping_sub(self.address);
        let end = start.checked_add(bytes.len()).filter(|&end| end <= self.length)?;
        if !(self.is_ascii || bytes.is_ascii()) || self.is_inside(start) || self.is_inside(end) {
            return None;
        }
        let runs = self.marked.runs();
        if self.passed > 0 && runs[self.passed - 1][0] >= start {
            self.passed = 0;
        }
        let passed = self.passed + runs[self.passed..].iter().take_while(|run| run[0] < start).count();
        self.passed = passed + runs[passed..].iter().take_while(|run| run[0] < end).count();
        Some(passed..self.passed)
    }

    /// Whether a run goes on there.
    fn is_inside(&self, at: usize) -> bool {
        let is_of_run = |&byte: &u8| is_word_of_mail(byte) | is_inside_word_of_mail(byte) | (byte == b'!');
        let both = at.checked_sub(1).filter(|_| at < self.length).and_then(|before| self.marked.lower.get(before..=at));
        both.is_some_and(|both| both.iter().all(is_of_run))
    }
}

impl Marked {
    /// Where each begins and ends.
    pub(super) fn runs(&self) -> &[[usize; 2]] {
        self.edges[..self.found].as_chunks().0
    }

    /// Writes bytes in lower case, and finds their runs.
    pub(super) fn mark(&mut self, bytes: &[u8]) {
        let Marked { lower, edges, found } = self;
        lower.clear();
        lower.extend_from_slice(bytes);
        lower.resize((bytes.len() + ROOM).next_multiple_of(BLOCK), 0);
        #[cfg(target_arch = "x86_64")]
        if let Some(registers) = Registers::new() {
            // SAFETY: the processor has just been asked whether it can do what the function is compiled for.
            #[allow(unsafe_code)]
            return *found = unsafe { mark_in_registers(lower, edges, registers) };
        }
        *found = wide::run(|| mark_by(lower, edges, Loops));
    }
}

/// A block in a register: a mail took 12.1 µs of a core, and takes 10.4, which is what the exception from `unsafe_code` is
/// for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,popcnt")]
fn mark_in_registers(lower: &mut [u8], edges: &mut Vec<usize>, registers: Registers) -> usize {
    mark_by(lower, edges, registers)
}

/// Marks the runs that begin with a byte that begins a word: what stands before it is dropped.
#[inline(always)]
fn mark_by(lower: &mut [u8], edges: &mut Vec<usize>, by: impl Blocks) -> usize {
    let (mut found, mut before, mut is_run, mut is_early) = (0, 0, 0, false);
    for (block, bytes) in lower.as_chunks_mut().0.iter_mut().enumerate() {
        let (inside, begins) = by.mail(bytes);
        let first = inside & !(inside << 1 | is_run);
        // To add the first bits of such bytes to all of them clears those that follow, up to the first of another kind.
        let others = inside & !begins;
        let (sum, is_over) = others.overflowing_add(first & others);
        let (sum, goes_on) = sum.overflowing_add(u64::from(is_early));
        let kept = inside & !(others & !sum);
        found = by.push_edges(kept ^ (kept << 1 | before), block * BLOCK, edges, found);
        (before, is_run, is_early) = (kept >> (BLOCK - 1), inside >> (BLOCK - 1), is_over | goes_on);
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Byte by byte.
    fn slowly(bytes: &[u8]) -> Vec<[usize; 2]> {
        let is_of_run = |byte: u8| is_word_of_mail(byte) || is_inside_word_of_mail(byte) || byte == b'!';
        let lower = bytes.to_ascii_lowercase();
        let (mut found, mut at) = (Vec::new(), 0);
        while at < lower.len() {
            let end = at + lower[at..].iter().take_while(|&&byte| is_of_run(byte)).count();
            let start = at + lower[at..end].iter().take_while(|&&byte| !is_word_of_mail(byte)).count();
            found.extend((start < end).then_some([start, end]));
            at = end + 1;
        }
        found
    }

    fn mail() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop::sample::select(b"aZ09$%\xe9.-'_!!--  \n:".to_vec());
        let long = prop::sample::select(b"a-! ".to_vec())
            .prop_flat_map(|byte| (1..150_usize).prop_map(move |n| vec![byte; n]));
        let piece = prop_oneof![prop::collection::vec(byte, 0..20), long, prop::collection::vec(any::<u8>(), 0..9)];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn runs_are_those_that_a_loop_finds(mail in mail()) {
            let mut marked = Marked::default();
            marked.mark(&mail);
            prop_assert_eq!(marked.runs(), slowly(&mail));
            let mut lower = marked.lower.clone();
            let mut edges = Vec::new();
            let found = mark_by(&mut lower, &mut edges, Loops);
            prop_assert_eq!(edges[..found].as_chunks::<2>().0, marked.runs());
        }

        #[test]
        fn runs_of_a_piece_are_those_of_all_that_stand_in_it(
            mail in mail(), places in prop::collection::vec((0..900_usize, 0..900_usize), 1..5)
        ) {
            let mut laid = Laid::default();
            laid.lay(&mail);
            for (start, length) in places {
                let start = start.min(mail.len());
                let end = (start + length).min(mail.len());
                if let Some(runs) = laid.runs(&mail[start..end]) {
                    let shifted: Vec<_> = slowly(&mail[start..end]).iter().map(|run| run.map(|at| at + start)).collect();
                    prop_assert_eq!(&laid.marked.runs()[runs], shifted);
                }
            }
            prop_assert_eq!(laid.runs(&mail), mail.is_ascii().then(|| 0..slowly(&mail).len()));
            prop_assert_eq!(laid.runs(&mail.clone()).filter(|_| !mail.is_empty()), None);
        }
    }
}
