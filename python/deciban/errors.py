"""Every error that deciban raises on purpose, each with its wording: expected, got, where, what to do.

An error is one line that stands alone. It is raised with the facts of the case, which its wording puts into a sentence:

>>> raise ColumnCount(where="mail.csv:17", expected=2, names="label, text", got=1)
Traceback (most recent call last):
    ...
deciban.errors.ColumnCount: mail.csv:17: expected 2 columns (label, text), got 1
"""

from __future__ import annotations

import contextlib
import reprlib
from collections.abc import Iterable, Iterator
from typing import ClassVar

_LONGEST = 1000  # characters of a line: whoever reads it shall see where it begins and where it ends
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


class DecibanError(Exception):
    """The root of all errors of deciban. Catch it to catch them all; `facts` has what the line tells, by name."""

    wording: ClassVar[str]

    def __init__(self, **facts: object) -> None:
        super().__init__(one_line(self.wording.format(**facts)))
        self.facts = {name: fact if isinstance(fact, (str, int)) else str(fact) for name, fact in facts.items()}

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), str(self), self.facts)


def _again(kind: type[DecibanError], line: str, facts: dict[str, str | int]) -> DecibanError:
    """The same error in another process: its line as it was, whatever it was made from."""
    error = kind.__new__(kind, line)
    error.facts = facts
    return error


