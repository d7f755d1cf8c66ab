//! A text as it was given -> its words and addresses, in order; what stands between them are marks and blanks.

use hashbrown::HashMap;

use crate::accents::Accents;
use crate::characters::{SPACE, WORD};
use crate::scan::Scan;
use crate::tokens::{Tokens, each_character, flags};

/// What no address goes on with, and what none ends with.
const OUTSIDE: [char; 3] = ['<', '>', '"'];
const LAST: [char; 11] = ['.', ',', ';', ':', '!', '?', '\'', '"', ')', ']', '}'];

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Url,
    Email,
}

/// A word, or an address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
    /// Where the host of an address begins.
    pub(super) host: usize,
}

/// A text that was cut. Its buffers are used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    scan: Scan,
    runs: Vec<(usize, usize)>,
    addresses: Vec<Item>,
    items: Vec<Item>,
    forms: String,
    ends: Vec<usize>,
    /// How often each property was met.
    pub(super) times: HashMap<Vec<u8>, u32>,
}

impl Pieces {
    /// Cuts a text.
    pub(super) fn cut(&mut self, text: &str) {
        let Pieces { scan, runs, addresses, items, .. } = self;
        scan.read_cased(text, Tokens::Run);
        runs.clear();
        Tokens::Run.ranges(scan, runs);
        addresses.clear();
        urls(text, runs, addresses);
        emails(text, addresses);
        addresses.sort_unstable_by_key(|item| item.start);
        items.clear();
        let mut next = addresses.iter().copied().peekable();
        for &(start, end) in runs.iter() {
            while let Some(address) = next.next_if(|address| address.start <= start) {
                items.push(address);
            }
            if items.last().is_none_or(|last| last.end <= start) {
                items.push(Item { start, end, kind: Kind::Word, host: start });
            }
        }
        items.extend(next);
    }

    /// Words and addresses in order.
    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    /// How many words there are, those of addresses among them.
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// The words that begin in a piece of the text, those of addresses among them.
    pub(super) fn runs_from(&self, from: usize) -> &[(usize, usize)] {
        &self.runs[self.runs.partition_point(|run| run.0 < from)..]
    }

    /// Writes down each word as it is counted: lower-cased, perhaps without accents.
    pub(super) fn write_forms(&mut self, text: &str, accents: Accents) {
        self.forms.clear();
        self.ends.clear();
        for item in &self.items {
            if item.kind == Kind::Word {
                write_form(&text[item.start..item.end], accents, &mut self.forms);
            }
            self.ends.push(self.forms.len());
        }
    }

    /// An item as it is counted, if it is a word.
    pub(super) fn form(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.forms[start..self.ends[at]]
    }

    /// Calls `emit` with each item's number, and what stands before it.
    pub(super) fn each_word(&self, mut emit: impl FnMut(usize, Item, Option<std::ops::Range<usize>>)) {
        let mut before = None;
        for (at, &item) in self.items.iter().enumerate() {
            if item.kind == Kind::Word {
                emit(at, item, before.map(|end| end..item.start));
            }
            before = Some(item.end);
        }
    }
}

/// Appends a word as it is counted.
pub(super) fn write_form(word: &str, accents: Accents, form: &mut String) {
    if word.is_ascii() {
        form.extend(word.bytes().map(|byte| byte.to_ascii_lowercase() as char));
    } else {
        each_character(word, true, |_, c| accents.apply(c, |c| form.push(c)));
    }
}

/// The last part of a host's name; "number" where it is all numbers.
pub(super) fn label_of(host: &str) -> String {
    let host = host.split(['/', '?', '#', ':']).next().unwrap_or_default().trim_end_matches(['.', '-']);
    if !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return "number".to_string();
    }
    let mut label = String::new();
    write_form(host.rsplit('.').next().unwrap_or_default(), Accents::Keep, &mut label);
    label
}

/// Whether there is nothing but white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| flags(c) & SPACE != 0)
}

fn is_word(c: char) -> bool {
    flags(c) & WORD != 0
}

/// Appends `http://...`, `https://...`, `ftp://...` and `www....`, each up to what no address goes on with.
fn urls(text: &str, runs: &[(usize, usize)], found: &mut Vec<Item>) {
    let mut after = 0;
    for &(start, end) in runs {
        if start < after {
            continue;
        }
        let (word, rest) = (&text[start..end], &text[end..]);
        let begins = |name: &str| word.eq_ignore_ascii_case(name);
        let (host, from) = if rest.starts_with("://") && (begins("http") || begins("https") || begins("ftp")) {
            (end + 3, end + 3)
        } else if rest.starts_with('.') && begins("www") {
            (start, end + 1)
        } else {
            continue;
        };
        let is_inside = |c: &char| flags(*c) & SPACE == 0 && !OUTSIDE.contains(c);
        let length: usize = text[from..].chars().take_while(is_inside).map(char::len_utf8).sum();
        let end = from + text[from..from + length].trim_end_matches(LAST).len();
        if end > from {
            found.push(Item { start, end, kind: Kind::Url, host });
            after = end;
        }
    }
}

/// Appends e-mail addresses that share nothing with the addresses before them.
fn emails(text: &str, found: &mut Vec<Item>) {
    let (mut after, urls) = (0, found.len());
    for (at, _) in text.match_indices('@') {
        let of_name = |c: &char| is_word(*c) || matches!(c, '.' | '+' | '-');
        let of_host = |c: &char| is_word(*c) || matches!(c, '.' | '-');
        if at < after {
            continue;
        }
        let start = at - text[after..at].chars().rev().take_while(of_name).map(char::len_utf8).sum::<usize>();
        let length = text[at + 1..].chars().take_while(of_host).map(char::len_utf8).sum::<usize>();
        if start == at || length == 0 {
            continue;
        }
        after = at + 1 + length;
        let host = text[at + 1..after].trim_end_matches(['.', '-']);
        let end = at + 1 + host.len();
        let next = found[..urls].partition_point(|url| url.end <= start);
        let is_apart = found[..urls].get(next).is_none_or(|url| end <= url.start);
        if host.trim_start_matches('.').contains('.') && is_apart {
            found.push(Item { start, end, kind: Kind::Email, host: at + 1 });
        }
    }
}
