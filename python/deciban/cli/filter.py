"""`deciban filter`: a mail on standard input -> the same mail with X-Deciban headers on standard output.

For procmail, maildrop and Sieve; all but these headers stays as it was, byte for byte. Whatever goes wrong, the mail
comes out, unchanged. With --learn or --forget, the mail is learnt or forgotten instead, and nothing is written. With
--mails (files of one, mbox files, Maildir folders), all of them are learnt or forgotten, or a line is written for each.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from ..errors import DecibanError
from . import UsageError, last_words, options, screen

if TYPE_CHECKING:
    from ..filtering.journal import Folded
    from ..filtering.verdict import Judge

SUMMARY = "judge mails as they come, and learn from them"
EXAMPLE = "deciban filter mail.deciban < mail > mail-with-verdict"
TEMPFAIL = 75  # EX_TEMPFAIL of sysexits.h: try again later
STATUS = {"spam": 0, "ham": 1, "unsure": 2}
FAILED = 3


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the mails, and what to do with them."""
    options.add_model(parser)
    add = parser.add_argument
    mails = "many mails: files of one, mbox files, folders; by default one mail is read from standard input"
    add("--mails", nargs="+", default=[], metavar="FILE", help=mails)
    change = parser.add_mutually_exclusive_group()
    learn = "learn the mail under this label; without MODEL, one is made once there are two labels"
    change.add_argument("--learn", metavar="LABEL", help=learn)
    change.add_argument("--forget", metavar="LABEL", help="forget a mail that was learnt under this label")
    add("--spam", default="spam", metavar="LABEL", help="the label that is spam; all others are ham (default: spam)")
    above = "from how many decibans on a mail is spam (default: 20, odds of 100 to 1)"
    add("--spam-above", default=20.0, type=decibans, metavar="N", help=above)
    below = "up to how many decibans a mail is ham; between, it is unsure (default: 0, even odds)"
    add("--ham-below", default=0.0, type=decibans, metavar="N", help=below)
    add("--exit-status", action="store_true", help="exit with 0 for spam, 1 for ham, 2 for unsure, 3 after an error")
    add("--defer", action="store_true", help="after an error exit with 75, so that the mail server tries again later")
    after = "how many learnt mails may wait before the model is replaced (default: 20)"
    add("--fold-after", default=20, type=options.positive, metavar="N", help=after)
    options.add_threads(parser)


def decibans(given: str) -> float:
    """A number of decibans, parsed."""
    try:
        number = float(given)
    except ValueError:
        number = float("nan")
    if not abs(number) <= 1e9:
        raise ArgumentTypeError(f"expected a number of decibans, got {given!r}")
    return number


def run(given: Namespace) -> int:
    """Judges one mail or many, or learns from them."""
    if given.ham_below > given.spam_above:
        raise UsageError("--ham-below is above --spam-above; see deciban filter --help")
    if given.learn is not None or given.forget is not None:
        return _change(given)
    return _many(given) if given.mails else _one(given)


def _one(given: Namespace) -> int:
    """The mail goes through, whatever happens: an error of ours must never lose it."""
    if sys.__stdin__ is None or sys.__stdout__ is None:
        screen.tell("standard input or output is closed: expected a mail on the one, and room for it on the other")
        return TEMPFAIL
    mail = sys.stdin.buffer.read()
    name, stamped = _judged(given, mail)
    try:
        sys.stdout.buffer.write(stamped)
        sys.stdout.buffer.flush()
    except OSError as error:
        screen.tell(f"standard output: cannot write: {error.strerror or error}")
        return TEMPFAIL
    if name is None:
        return FAILED if given.exit_status else TEMPFAIL if given.defer else 0
    return STATUS[name] if given.exit_status else 0


def _judged(given: Namespace, mail: bytes) -> tuple[str | None, bytes]:
    """What the mail is, and the mail with the verdict; after an error, nothing, and the mail as it came."""
    try:
        from ..filtering.mail import stamped, told

        verdict = _judge(given).verdict(mail)
        return verdict.name, stamped(mail, told(verdict.name, verdict.decibans, verdict.words))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of the core is no Exception
        screen.tell(f"{last_words(error)[0]}; the mail goes on as it came")
        return None, mail


def _judge(given: Namespace) -> Judge:
    from ..filtering.verdict import Judge

    return Judge.of(given.model, given.spam, given.spam_above, given.ham_below)


def _many(given: Namespace) -> int:
    """One line a mail: where it stands, what it is, and by how many decibans."""
    from dataclasses import replace

    from ..files import csv_writer
    from ..filtering.boxes import boxes

    judge = _judge(given)
    threads = replace(judge.saved.settings, threads=given.threads).cores
    with screen.stream(None) as stream:
        stream.write("mail,verdict,decibans\n")
        for file in given.mails:
            for box in boxes(file):
                found = zip(box.names, judge.verdicts(box, threads), strict=True)
                lines = io.StringIO(newline="")
                csv_writer(lines).writerows([where, one.name, f"{one.decibans:.2f}"] for where, one in found)
                stream.write(lines.getvalue())
    return 0


def _change(given: Namespace) -> int:
    """Learns or forgets: one mail goes to the journal, which is folded once it is long; files are folded at once.

    So is what a first model can be made of.
    """
    from ..filtering import journal
    from ..filtering.boxes import boxes
    from ..filtering.records import Entry

    forget, label = given.learn is None, given.forget if given.learn is None else given.learn
    try:
        journal.check(given.model, label, forget)
        many = (mail for file in given.mails for box in boxes(file) for mail in box.mails)
        every = many if given.mails else iter([sys.stdin.buffer.read()])
        waiting = journal.append(given.model, (Entry(label, mail, forget) for mail in every))
        if given.mails or waiting >= given.fold_after or not os.path.exists(given.model):
            _tell(given, journal.fold(given.model))
    except DecibanError as error:
        screen.tell(str(error))
        return TEMPFAIL
    return 0


def _tell(given: Namespace, done: Folded) -> None:
    if done.refused:
        screen.warn(f"never learnt so, and not forgotten: {done.refused:,} of the mails")
    if done.waiting:
        screen.tell(f"{given.model}: no model yet: {done.waiting:,} of the mails wait for some of a second label")
    elif given.mails:
        print(f"learnt {done.learnt:,} mails, forgot {done.forgotten:,}; {given.model}")
