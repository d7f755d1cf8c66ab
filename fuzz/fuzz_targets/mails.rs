//! Any mails, a mailbox of them, and any bytes as a table: what is seen of a mail is bounded, decibans are those of its
//! account, a mailbox is judged in parts as in one, and a damaged table is refused, or asked without harm.
#![no_main]

use deciban_core::mail::judge::{Judge, Room};
use deciban_core::mail::lines::{Cuts, Lines, Where};
use deciban_core::mail::table::{NAME, NUMBERS, Table, build};
use deciban_core::mail::words;
use libfuzzer_sys::fuzz_target;

/// What mails are made of: a byte of 128 and more stands for one of these, any other for itself.
const PIECES: [&str; 24] = [
    "Subject: money",
    "\r\n",
    "\n\n",
    "From bob 09:30\n",
    "Content-Type: multipart/mixed; boundary=b\n\n",
    "Content-Type: message/rfc822\n\n",
    "Content-Type: text/html; charset=utf-8\n",
    "Content-Transfer-Encoding: base64\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "--b\n",
    "--b--\n",
    "=?utf-8?q?=C3=A9?=",
    "=?utf-8?b?bW9uZXk=?=",
    "=?",
    "?=",
    "bW9uZXkgZm9y IGJvYg==",
    "=C3=\n=A9 ",
    " money's-worth!!! ",
    "\u{e9}t\u{e9} ",
    "\u{fffd}",
    " 100%.$ ",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\u{1f600}",
    "\n ",
];

#[derive(Debug, arbitrary::Arbitrary)]
struct Given {
    mails: Vec<Vec<u8>>,
    at_once: u8,
    threads: u8,
    damage: Vec<(u16, u8)>,
    is_scaled: bool,
}

fn mail(bytes: &[u8]) -> Vec<u8> {
    let piece = |byte: &u8| match byte.checked_sub(128) {
        Some(piece) => PIECES[piece as usize % PIECES.len()].as_bytes().to_vec(),
        None => vec![*byte],
    };
    bytes.iter().flat_map(piece).collect()
}

/// The lines of a mailbox that is read so many bytes at a time, or of all of it.
fn lines(judge: &Judge<'_>, file: &[u8], at_once: usize, threads: usize) -> Option<Vec<u8>> {
    let mut rest = file;
    let read = |part: &mut Vec<u8>, room: usize| {
        let (some, after) = rest.split_at(room.min(at_once).min(rest.len()));
        part.extend_from_slice(some);
        rest = after;
        Ok::<_, ()>(if after.is_empty() { some.len().min(room - 1) } else { room })
    };
    let (cuts, at) = (Cuts { spam_above: 1.0, ham_below: 0.0 }, Where { before: b"box", after: b"" });
    Lines { judge, cuts, at }.all(threads, usize::MAX, read).expect("reading never fails")
}

fuzz_target!(|given: Given| {
    let mut numbers = [0.0; NUMBERS];
    numbers[1..4].fill(f64::from(u8::from(given.is_scaled)));
    let weights: [(&[u8], f32, f32); 4] = [
        (b"money", 5.0, 1.0),
        (b"bob", -3.0, -1.0),
        (b"subject:money", 2.0, 0.5),
        ("\u{e9}t\u{e9}".as_bytes(), 1.0, 0.25),
    ];
    let seeds = [3, 5, 7, 11].map(|n: u64| n.pow(18));
    let file = build(&[b'0'; NAME], b"ham\nspam", seeds, numbers, weights.into_iter()).expect("four words differ");
    let judge = Judge::new(Table::of(&file).expect("it was just made"), true).expect("numbers of a model");
    let (mut room, mut all) = (Room::default(), Vec::new());
    for bytes in &given.mails {
        let mail = mail(bytes);
        assert!(words(&mail).len() <= 40 * mail.len());
        let decibans = judge.decibans(&mail, &mut room);
        let (of_account, words) = judge.account(&mail);
        assert_eq!(decibans.to_bits(), of_account.to_bits());
        assert!((words.iter().map(|word| word.1).sum::<f64>() - decibans).abs() < 1e-6);
        all.extend_from_slice(b"From x 09:30\n");
        all.extend_from_slice(&mail);
        all.extend_from_slice(b"\n\n");
    }
    let whole = lines(&judge, &all, usize::MAX, 1);
    assert_eq!(whole.is_some(), !given.mails.is_empty());
    assert_eq!(lines(&judge, &all, 1 + usize::from(given.at_once), usize::from(given.threads % 4)), whole);

    let mut damaged = file.clone();
    for &(at, byte) in &given.damage {
        let at = usize::from(at) % damaged.len();
        damaged[at] = byte;
    }
    assert_eq!(Table::of(&damaged).is_ok(), damaged == file);
    let of_damaged = Table::again(&damaged).and_then(|table| Judge::new(table, false));
    if let Ok(judge) = of_damaged {
        judge.decibans(&all, &mut room);
        judge.account(&all);
    }
});
