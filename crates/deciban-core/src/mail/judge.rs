//! Mails -> decibans for one label against the other, by a table of words.
//!
//! ```text
//! score = b + s_a sum of a_j + s_f sum of k_j over words of fields + s_t sum of k_j over words of the text
//! ```
//!
//! over the words j of a mail that the table has, each once: a_j is what it weighs among all words, k_j among those of
//! its kind; s is 1, or one divided by the root of how many words the mail has, of all or of that kind, whether the table
//! has them or not: who says much that is new is judged the less surely. What [`Calibration`] makes of the score are
//! nats, and 10 / ln 10 of them a deciban.

use super::keys::{Keys, OF_FIELD};
use super::table::Table;
use super::{Scratch, WORTH_A_THREAD, show, words};
use crate::Invalid;
use crate::calibration::Calibration;

const PER_NAT: f64 = 10.0 / std::f64::consts::LN_10;
/// No mail is surer.
const MOST: f64 = 3000.0;

/// Who judges mails.
#[derive(Debug)]
pub struct Judge<'a> {
    table: Table<'a>,
    calibration: Calibration,
    /// 1 for the second label against the first, -1 for the first against the second.
    sign: f64,
}

/// Room that is used again from mail to mail.
#[derive(Default)]
pub struct Room {
    scratch: Scratch,
    /// The keys of all words, and room for more; and each once.
    all: Vec<u64>,
    once: Vec<u64>,
    there: Vec<u64>,
}

/// Sums over the words of a mail: all, of fields, of the text.
#[derive(Default)]
struct Sums {
    weights: [f64; 3],
    many: [f64; 3],
    /// How many words the table has of it: each once, or, where a calibration goes by that, as often as it stands there.
    known: f64,
}

impl<'a> Judge<'a> {
    /// Who judges by a table: of its labels the second, or the first, is spam.
    pub fn new(table: Table<'a>, spam_is_second: bool) -> Result<Self, Invalid> {
        let [_, _, _, _, t, a, g, u, h, o0, o1, s0, s1, d0, d1, by_label] = table.numbers;
        let some = |pair: [f64; 2]| if by_label == 0.0 { Vec::new() } else { pair.to_vec() };
        let calibration = Calibration {
            temper: [t, a, g],
            steepness: [u, h],
            origin: some([o0, o1]),
            slope: some([s0, s1]),
            shift: some([d0, d1]),
            ..Calibration::default()
        };
        calibration.check(2)?;
        Ok(Judge { table, calibration, sign: if spam_is_second { 1.0 } else { -1.0 } })
    }

    /// The decibans of a mail for spam.
    pub fn decibans(&self, mail: &[u8], room: &mut Room) -> f64 {
        let mut keys = Keys::new(self.table.seeds, &mut room.all);
        show(mail, &mut room.scratch, &mut keys);
        let many = keys.many;
        room.look(many, |key| self.table.prefetch(key));
        let mut sums = Sums::of(&room.once);
        for &key in &room.once {
            sums.add(key, self.table.weights(key));
        }
        self.count(&mut sums, &room.all[..many]);
        self.calibrated(self.score(&sums), sums.known)
    }

    /// The decibans of a mail, and of each of its words that the table has.
    pub fn account(&self, mail: &[u8]) -> (f64, Vec<(String, f64)>) {
        let (text, mut room) = (words(mail), Room::default());
        let names: Vec<&str> = text.split_ascii_whitespace().collect();
        room.all.extend(names.iter().map(|name| self.table.seeds.of_name(name.as_bytes())));
        let mut named: Vec<(u64, &str)> = room.all.iter().copied().zip(names).collect();
        named.sort_by_key(|&(key, _)| key);
        room.look(room.all.len(), |_| {});
        let (mut sums, mut found) = (Sums::of(&room.once), Vec::new());
        for &key in &room.once {
            let (all, kind, is_there) = self.table.weights(key);
            sums.add(key, (all, kind, is_there));
            if !is_there {
                continue;
            }
            let first = named.partition_point(|&(other, _)| other < key);
            found.push((named[first].1, key, (all, kind)));
        }
        self.count(&mut sums, &room.all);
        let (score, scales) = (self.score(&sums), self.scales(&sums));
        let factor = self.sign * PER_NAT * self.factor(score, sums.known);
        let nats = |key: u64, (all, kind): (f64, f64)| scales[0] * all + scales[kind_of(key)] * kind;
        let told = found.into_iter().map(|(name, key, weights)| (name.to_owned(), factor * nats(key, weights)));
        (self.calibrated(score, sums.known), told.collect())
    }

