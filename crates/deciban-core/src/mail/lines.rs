//! Mails of a mailbox -> lines that say what they are: `where,verdict,decibans`.

use std::io::Write as _;
use std::sync::Mutex;

use super::boxes;
use super::judge::{Judge, Room};
use crate::parts;

/// Bytes that are read at once: they stay near until their mails are judged, beside what words weigh.
const AT_ONCE: usize = 1 << 18;

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

/// What makes lines of mails.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    /// Who judges them.
    pub judge: &'a Judge<'a>,
    /// What they are called then.
    pub cuts: Cuts,
    /// Where they stand.
    pub at: Where<'a>,
}

impl Lines<'_> {
    /// A line for each mail of an mbox file, by so many threads (0: as many as there are cores); nothing if it is none.
    ///
    /// `length` is how many bytes the file has, more or less: a few are not worth threads. `read` adds at most so many
    /// of them to others, and says how many; fewer than asked for are the last. It is called by one thread at a time,
    /// while others judge what they have been given.
    pub fn all<E: Send>(
        &self,
        threads: usize,
        length: usize,
        read: impl FnMut(&mut Vec<u8>, usize) -> Result<usize, E> + Send,
    ) -> Result<Option<Vec<u8>>, E> {
        let mut reader = Reader { read, rest: Vec::new(), is_over: false, mails: 0 };
        let Some(first) = reader.next(Vec::new())? else { return Ok(None) };
        if !first.bytes.starts_with(b"From ") {
            return Ok(None);
        }
        let (threads, reader) = (parts::count(threads, length / AT_ONCE), Mutex::new(reader));
        let mut waiting = Some(first);
        let job = || {
            let mut part = waiting.take();
            let reader = &reader;
            move || {
                let (mut room, mut told, mut bytes) = (Room::default(), Vec::new(), Vec::new());
                loop {
                    let next = match part.take() {
                        None => reader.lock().map_or(Ok(None), |mut reader| reader.next(bytes))?,
                        given => given,
                    };
                    let Some(part) = next else { return Ok(told) };
                    told.push((part.mails, self.of(&part, &mut room)));
                    bytes = part.bytes;
                }
            }
        };
        let jobs = std::iter::repeat_with(job).take(threads).collect();
        let told: Result<Vec<_>, E> = parts::run(jobs).into_iter().collect();
        let mut told = told?.concat();
        told.sort_unstable_by_key(|&(mails, _)| mails);
        Ok(Some(told.into_iter().flat_map(|(_, lines)| lines).collect()))
    }

    /// The lines of the mails of a part.
    fn of(&self, part: &Part, room: &mut Room) -> Vec<u8> {
        let (mut text, Where { before, after }) = (Vec::new(), self.at);
        for (number, &(start, end)) in part.places.iter().enumerate() {
            let decibans = self.judge.decibans(&part.bytes[start..end], room);
            text.extend_from_slice(before);
            // Writing to a vector never fails.
            let _ = write!(text, "#{}", part.mails + number + 1);
            text.extend_from_slice(after);
            let _ = writeln!(text, ",{},{}", self.cuts.name(decibans), Hundredths(decibans));
        }
        text
    }
}

/// A part of an mbox file: where its mails stand, all of them whole, and how many stand before it.
struct Part {
    bytes: Vec<u8>,
    places: Vec<(usize, usize)>,
    mails: usize,
}

/// What is left of an mbox file: what has been read and may go on, and what will be.
struct Reader<R> {
    read: R,
    rest: Vec<u8>,
    is_over: bool,
    mails: usize,
}

impl<E, R: FnMut(&mut Vec<u8>, usize) -> Result<usize, E>> Reader<R> {
    /// The next part, in the room of one that is done with.
    fn next(&mut self, mut bytes: Vec<u8>) -> Result<Option<Part>, E> {
        bytes.clear();
        bytes.append(&mut self.rest);
        while !self.is_over {
            // Of a mail that is very long twice as much each time.
            let room = AT_ONCE.max(bytes.len());
            let read = (self.read)(&mut bytes, room);
            // After an error there is nothing more for anybody.
            self.is_over = !matches!(read, Ok(read) if read == room);
            read?;
            let mut places = boxes::cut(&bytes);
            if !self.is_over
                && let Some((start, _)) = places.pop()
            {
                self.rest.extend_from_slice(&bytes[start..]);
            }
            if places.is_empty() {
                bytes = std::mem::take(&mut self.rest);
                continue;
            }
            let mails = self.mails;
            self.mails += places.len();
            return Ok(Some(Part { bytes, places, mails }));
        }
        Ok(None)
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

    fn told(file: &[u8], at_once: usize, threads: usize) -> Result<Option<String>, &'static str> {
        let words: [(&[u8], f32, f32); 2] = [(b"money", 5.0, 0.0), (b"bob", -3.0, -1.0)];
        let seeds = [3, 5, 7, 11].map(|n: u64| n.pow(18));
        let table = build(&[b'0'; NAME], b"", seeds, [0.0; NUMBERS], words.into_iter()).unwrap();
        let judge = Judge::new(Table::of(&table).unwrap(), true).unwrap();
        let (cuts, at) = (Cuts { spam_above: 20.0, ham_below: 0.0 }, Where { before: b"\"a,b", after: b"\"" });
        let mut rest = file;
        let read = |part: &mut Vec<u8>, room: usize| {
            let (some, after) = rest.split_at(room.min(at_once).min(rest.len()));
            part.extend_from_slice(some);
            rest = after;
            if some.is_empty() {
                Err("it ended early")
            } else {
                Ok(if at_once < room && !after.is_empty() { room } else { some.len() })
            }
        };
        let lines = Lines { judge: &judge, cuts, at }.all(threads, usize::MAX, read)?;
        Ok(lines.map(|lines| String::from_utf8(lines).unwrap()))
    }

    #[test]
    fn a_box_is_judged_in_parts_as_in_one() {
        let mail = |i: usize| format!("From a 09:30 2026\n\nno {i} for {}\n\n", ["money", "bob"][i % 2]);
        let all: String = (0..300).map(mail).collect();
        let whole = told(all.as_bytes(), usize::MAX, 1).unwrap().unwrap();
        assert_eq!(whole.lines().count(), 300);
        assert!(whole.starts_with("\"a,b#1\",spam,21.71\n\"a,b#2\",ham,-17.37\n"));
        for (at_once, threads) in [(20, 1), (1000, 1), (7, 3), (5000, 2), (5000, 0)] {
            assert_eq!(told(all.as_bytes(), at_once, threads), Ok(Some(whole.clone())));
        }
        assert_eq!(told(b"to a 09:30", usize::MAX, 1), Ok(None));
        assert_eq!(told(b"", usize::MAX, 1), Err("it ended early"));
    }

    #[test]
    fn long_mails_and_many_threads_change_nothing() {
        let mail = |i: usize| format!("From a 09:30 2026\n\nbob{}\n\n", " money x".repeat(i % 7 * 20_000));
        let all: String = (0..40).map(mail).collect();
        let whole = told(all.as_bytes(), usize::MAX, 1).unwrap().unwrap();
        assert_eq!(whole.lines().count(), 40);
        assert_eq!(told(all.as_bytes(), usize::MAX, 4), Ok(Some(whole)));
    }
}