def one_line(text: str) -> str:
    """Text as one line that a terminal can show: what is not printable is escaped, what is very long is cut.

    >>> one_line("two\\nlines"), len(one_line("long" * 9999))
    ('two\\\\nlines', 1000)
    """
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2 - 5]} ... {text[-_LONGEST // 2 :]}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(names: Iterable[object], most: int = 12) -> str:
    """Names for a sentence, cut where there are very many or they are very long.

    >>> listed(["a", "b"]), listed("abcde", most=2)
    ('a, b', 'a, b and 3 more')
    """
    all_names = [str(name) for name in names]
    shown = ", ".join(name if len(name) <= 60 else f"{name[:57]}..." for name in all_names[:most]) or "none"
    return shown if len(all_names) <= most else f"{shown} and {len(all_names) - most} more"


def described(value: object) -> str:
    """What a value is, for a person.

    >>> described(None), described(float("nan")), described(3), described(""), described(["a", 1])
    ('None', 'nan', 'int 3', "''", "list ['a', 1]")
    """
    if value is None or (isinstance(value, float) and value != value):
        return str(value)
    if isinstance(value, str):
        return _SHORT.repr(value)
    kind = type(value).__name__
    if getattr(value, "shape", ()):
        return f"{kind} of shape {value.shape}"  # type: ignore[attr-defined]
    try:
        return f"{kind} {_SHORT.repr(value)}"
    except ValueError:
        return f"{kind} too long to show"


class InputError(DecibanError, ValueError):
    """Something that was handed over is not what was asked for."""


class BadText(InputError):
    wording = "{where}: expected a text, got {got}"


class BrokenText(InputError):
    wording = "{where}: the text holds half a surrogate pair, so it is not Unicode; repair it where it was read"


class NotUtf8(InputError):
    wording = "{where}: the bytes are not UTF-8 (0x{byte:02x} after {before}); decode them by their true encoding"


class BadTexts(InputError):
    wording = "expected a list or a column of {what}, got {got}"


class UnreadableColumn(InputError):
    wording = "the Arrow column of {what} cannot be read: {reason}"


class BadLabel(InputError):
    wording = "{where}: expected a label as text, got {got}"


class BadLabels(InputError):
    wording = "{where}: expected labels as a list, or as text with a separator between, got {got}"


class RepeatedLabel(InputError):
    wording = "{where}: expected each label once, got {label!r} again"


class HasSeparator(InputError):
    wording = "{where}: label {label!r} holds the separator {separator!r}: choose another with --several"


class NoLabelAnywhere(InputError):
    wording = "{where}: no text has a label: there is nothing to learn"


class NotForSeveral(InputError):
    wording = "{what} is not for models of several labels: expected {expected}"


class LessThanItsParts(InputError):
    wording = "a text was learnt with other labels than it is forgotten with: {what}"


class UnevenLengths(InputError):
    wording = "expected one label a text, got {texts} texts and {labels} labels"


class BadWeight(InputError):
    wording = "{where}: expected a weight, a number from 0 to {most:g}, got {got}"


class UnevenWeights(InputError):
    wording = "expected one weight a text, got {texts} texts and {weights} weights"


class NotSoOften(InputError):
    wording = (
        "{where}: a {model} model counts a text 0, 1, 2, ... or at most {most} times, got the weight {got}; "
        "models that take any: {known}"
    )


class BadCost(InputError):
    wording = "{where}: expected a cost, a number, got {got}"


class RepeatedCost(InputError):
    wording = "{where}: a second cost of deciding {decided!r} where {true!r} is true; give one"


class UnknownCostLabel(InputError):
    wording = "there is a cost for {label!r}, which is no label here; the labels are: {known}"


class AmbiguousCost(InputError):
    wording = "{got!r} can be read as more than one pair of labels; give costs in a file: --costs costs.csv"


class BadPriors(InputError):
    wording = "the priors that were given sum to {total:g}: expected {expected}"


class NoThreshold(InputError):
    wording = "expected texts with the label {label!r} and without it, to choose a threshold by, got {got}"


class NoExamples(InputError):
    wording = "{where}: expected labelled examples, got none"


class OneLabel(InputError):
    wording = "expected examples of at least two labels, got only {label!r}"


class OneLabelIn(InputError):
    wording = "{where}: expected texts of at least two labels to learn from, got only {label!r}"


class BadSet(InputError):
    wording = "{name}: expected (texts, labels) or (texts, labels, split), of one length, got {got}"


class NothingToCompare(InputError):
    wording = "expected a {what} or more to compare, by name, got {got}"


class SameName(InputError):
    wording = "two {what} are called {name!r}; give each a name of its own"


class UnknownModel(InputError):
    wording = "{name!r} is none of the models that are compared; those are: {known}"


class TooManyFolds(InputError):
    wording = "{name}: expected at most {got} folds, as many as the label {label!r} has texts, got {folds}"


class TooFewForFolds(InputError):
    wording = "{where}: expected at least {folds} examples, one a fold, got {got}"


class TooFewGroups(InputError):
    wording = "{name}: expected at least {folds} groups, one for each part, got {got}"


class TooFewTimes(InputError):
    wording = "{name}: {steps} steps in time need examples of {needed} different times, got {got}"


class BadTime(InputError):
    wording = "{where}: expected a time, a number or a date such as 2026-11-17 or 2026-11-17T09:30, got {got}"


class UnevenColumn(InputError):
    wording = "expected one {what} a text, got {texts} texts and {got} of these"


class UnevenTests(InputError):
    wording = "expected one --test file for each of the {files} files to train on, got {tests}"


class NeedsExtra(InputError):
    wording = "{what} needs {package}, which is not installed: pip install 'deciban[{extra}]'"


class UnknownLabel(InputError):
    wording = "{label!r} is not a label of this model; its labels are: {known}"


class EmptyStep(InputError):
    wording = "label {label!r}: expected a path with something between any two {separator!r}, got an empty step"


class NoPaths(InputError):
    wording = "hierarchy={separator!r}: expected it in labels, as in a path, got none that has it: {labels}"


class NoHierarchy(InputError):
    wording = "{what} is for labels that are paths, and the model takes them as they are: train it with hierarchy='/'"


class TooManyShared(InputError):
    wording = (
        "levels='shared' would take more than {most} weights for {labels:,} labels; levels='top-down' grows with the "
        "counts alone"
    )


class SameLabel(InputError):
    wording = "expected two different labels to compare, got {label!r} twice"


class NoFlatWeights(InputError):
    wording = (
        "a model with levels='top-down' has weights for each of its decisions, and none of a term for a label: it "
        "predicts, ranks, evaluates and explains; levels='shared' and 'flat' have them"
    )


class NotDrawable(InputError):
    wording = "the model {model!r} does not say how probable a text is, so none can be drawn; those that do: {known}"


class UnknownSetting(InputError):
    wording = "{name!r} is not a setting; the settings are: {known}"


class UnknownChoice(InputError):
    wording = "{setting}={got!r}: not known; the known ones are: {known}"


class BadSetting(InputError):
    wording = "{setting}={got!r}: expected {expected}"


class NotWithGroups(InputError):
    wording = "texts are held out group by group or {other}, not both; give one of them"


class NotForModel(InputError):
    wording = "{setting}={got!r}: not for the model {model!r}, which takes: {known}"


class NotForThisModel(InputError):
    wording = "{setting}={got!r}: not for the model {model!r}; it is for: {known}"


class NoPrior(InputError):
    wording = "the prior that was given has no number for the label {label!r}; it has: {known}"


class TooManyWeights(InputError):
    wording = (
        "{what} has a weight for every term and label, and {terms} terms x {labels} labels are more than {most}; "
        "choose the model 'complement', or fewer terms"
    )


class TooManyNumbers(InputError):
    wording = (
        "{terms} terms x {features} features x {rounds} rounds are more numbers than {most}; "
        "take fewer terms (select), features or rounds"
    )


class NoWeights(InputError):
    wording = (
        "a {model} model has trees, and no weights of terms for this: it predicts, ranks, evaluates and explains; "
        "train a model with weights, such as logistic"
    )


class NothingSeen(InputError):
    wording = "words, chars, chars_across and properties are all off: expected at least one of them"


class UnknownProperty(InputError):
    wording = "{got!r} is not a property; the known ones are: {known}"


class BadProperties(InputError):
    wording = "expected names of properties, such as 'caps,negation', or a list of words for each name, got {got}"


class SameTrigger(InputError):
    wording = "two lists of trigger words are called {name!r}; give one another name: trigger:NAME=FILE"


class EmptyList(InputError):
    wording = "{where}: expected words, one a line, got none"


class NoWordIn(InputError):
    wording = "{where}: expected words or phrases of at most {most} characters, got {got!r}"


class TooLongList(InputError):
    wording = "{where}: expected at most {most} words, which every model file holds, got {got}"


class ListNotUtf8(InputError):
    wording = "{where}: the list is not UTF-8 (byte 0x{byte:02x}); save it as UTF-8"


class NotReadTwice(InputError):
    wording = "misspelling learns its words from the texts, and {where} can be read once only; give --words-file FILE"


class FewerTerms(InputError):
    wording = "expected at most as many terms as the model has, {terms}, to keep, got {top}"


class NothingSelected(InputError):
    wording = (
        "the {by} search leaves nothing: {wrong} of {texts} texts are wrong without any term, "
        "and no term makes that surely better; select by a measure"
    )


class OtherWeights(InputError):
    wording = "cannot merge models whose term weights were learnt apart: train one on all, or weigh by gain-ratio"


class OtherTerms(InputError):
    wording = "cannot merge models whose searches kept different terms; select by a measure, or search again after"


class NoTerms(InputError):
    wording = "there is no term to select from: no text of the model has any"


class NeverLearnt(InputError):
    wording = "cannot forget what was never learnt: {what} would fall below zero"


class DifferentSettings(InputError):
    wording = "cannot merge models that differ in {setting}: {ours!r} and {theirs!r}"


class NoHeldOut(InputError):
    wording = "sets of labels need held-out texts: train on {least} or more, with a calibration; or recalibrate it"


class NoLabelLeft(InputError):
    wording = "the model would have no label left: keep at least one"


class FrozenModel(InputError):
    wording = "{model} is frozen: it predicts and explains, and has no counts for this; use the one it was frozen from"


class NothingLearnt(InputError):
    wording = "the model has no label left: learn some examples first"


class NeedsExamples(InputError):
    wording = "a {model} model is made of its examples, not of their counts alone: train it anew on all of them"


class MoreThanTerms(InputError):
    wording = "{path}: the model adds up more than W and b: pairs of terms, or rows that are scaled; export another"


class NoLeaveOneOut(InputError):
    wording = (
        "a {model} model has no leave-one-out: it takes more than its counts; judge it by folds, or examples kept apart"
    )


class NoNetwork(InputError):
    wording = "a {model} model is no {what}; train a bernoulli or a tan model"


class NoTrainingTexts(InputError):
    wording = "leave-one-out needs the training examples, and this model came without: pass texts and labels"


class OtherTrainingTexts(InputError):
    wording = "leave-one-out needs exactly the examples that the model was trained on, got others"


class TooFewToCalibrate(InputError):
    wording = "calibrating needs at least {least} texts of labels that the model has, got {got}"


class TooFewToLeaveOut(InputError):
    wording = "leave-one-out needs at least two examples, got {got}"


class NoMixture(InputError):
    wording = (
        "unlabelled texts are learnt by the multinomial model with laplace smoothing, "
        "got model={model!r} and smoothing={smoothing!r}"
    )


class TooLargeMixture(InputError):
    wording = "{terms} terms x {labels} labels are too many to expect counts of; see shorter n-grams, or hash_bits"


class HoldsExpected(InputError):
    wording = (
        "{what} cannot be exact: the model holds expected counts of unlabelled texts, made from all that it knew; "
        "use .without_unlabelled(), or train it anew"
    )


class NoUnlabelled(InputError):
    wording = "{where}: expected unlabelled texts, got none"


class NoTexts(InputError):
    wording = "{where}: expected texts, got none"


class UnknownAnswer(InputError):
    wording = "{where}: expected the answer yes, no or skip, got {got}"


class UnknownItem(InputError):
    wording = "{where}: an answer for {id!r}, an item that was never read or shown; read its feed first"


class NothingToRank(InputError):
    wording = "there is nothing to rank: no item was read"


class NoWayBack(InputError):
    wording = "counts have faded up to step {now}, and cannot go back to step {step}"


class NoFeed(InputError):
    wording = "{model}: no feed yet (there is no {model}.feed); begin one with --new"


class FeedExists(InputError):
    wording = "{model}: there is a feed already, in {model}.feed; go on without --new, or give another name"


class NoFeedOfModel(InputError):
    wording = "{model}: there is a model already, which no feed has made; give the new feed another name"


class FeedInUse(InputError):
    wording = "{model}: another deciban feed is at work on it; wait until that ends"


class ReadError(DecibanError):
    """A file could not be read."""


class DamagedFeed(ReadError):
    wording = "{where}: the journal of the feed is damaged here; copy it again, or delete what is wrong"


class BadFeed(ReadError):
    wording = "{where}: not an RSS or Atom feed: {reason}"


class DeclaredEntity(ReadError):
    wording = "{path}: the feed declares entities of its own, which could grow without end; refused"


class FeedTooLarge(ReadError):
    wording = "{path}: expected a feed of at most {most} bytes"


class BadFeedEncoding(ReadError):
    wording = "{path}: the feed is not valid {encoding}, in which it should be: {reason}"


class Unreadable(ReadError):
    wording = "{path}: cannot read: {reason}"


class EmptyFile(ReadError):
    wording = "{path}: expected examples, got an empty file"


class UnknownFormat(ReadError):
    wording = "{path}: cannot tell the format from the name; expected {known} (also .gz), or give --format"


class UnknownEnding(InputError):
    wording = "{path}: cannot tell the format from the name; expected {known}"


class DamagedGzip(ReadError):
    wording = "{path}: the gzip file is cut off or damaged after line {line}"


class NotInEncoding(ReadError):
    wording = "{where}: not valid {encoding} (byte 0x{byte:02x}); give its true --encoding, such as latin-1"


class UnknownEncoding(ReadError):
    wording = "{encoding!r} is not an encoding that Python knows; try utf-8, latin-1 or cp1252"


class MissingColumn(ReadError):
    wording = "{where}: no column {column!r}; the columns are: {known}"


class RepeatedColumn(ReadError):
    wording = "{where}: the column {column!r} stands there twice"


class ColumnCount(ReadError):
    wording = "{where}: expected {expected} columns ({names}), got {got}"


class BadCsv(ReadError):
    wording = "{where}: not valid CSV: {reason}"


class BadJson(ReadError):
    wording = "{where}: not valid JSON: {reason}"


class NotAnObject(ReadError):
    wording = "{where}: expected a JSON object, got {got}"


class NoMails(ReadError):
    wording = "{path}: expected mails, got a folder without any file"


class DamagedJournal(ReadError):
    wording = "{path}: the journal is damaged at byte {at}; move it away, and learn its mails again"


class NoRowLeft(ReadError):
    wording = "{path}: no row has {conditions}"


class ModelFileError(DecibanError):
    """A model file could not be loaded."""


class NotAModel(ModelFileError):
    wording = "{path}: not a deciban model"


class TruncatedModel(ModelFileError):
    wording = "{path}: the model is cut off: expected {expected} bytes, got {got}; copy it again"


class DamagedModel(ModelFileError):
    wording = "{path}: the model is damaged ({reason}); copy it again, or train it anew"


class NewerModel(ModelFileError):
    wording = "{path}: the model has format {got}, newer than {known}, the newest known here; upgrade deciban"


class OlderModel(ModelFileError):
    wording = "{path}: the model has format {got}, older than {known}, the oldest still read; train it anew"


class UnknownContent(ModelFileError):
    wording = "{path}: the model holds {got!r}, which is not known here; upgrade deciban"


class Unwritable(DecibanError):
    wording = "{path}: cannot write: {reason}"


@contextlib.contextmanager
def reading(path: object) -> Iterator[None]:
    """Turns what the operating system says while reading into one line.

    >>> with reading("mail.csv"): open("no/such/file")
    Traceback (most recent call last):
        ...
    deciban.errors.Unreadable: mail.csv: cannot read: No such file or directory
    """
    try:
        yield
    except OSError as error:
        raise Unreadable(path=path, reason=error.strerror or error) from error
    except ValueError as error:  # a name that no file can have
        raise Unreadable(path=path, reason=error) from error