    /// The decibans of each mail, by so many threads (0: as many as there are cores).
    pub fn all(&self, mails: &[&[u8]], threads: usize) -> Vec<f64> {
        let some = |part: &[&[u8]]| {
            let mut room = Room::default();
            part.iter().map(|mail| self.decibans(mail, &mut room)).collect::<Vec<_>>()
        };
        let size = mails.len().div_ceil(crate::parts::count(threads, mails.len() / WORTH_A_THREAD)).max(1);
        crate::parts::joined(crate::parts::run(mails.chunks(size).map(|part| || some(part)).collect()))
    }

    /// Counts known words as often as they stand there, where a calibration goes by how many there are.
    fn count(&self, sums: &mut Sums, all: &[u64]) {
        if self.calibration.temper[1] != 0.0 {
            sums.known = all.iter().filter(|&&key| self.table.weights(key).2).count() as f64;
        }
    }

    fn scales(&self, sums: &Sums) -> [f64; 3] {
        let is_scaled = |i: usize| self.table.numbers[1 + i] != 0.0 && sums.many[i] > 0.0;
        std::array::from_fn(|i| if is_scaled(i) { 1.0 / sums.many[i].sqrt() } else { 1.0 })
    }

    /// Nats for the second label, before calibration.
    fn score(&self, sums: &Sums) -> f64 {
        let parts = self.scales(sums).into_iter().zip(sums.weights).map(|(scale, sum)| scale * sum);
        self.table.numbers[0] + parts.sum::<f64>()
    }

    /// Decibans for spam.
    fn calibrated(&self, score: f64, known: f64) -> f64 {
        let mut scores = [0.0, score];
        self.calibration.apply(&mut scores, known);
        (self.sign * PER_NAT * (scores[1] - scores[0])).clamp(-MOST, MOST)
    }

    /// What calibration multiplies evidence with.
    fn factor(&self, score: f64, known: f64) -> f64 {
        let map = &self.calibration;
        let between = |pair: &[f64]| pair.last().zip(pair.first()).map_or(0.0, |(second, first)| second - first);
        let apart = score - between(&map.origin);
        let slope = if map.slope.is_empty() { 1.0 } else { map.slope.iter().sum::<f64>() / 2.0 };
        let factor = slope * map.factor(known, apart.abs() / 2.0);
        factor * map.steeper((factor * apart + between(&map.shift)).abs() / 2.0)
    }
}

impl Sums {
    /// Those of a mail that has words of these keys, with nothing added yet.
    fn of(keys: &[u64]) -> Self {
        let of_fields = keys.iter().filter(|&key| key & OF_FIELD != 0).count();
        let many = [keys.len(), of_fields, keys.len() - of_fields].map(|many| many as f64);
        Sums { many, ..Sums::default() }
    }

    /// Adds what a word weighs. Each sum is added to, by nothing if the word is none of its: that waits for no answer.
    #[inline(always)]
    fn add(&mut self, key: u64, (among_all, among_kind, is_known): (f64, f64, bool)) {
        let of = |kind: usize| if kind_of(key) == kind { among_kind } else { 0.0 };
        self.weights = [self.weights[0] + among_all, self.weights[1] + of(1), self.weights[2] + of(2)];
        self.known += f64::from(u8::from(is_known));
    }
}

#[inline]
fn kind_of(key: u64) -> usize {
    if key & OF_FIELD == 0 { 2 } else { 1 }
}

