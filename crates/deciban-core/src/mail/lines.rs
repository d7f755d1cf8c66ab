//! Mails of a mailbox -> lines that say what they are: `where,verdict,decibans`.

use std::io::Write as _;

use super::boxes;
use super::judge::Judge;

/// From how many decibans on a mail is spam, and up to how many it is ham.
#[derive(Debug, Clone, Copy)]
pub struct Cuts {
    /// More is spam.
    pub spam_above: f64,
    /// Less is ham.
    pub ham_below: f64,
}

/// What stands in a line before the number of a mail, and after it.
#[derive(Debug, Clone, Copy)]
pub struct Where<'a> {
    /// Before.
    pub before: &'a [u8],
    /// After.
    pub after: &'a [u8],
}

impl Cuts {
    /// What a mail is called.
    pub fn name(&self, decibans: f64) -> &'static str {
        match decibans {
            _ if decibans > self.spam_above => "spam",
            _ if decibans < self.ham_below => "ham",
            _ => "unsure",
        }
    }
}

/// Mails of an mbox file that have lines.
#[derive(Debug, Default)]
pub struct Lines {
    /// The lines, of all mails so far.
    pub text: Vec<u8>,
    /// How many mails those are.
    pub mails: usize,
}

impl Lines {
    /// Adds the lines of the mails of a part of an mbox file, which begins with a mail; unless the part is the last, the
    /// last mail of it may go on. Says where what is left begins.
    pub fn add(
        &mut self,
        judge: &Judge<'_>,
        part: &[u8],
        is_last: bool,
        cuts: Cuts,
        at: Where<'_>,
        threads: usize,
    ) -> usize {
        let mut places = boxes::cut(part);
        let left = if is_last { None } else { places.pop() }.map_or(part.len(), |(start, _)| start);
        let mails: Vec<&[u8]> = places.iter().map(|&(start, end)| &part[start..end]).collect();
        for decibans in judge.all(&mails, threads) {
            self.mails += 1;
            self.text.extend_from_slice(at.before);
            // Writing to a vector never fails.
            let _ = write!(self.text, "#{}", self.mails);
            self.text.extend_from_slice(at.after);
            let _ = writeln!(self.text, ",{},{}", cuts.name(decibans), Hundredths(decibans));
        }
        left
    }
}

/// A number with two digits after its point: as whole hundredths, which are written sooner than a fraction is.
struct Hundredths(f64);

impl std::fmt::Display for Hundredths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, hundredths) = (if self.0 < 0.0 { "-" } else { "" }, (self.0.abs() * 100.0).round_ties_even() as u64);
        write!(f, "{sign}{}.{}{}", hundredths / 100, hundredths / 10 % 10, hundredths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{NAME, NUMBERS, Table, build};
    use super::*;

    #[test]
    fn hundredths_are_those_of_fractions() {
        for number in [0.0, 0.004, 0.006, -0.004, 1.996, -12.345_678, 99.999, -3000.0, 0.25] {
            assert_eq!(Hundredths(number).to_string(), format!("{number:.2}"));
        }
    }

    #[test]
    fn a_box_is_judged_in_parts_as_in_one() {
        let words: [(&[u8], f32, f32); 2] = [(b"money", 5.0, 0.0), (b"bob", -3.0, -1.0)];
        let seeds = [3, 5, 7, 11].map(|n: u64| n.pow(18));
        let file = build(&[b'0'; NAME], b"", seeds, [0.0; NUMBERS], words.into_iter()).unwrap();
        let judge = Judge::new(Table::of(&file).unwrap(), true).unwrap();
        let mail = |i: usize| format!("From a 09:30 2026\n\nno {i} for {}\n\n", ["money", "bob"][i % 2]);
        let all: String = (0..300).map(mail).collect();
        let (cuts, at) = (Cuts { spam_above: 20.0, ham_below: 0.0 }, Where { before: b"\"a,b", after: b"\"" });
        let mut whole = Lines::default();
        assert_eq!(whole.add(&judge, all.as_bytes(), true, cuts, at, 3), all.len());
        assert_eq!(whole.mails, 300);
        assert!(whole.text.starts_with(b"\"a,b#1\",spam,21.71\n\"a,b#2\",ham,-17.37\n"));
        let mut parts = Lines::default();
        let left = parts.add(&judge, &all.as_bytes()[..5000], false, cuts, at, 1);
        parts.add(&judge, &all.as_bytes()[left..], true, cuts, at, 1);
        assert_eq!(parts.text, whole.text);
        assert_eq!(Lines::default().add(&judge, b"From a", false, cuts, at, 1), 0);
    }
}