impl Room {
    /// Finds each of the first so many keys once, in the order in which they came first.
    ///
    /// Whether a key was there before cannot be foreseen: so nothing waits for the answer, but where two keys want one
    /// place, which is seldom where there are three times as many.
    #[inline(never)]
    fn look(&mut self, many: usize, will_be_asked: impl Fn(u64)) {
        let Room { all, once, there, .. } = self;
        let all = &all[..many];
        there.clear();
        there.resize((3 * all.len()).next_power_of_two().max(16), 0);
        once.clear();
        once.resize(all.len(), 0);
        let (last, mut many) = (there.len() - 1, 0);
        for &key in all {
            will_be_asked(key);
            let mut at = (key >> 2) as usize & last;
            // Another key stands there: one question, and not whether this one does, or none.
            while (there[at] ^ key).min(there[at]) != 0 {
                at = (at + 1) & last;
            }
            let is_new = there[at] == 0;
            there[at] = key;
            once[many] = key;
            many += usize::from(is_new);
        }
        once.truncate(many);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::table::{NAME, NUMBERS, build};
    use super::*;

    fn file(numbers: [f64; NUMBERS]) -> Vec<u8> {
        let words: [(&[u8], f32, f32); 4] =
            [(b"money", 2.0, 1.0), (b"bob", -3.0, -1.0), (b"subject:", 0.5, 0.25), (b"subject:money", 1.0, 4.0)];
        build(&[b'0'; NAME], b"", [3, 5, 7, 11].map(|n: u64| n.pow(18)), numbers, words.into_iter()).unwrap()
    }

    const MAIL: &[u8] = b"Subject: Money, money\n\nmoney for nobody";

    #[test]
    fn a_score_is_a_sum_over_words_each_once() {
        let mut numbers = [0.0; NUMBERS];
        numbers[0] = 0.5;
        let file_of = file(numbers);
        let judge = Judge::new(Table::of(&file_of).unwrap(), true).unwrap();
        let nats = 0.5 + (0.5 + 1.0 + 2.0) + (0.25 + 4.0) + 1.0;
        assert!((judge.decibans(MAIL, &mut Room::default()) - PER_NAT * nats).abs() < 1e-9);
        numbers[1..4].fill(1.0);
        let scaled_file = file(numbers);
        let scaled = Judge::new(Table::of(&scaled_file).unwrap(), false).unwrap();
        let nats = 0.5 + 3.5 / 5_f64.sqrt() + 4.25 / 2_f64.sqrt() + 1.0 / 3_f64.sqrt();
        let (decibans, words) = scaled.account(MAIL);
        assert!((decibans + PER_NAT * nats).abs() < 1e-9);
        assert!((words.iter().map(|word| word.1).sum::<f64>() + PER_NAT * (nats - 0.5)).abs() < 1e-9);
        assert_eq!(words.len(), 3);
    }

    proptest! {
        #[test]
        fn each_key_is_found_once_in_the_order_in_which_they_came(keys in prop::collection::vec(0..90_u64, 0..300)) {
            // Keys that want the same places, and none that is 0.
            let all: Vec<u64> = keys.into_iter().map(|key| ((key % 9) << 40) | (key << 3) | 2).collect();
            let mut room = Room { all: all.clone(), ..Room::default() };
            room.look(all.len(), |_| {});
            let mut once: Vec<u64> = Vec::new();
            for key in all {
                if !once.contains(&key) {
                    once.push(key);
                }
            }
            prop_assert_eq!(room.once, once);
        }

        #[test]
        fn a_mail_has_the_decibans_of_its_account(
            pieces in prop::collection::vec(prop::sample::select(vec!["Subject:", "money", " bob,", "\n", "nobody", "!!", "\n\n", "\u{e9}"]), 0..50),
            is_scaled in any::<bool>(),
        ) {
            let mut numbers = [0.0; NUMBERS];
            numbers[1..4].fill(f64::from(u8::from(is_scaled)));
            let file = file(numbers);
            let (judge, mail) = (Judge::new(Table::of(&file).unwrap(), true).unwrap(), pieces.concat());
            let (decibans, words) = judge.account(mail.as_bytes());
            prop_assert_eq!(judge.decibans(mail.as_bytes(), &mut Room::default()).to_bits(), decibans.to_bits());
            prop_assert!((words.iter().map(|word| word.1).sum::<f64>() - decibans).abs() < 1e-9);
        }
    }

    #[test]
    fn many_threads_judge_the_same() {
        let file = file([0.0; NUMBERS]);
        let judge = Judge::new(Table::of(&file).unwrap(), true).unwrap();
        let mails: Vec<Vec<u8>> =
            (0..300).map(|i| format!("To: {i}\n\n{}", ["bob", "money"][i % 2]).into_bytes()).collect();
        let mails: Vec<&[u8]> = mails.iter().map(Vec::as_slice).collect();
        assert_eq!(judge.all(&mails, 3), judge.all(&mails, 1));
        assert!((judge.all(&mails, 3)[1] - 3.0 * PER_NAT).abs() < 1e-9);
    }
}
