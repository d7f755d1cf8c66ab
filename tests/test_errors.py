"""The wording of every error, from a situation that really raises it; and what holds for all of them."""

import ast
import gzip
import hashlib
import pickle
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import deciban
from deciban import errors, modelfile, properties, training
from deciban.cli import run
from deciban.decision import costs
from deciban.errors import DecibanError, described, listed, one_line
from deciban.examples import Source
from deciban.feeds import Item, open_feed
from deciban.feeds.fading import Fading
from deciban.feeds.items import answer_of
from deciban.feeds.syndication import items_of
from deciban.filtering import journal
from deciban.filtering.boxes import boxes
from deciban.hierarchy import shared
from deciban.mixture import steps
from deciban.projection import forest
from deciban.settings import FITTED, Settings
from deciban.weightfile import export

PACKAGE = Path(deciban.__file__).parent
SETTINGS = ", ".join(field.name for field in fields(Settings))


def mail():
    return deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"])


def guessed(unlabelled=("money again",)):
    return deciban.train(["free money", "see you"], ["spam", "ham"], unlabelled=unlabelled, unlabelled_weight=0.5)


def too_large(_):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "LARGEST", 5)
        deciban.train(["free money", "you"], ["spam", "ham"], unlabelled=["money again"])


def too_many_shared(_):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared, "MOST_WEIGHTS", 2)
        deciban.train(["free money", "see you"], ["x/y", "z/x"], hierarchy="/", levels="shared").predict(["money"])


def too_many_numbers(_):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest, "MOST_NUMBERS", 50)
        deciban.train(["free money", "see you"] * 3, ["spam", "ham"] * 3, model="rotation-forest")


def without_matplotlib(_):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", None)
        run(["compare", __file__, "--plot", "table.svg"])


def damaged_journal(folder):
    (folder / "mail.deciban.journal").write_text("hello\n")
    journal.append(str(folder / "mail.deciban"), [])


def feeding(action, again=False):
    """Does something with a new feed; or with one that is begun again."""

    def act(folder):
        with open_feed(folder / "m", new=True) as feed:
            action(feed)
        if again:
            open_feed(folder / "m", new=True).__enter__()

    return act


def damaged_feed(folder):
    (folder / "m.feed").write_text("no JSON\n")
    open_feed(folder / "m").__enter__()


def cost_of(folder, line):
    (folder / "costs.csv").write_text(f"true,predicted,cost\n{line}\n")
    return costs.read(folder / "costs.csv")


def damaged_column():
    offsets = pa.py_buffer(np.array([0, 4, 2], np.int32))
    return pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"free")])


def loaded(folder):
    mail().save(folder / "mail.deciban")
    return deciban.load(folder / "mail.deciban")


def tan():
    return deciban.train(["free money", "see you"], ["spam", "ham"], model="tan")


def merged_weights(_):
    one, other = (deciban.train([a, a, "cc"], ["x", "x", "y"], term_weights="learnt") for a in ("aa", "bb"))
    return one + other


def merged_searches(_):
    labels = ["x"] * 9 + ["y"] * 9
    one, other = (deciban.train([a] * 9 + [b] * 9, labels, select="forward:2") for a, b in (("aa", "bb"), ("aa", "cc")))
    return one + other


def forgotten(texts, labels):
    return mail().forget(texts, labels)


def listing(name, content, names="trigger:{0}"):
    """Trains with a list of words of that name and content."""

    def action(folder):
        (folder / name).write_bytes(content)
        deciban.train(["one", "two"], ["a", "b"], properties=names.format(folder / name))

    return action


def too_long_list(_):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(properties, "MOST_WORDS", 2)
        deciban.train(["one", "two"], ["a", "b"], properties={"misspelling": ["one", "two", "three"]})


def reading(name, content, **options):
    """Reads a file of that name and content."""

    def action(folder):
        (folder / name).write_bytes(content)
        return list(Source(folder / name, **options).batches())

    return action


def loading(change):
    """Loads a model file whose bytes were changed."""

    def action(folder):
        path = folder / "mail.deciban"
        mail().save(path)
        path.write_bytes(change(path.read_bytes()))
        return deciban.load(path)

    return action


def of_format(number):
    """The same model as one of another format would say it, with a checksum that fits."""

    return lambda data: resigned(data.replace(b'format\\":%d' % modelfile.NEWEST, b'format\\":%d' % number))


def resigned(data):
    """A model file with a checksum that fits."""
    start = data.index(b'checksum\\":\\"') + len(b'checksum\\":\\"')
    head, rest = data[:start], data[start + 64 :]
    return head + hashlib.blake2b(head + b"0" * 64 + rest, digest_size=32).hexdigest().encode() + rest


# What raises each error, and the whole line that it says; {folder} is where the action may write.
WORDINGS = {
    errors.BadText: (
        lambda _: deciban.train(["fine", None], ["a", "b"]),
        "texts[1]: expected a text, got None",
    ),
    errors.BrokenText: (
        lambda _: mail().predict(["fine", "half \ud83d"]),
        "texts[1]: the text holds half a surrogate pair, so it is not Unicode; repair it where it was read",
    ),
    errors.NotUtf8: (
        lambda _: mail().predict(["fine", "caf\xe9".encode("latin-1")]),
        "texts[1]: the bytes are not UTF-8 (0xe9 after 3); decode them by their true encoding",
    ),
    errors.BadTexts: (
        lambda _: mail().predict("free money"),
        "expected a list or a column of texts, got 'free money'",
    ),
    errors.UnreadableColumn: (
        lambda _: mail().predict(damaged_column()),
        "the Arrow column of texts cannot be read: Invalid argument error: "
        "Offset invariant failure: offset at position 1 out of bounds: 4 > 2",
    ),
    errors.BadLabel: (
        lambda _: deciban.train(["one", "two"], ["a", 3]),
        "labels[1]: expected a label as text, got int 3",
    ),
    errors.UnevenLengths: (
        lambda _: deciban.train(["one", "two"], ["a"]),
        "expected one label a text, got 2 texts and 1 labels",
    ),
    errors.BadWeight: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"], weights=[1, -0.5]),
        "weights[1]: expected a weight, a number from 0 to 1e+09, got float -0.5",
    ),
    errors.UnevenWeights: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"], weights=[1, 2, 3]),
        "expected one weight a text, got 2 texts and 3 weights",
    ),
    errors.NotSoOften: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"], weights=[1, 0.5]),
        "texts[1]: a multinomial model counts a text 0, 1, 2, ... or at most 10000 times, got the weight 0.5; "
        f"models that take any: {', '.join(FITTED)}",
    ),
    errors.BadCost: (
        lambda folder: cost_of(folder, "ham,spam,dear"),
        "costs.csv:2: expected a cost, a number, got 'dear'",
    ),
    errors.RepeatedCost: (
        lambda folder: cost_of(folder, "spam,ham,1\nspam,ham,2"),
        "costs.csv:3: a second cost of deciding 'ham' where 'spam' is true; give one",
    ),
    errors.UnknownCostLabel: (
        lambda _: costs.check({("ham", "eggs"): 2.0}, ["ham", "spam"]),
        "there is a cost for 'eggs', which is no label here; the labels are: ham, spam",
    ),
    errors.AmbiguousCost: (
        lambda _: costs.pair_of("a:a:a", ["a", "a:a"]),
        "'a:a:a' can be read as more than one pair of labels; give costs in a file: --costs costs.csv",
    ),
    errors.BadPriors: (
        lambda _: mail().decide(["money"], deciban.Rule(priors={"ham": 0.5, "spam": 0.6})),
        "the priors that were given sum to 1.1: expected 1, as every label has one",
    ),
    errors.NoThreshold: (
        lambda _: mail().set_threshold("spam", 0.1, ["a1", "b1"], ["ham", "ham"]),
        "expected texts with the label 'spam' and without it, to choose a threshold by, got 0 of 2 with it",
    ),
    errors.NoExamples: (
        lambda _: mail().evaluate([], []),
        "texts: expected labelled examples, got none",
    ),
    errors.BadLabels: (
        lambda _: deciban.train(["one", "two"], [3, []], several="|"),
        "labels[0]: expected labels as a list, or as text with a separator between, got int 3",
    ),
    errors.RepeatedLabel: (
        lambda _: deciban.train(["one", "two"], ["a|b|a", ""], several="|"),
        "labels[0]: expected each label once, got 'a' again",
    ),
    errors.HasSeparator: (
        lambda _: deciban.train(["one", "two"], [["a|b"], []], several="|"),
        "labels[0]: label 'a|b' holds the separator '|': choose another with --several",
    ),
    errors.NoLabelAnywhere: (
        lambda _: deciban.train(["one", "two"], [[], []], several="|"),
        "memory: no text has a label: there is nothing to learn",
    ),
    errors.NotForSeveral: (
        lambda _: deciban.train(["one", "two"], [["a"], []], several="|", weights=[1, 2]),
        "weights is not for models of several labels: expected texts of one weight, all with their labels",
    ),
    errors.LessThanItsParts: (
        lambda _: deciban.train(["one", "two"], [["a", "b"], ["a"]], several="|", alpha=1.0).forget(["one"], [["a"]]),
        "a text was learnt with other labels than it is forgotten with: label 'b' would have 'one' too often",
    ),
    errors.OneLabel: (
        lambda _: deciban.train(["one", "two"], ["spam", "spam"]),
        "expected examples of at least two labels, got only 'spam'",
    ),
    errors.OneLabelIn: (
        lambda _: deciban.compare({"mail": (["hi"] * 9, ["ham"] * 9)}, {"MNB": {}}, folds=3),
        "mail: expected texts of at least two labels to learn from, got only 'ham'",
    ),
    errors.BadSet: (
        lambda _: deciban.compare({"mail": ["texts"]}, {"MNB": {}}),
        "mail: expected (texts, labels) or (texts, labels, split), of one length, got list ['texts']",
    ),
    errors.NothingToCompare: (
        lambda _: deciban.compare({}, {"MNB": {}}),
        "expected a set or more to compare, by name, got none",
    ),
    errors.SameName: (
        lambda _: run(["compare", __file__, "--models", "ratio,tan,ratio"]),
        "two models are called 'ratio'; give each a name of its own",
    ),
    errors.UnknownModel: (
        lambda _: run(["compare", __file__, "--models", "ratio,tan", "--against", "bernoulli"]),
        "'bernoulli' is none of the models that are compared; those are: ratio, tan",
    ),
    errors.TooManyFolds: (
        lambda _: deciban.compare({"mail": (["free money", "money now", "see you"], ["x", "x", "y"])}, {"MNB": {}}),
        "mail: expected at most 2 folds, as many as the label 'x' has texts, got 10",
    ),
    errors.TooFewForFolds: (
        lambda _: deciban.path(["free money", "see you"], ["spam", "ham"]),
        "texts: expected at least 5 examples, one a fold, got 2",
    ),
    errors.TooFewGroups: (
        lambda _: deciban.evaluate(["free money", "see you"] * 3, ["x", "y"] * 3, "folds:3", group=[1, 2] * 3),
        "texts: expected at least 3 groups, one for each part, got 2",
    ),
    errors.TooFewTimes: (
        lambda _: deciban.evaluate(["free money", "see you"] * 3, ["x", "y"] * 3, time=[1, 2] * 3),
        "texts: 5 steps in time need examples of 6 different times, got 2",
    ),
    errors.BadTime: (
        lambda _: deciban.evaluate(["free money", "see you"], ["x", "y"], "time:1", time=["2026-11-17", "17.11.2026"]),
        "texts, time[1]: expected a time, a number or a date such as 2026-11-17 or 2026-11-17T09:30, got '17.11.2026'",
    ),
    errors.UnevenColumn: (
        lambda _: deciban.evaluate(["free money", "see you"], ["x", "y"], group=["anna"]),
        "expected one group a text, got 2 texts and 1 of these",
    ),
    errors.UnevenTests: (
        lambda _: run(["compare", "a.csv", "b.csv", "--test", "c.csv"]),
        "expected one --test file for each of the 2 files to train on, got 1",
    ),
    errors.NeedsExtra: (
        without_matplotlib,
        "a plot needs matplotlib, which is not installed: pip install 'deciban[plot]'",
    ),
    errors.UnknownLabel: (
        lambda _: mail().explain("money", "eggs"),
        "'eggs' is not a label of this model; its labels are: ham, spam",
    ),
    errors.SameLabel: (
        lambda _: mail().explain("money", "spam", "spam"),
        "expected two different labels to compare, got 'spam' twice",
    ),
    errors.NotDrawable: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], model="complement").sample(),
        "the model 'complement' does not say how probable a text is, so none can be drawn; "
        "those that do: multinomial, bernoulli",
    ),
    errors.UnknownSetting: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], ngrams=2),
        f"'ngrams' is not a setting; the settings are: {SETTINGS}",
    ),
    errors.UnknownChoice: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], tokens="syllable"),
        "tokens='syllable': not known; the known ones are: word, unicode, marks, whitespace",
    ),
    errors.BadSetting: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], words=(3, 1)),
        "words=(3, 1): expected two lengths such as (1, 2), between 1 and 64",
    ),
    errors.NotForModel: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], model="bernoulli", smoothing="absolute"),
        "smoothing='absolute': not for the model 'bernoulli', which takes: laplace, beta, auto",
    ),
    errors.NotWithGroups: (
        lambda _: deciban.evaluate(["one", "two"], ["a", "b"], group=["x", "y"], time=[1, 2]),
        "texts are held out group by group or by time, not both; give one of them",
    ),
    errors.NotForThisModel: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"], model="nbsvm", subsets=3),
        "subsets=3: not for the model 'nbsvm'; it is for: rotation, rotation-forest",
    ),
    errors.EmptyStep: (
        lambda _: deciban.train(["free money", "see you"], ["mail//spam", "mail/ham"], hierarchy="/"),
        "label 'mail//spam': expected a path with something between any two '/', got an empty step",
    ),
    errors.NoPaths: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"], hierarchy="/"),
        "hierarchy='/': expected it in labels, as in a path, got none that has it: ham, spam",
    ),
    errors.NoHierarchy: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"]).predict_node(["money"]),
        "this is for labels that are paths, and the model takes them as they are: train it with hierarchy='/'",
    ),
    errors.NoFlatWeights: (
        lambda _: deciban.train(["a", "b"], ["x/y", "x/z"], hierarchy="/", levels="top-down").words(),
        "a model with levels='top-down' has weights for each of its decisions, and none of a term for a label: it "
        "predicts, ranks, evaluates and explains; levels='shared' and 'flat' have them",
    ),
    errors.TooManyShared: (
        too_many_shared,
        "levels='shared' would take more than 2 weights for 2 labels; levels='top-down' grows with the counts alone",
    ),
    errors.TooManyNumbers: (
        too_many_numbers,
        "4 terms x 2 features x 10 rounds are more numbers than 50; take fewer terms (select), features or rounds",
    ),
    errors.NoWeights: (
        lambda _: deciban.train(["free money", "see you"] * 3, ["spam", "ham"] * 3, model="rotation-forest").words(),
        "a rotation-forest model has trees, and no weights of terms for this: it predicts, ranks, evaluates and "
        "explains; train a model with weights, such as logistic",
    ),
    errors.TooManyWeights: (
        lambda _: deciban.train(*([f"w{i}" for i in range(9000)] for _ in range(2)), model="twcnb").scorecard,
        "the model 'twcnb' has a weight for every term and label, and 9,000 terms x 9,000 labels are more than "
        "67,108,864; choose the model 'complement', or fewer terms",
    ),
    errors.NoPrior: (
        lambda _: deciban.train(["a1", "b1"], ["x", "y"], prior={"x": 1.0}).predict(["a1"]),
        "the prior that was given has no number for the label 'y'; it has: x",
    ),
    errors.NothingSeen: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], words=None, chars=None),
        "words, chars, chars_across and properties are all off: expected at least one of them",
    ),
    errors.UnknownProperty: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], properties="capitals"),
        f"'capitals' is not a property; the known ones are: {', '.join(properties.KNOWN)}",
    ),
    errors.BadProperties: (
        lambda _: deciban.train(["one", "two"], ["a", "b"], properties=3),
        "expected names of properties, such as 'caps,negation', or a list of words for each name, got int 3",
    ),
    errors.SameTrigger: (
        listing("money.txt", b"cash", "trigger:{0},trigger:{0}"),
        "two lists of trigger words are called 'money'; give one another name: trigger:NAME=FILE",
    ),
    errors.EmptyList: (
        listing("money.txt", b"# none\n"),
        "{folder}/money.txt: expected words, one a line, got none",
    ),
    errors.NoWordIn: (
        listing("money.txt", b"cash\n$$$\n"),
        "{folder}/money.txt: expected words or phrases of at most 200 characters, got '$$$'",
    ),
    errors.TooLongList: (
        too_long_list,
        "misspelling: expected at most 2 words, which every model file holds, got 3",
    ),
    errors.ListNotUtf8: (
        listing("words.txt", b"one\ncaf\xe9\n", "misspelling:{0}"),
        "{folder}/words.txt:2: the list is not UTF-8 (byte 0xe9); save it as UTF-8",
    ),
    errors.NotReadTwice: (
        lambda _: training.train_on(Source("-"), Settings.of(properties="misspelling")),
        "misspelling learns its words from the texts, and standard input can be read once only; give --words-file FILE",
    ),
    errors.FewerTerms: (
        lambda _: mail().select("chi-square", 6),
        "expected at most as many terms as the model has, 5, to keep, got 6",
    ),
    errors.NothingSelected: (
        lambda _: deciban.train(["aa bb", "bb aa"] * 8, ["x", "x", "x", "y"] * 4).select("forward", 1),
        "the forward search leaves nothing: 4 of 16 texts are wrong without any term, and no term makes that surely "
        "better; select by a measure",
    ),
    errors.OtherWeights: (
        merged_weights,
        "cannot merge models whose term weights were learnt apart: train one on all, or weigh by gain-ratio",
    ),
    errors.OtherTerms: (
        merged_searches,
        "cannot merge models whose searches kept different terms; select by a measure, or search again after",
    ),
    errors.NoTerms: (
        lambda _: deciban.train(["", "?"], ["spam", "ham"]).select("chi-square", 1),
        "there is no term to select from: no text of the model has any",
    ),
    errors.NeverLearnt: (
        lambda _: forgotten(["free lunch"], ["spam"]),
        "cannot forget what was never learnt: term 'lunch' of label 'spam' would fall below zero",
    ),
    errors.DifferentSettings: (
        lambda _: mail() + deciban.train(["one", "two"], ["a", "b"], words=(1, 2)),
        "cannot merge models that differ in words: (1, 1) and (1, 2)",
    ),
    errors.NoLabelLeft: (
        lambda _: mail().drop_labels(["ham", "spam"]),
        "the model would have no label left: keep at least one",
    ),
    errors.FrozenModel: (
        lambda _: mail().freeze().learn(["lunch?"], ["work"]),
        "the model is frozen: it predicts and explains, and has no counts for this; use the one it was frozen from",
    ),
    errors.NothingLearnt: (
        lambda _: forgotten(["free money", "money now", "see you"], ["spam", "spam", "ham"]).predict(["money"]),
        "the model has no label left: learn some examples first",
    ),
    errors.NeedsExamples: (
        lambda folder: tan().forget(["Free money"], ["spam"]),
        "a tan model is made of its examples, not of their counts alone: train it anew on all of them",
    ),
    errors.MoreThanTerms: (
        lambda folder: export(folder / "w.csv", tan().scorecard),
        "{folder}/w.csv: the model adds up more than W and b: pairs of terms, or rows that are scaled; export another",
    ),
    errors.NoLeaveOneOut: (
        lambda folder: tan().leave_one_out(),
        "a tan model has no leave-one-out: it takes more than its counts; judge it by folds, or examples kept apart",
    ),
    errors.NoNetwork: (
        lambda folder: mail().graph().bif,
        "a multinomial model is no network of terms that are present or absent, which is what BIF holds; "
        "train a bernoulli or a tan model",
    ),
    errors.NoTrainingTexts: (
        lambda folder: loaded(folder).leave_one_out(),
        "leave-one-out needs the training examples, and this model came without: pass texts and labels",
    ),
    errors.OtherTrainingTexts: (
        lambda folder: loaded(folder).leave_one_out(["free money", "see you"], ["spam", "ham"]),
        "leave-one-out needs exactly the examples that the model was trained on, got others",
    ),
    errors.NoMixture: (
        lambda _: deciban.train(["a", "b"], ["x", "y"], unlabelled=["a"], model="complement"),
        "unlabelled texts are learnt by the multinomial model with laplace smoothing, "
        "got model='complement' and smoothing='laplace'",
    ),
    errors.TooLargeMixture: (
        too_large,
        "3 terms x 2 labels are too many to expect counts of; see shorter n-grams, or hash_bits",
    ),
    errors.HoldsExpected: (
        lambda _: guessed().forget(["see you"], ["ham"]),
        "forgetting cannot be exact: the model holds expected counts of unlabelled texts, "
        "made from all that it knew; use .without_unlabelled(), or train it anew",
    ),
    errors.UnknownAnswer: (
        lambda _: answer_of(3, "answers.jsonl:2"),
        "answers.jsonl:2: expected the answer yes, no or skip, got int 3",
    ),
    errors.UnknownItem: (
        feeding(lambda feed: feed.answer("7", "yes", "answers.jsonl:2")),
        "answers.jsonl:2: an answer for '7', an item that was never read or shown; read its feed first",
    ),
    errors.NothingToRank: (
        feeding(lambda feed: feed.save()),
        "there is nothing to rank: no item was read",
    ),
    errors.NoWayBack: (
        lambda _: Fading.of(Settings().terms, "no", "yes").at(7).at(6),
        "counts have faded up to step 7, and cannot go back to step 6",
    ),
    errors.NoFeed: (
        lambda folder: open_feed(folder / "m").__enter__(),
        "{folder}/m: no feed yet (there is no {folder}/m.feed); begin one with --new",
    ),
    errors.FeedExists: (
        feeding(lambda feed: (feed.read([Item("a", "ice")]), feed.answer("a", "yes")), again=True),
        "{folder}/m: there is a feed already, in {folder}/m.feed; go on without --new, or give another name",
    ),
    errors.NoFeedOfModel: (
        lambda folder: (mail().save(folder / "m"), open_feed(folder / "m", new=True).__enter__()),
        "{folder}/m: there is a model already, which no feed has made; give the new feed another name",
    ),
    errors.FeedInUse: (
        feeding(lambda feed: open_feed(feed.path).__enter__()),
        "{folder}/m: another deciban feed is at work on it; wait until that ends",
    ),
    errors.DamagedFeed: (
        damaged_feed,
        "{folder}/m.feed:1: the journal of the feed is damaged here; copy it again, or delete what is wrong",
    ),
    errors.BadFeed: (
        lambda _: items_of(b"<rss>\n<item>", "feed.xml"),
        "feed.xml:2: not an RSS or Atom feed: no element found",
    ),
    errors.DeclaredEntity: (
        lambda _: items_of(b'<!DOCTYPE rss [<!ENTITY a "ha">]><rss/>', "feed.xml"),
        "feed.xml: the feed declares entities of its own, which could grow without end; refused",
    ),
    errors.FeedTooLarge: (
        lambda _: items_of(bytes(64_000_001), "feed.xml"),
        "feed.xml: expected a feed of at most 64000000 bytes",
    ),
    errors.BadFeedEncoding: (
        lambda _: items_of(b"<rss>\xff</rss>", "feed.xml"),
        "feed.xml: the feed is not valid utf-8, in which it should be: invalid start byte",
    ),
    errors.NoTexts: (
        lambda _: mail().watch([]),
        "texts: expected texts, got none",
    ),
    errors.NoUnlabelled: (
        lambda _: guessed([]),
        "memory: expected unlabelled texts, got none",
    ),
    errors.NoHeldOut: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"]).predict_set(["money"]),
        "sets of labels need held-out texts: train on 20 or more, with a calibration; or recalibrate it",
    ),
    errors.TooFewToCalibrate: (
        lambda _: deciban.train(["free money", "see you"], ["spam", "ham"]).recalibrate(["money"] * 3, ["spam"] * 3),
        "calibrating needs at least 20 texts of labels that the model has, got 3",
    ),
    errors.TooFewToLeaveOut: (
        lambda _: forgotten(["free money", "money now"], ["spam", "spam"]).leave_one_out(),
        "leave-one-out needs at least two examples, got 1",
    ),
    errors.Unreadable: (
        lambda folder: deciban.load(folder / "none.deciban"),
        "{folder}/none.deciban: cannot read: No such file or directory",
    ),
    errors.EmptyFile: (
        reading("mail.csv", b""),
        "{folder}/mail.csv: expected examples, got an empty file",
    ),
    errors.UnknownFormat: (
        reading("mail.xls", b"text,label\n"),
        "{folder}/mail.xls: cannot tell the format from the name; "
        "expected .csv, .tsv, .jsonl, .ndjson, .json, .txt (also .gz), or give --format",
    ),
    errors.UnknownEnding: (
        lambda folder: run(["graph", "mail.deciban", "-o", f"{folder}/mail.png"]),
        "{folder}/mail.png: cannot tell the format from the name; expected .svg or .bif",
    ),
    errors.DamagedGzip: (
        reading("mail.csv.gz", gzip.compress(b"text,label\nhello,ham\n")[:-9]),
        "{folder}/mail.csv.gz: the gzip file is cut off or damaged after line 2",
    ),
    errors.NotInEncoding: (
        reading("mail.csv", b"text,label\nhello,ham\ncaf\xe9,ham\n"),
        "mail.csv:3: not valid utf-8 (byte 0xe9); give its true --encoding, such as latin-1",
    ),
    errors.UnknownEncoding: (
        reading("mail.csv", b"text,label\n", encoding="utf-9"),
        "'utf-9' is not an encoding that Python knows; try utf-8, latin-1 or cp1252",
    ),
    errors.MissingColumn: (
        reading("mail.csv", b"body,label\n"),
        "mail.csv:1: no column 'text'; the columns are: body, label",
    ),
    errors.RepeatedColumn: (
        reading("mail.csv", b"text,label,text\n"),
        "mail.csv:1: the column 'text' stands there twice",
    ),
    errors.ColumnCount: (
        reading("mail.csv", b"label,text\nham,hello\nspam\n"),
        "mail.csv:3: expected 2 columns (label, text), got 1",
    ),
    errors.BadCsv: (
        reading("mail.csv", b'text,label\n"hello,ham\n'),
        "mail.csv:2: not valid CSV: a quotation mark is never closed; is the file cut off?",
    ),
    errors.BadJson: (
        reading("mail.jsonl", b'{"text": "hello", "label": }\n'),
        "mail.jsonl:1: not valid JSON: Expecting value at character 28",
    ),
    errors.NotAnObject: (
        reading("mail.jsonl", b'["hello", "ham"]\n'),
        "mail.jsonl:1: expected a JSON object, got list ['hello', 'ham']",
    ),
    errors.NoMails: (
        lambda folder: [*boxes(str(folder))],
        "{folder}: expected mails, got a folder without any file",
    ),
    errors.DamagedJournal: (
        damaged_journal,
        "{folder}/mail.deciban.journal: the journal is damaged at byte 0; move it away, and learn its mails again",
    ),
    errors.NoRowLeft: (
        reading("mail.csv", b"text,label\nhello,ham\n", where=(("label", "spam"), ("text", "hello"))),
        "{folder}/mail.csv: no row has label=spam and text=hello",
    ),
    errors.NotAModel: (
        loading(lambda data: b"GIF89a" + data),
        "{folder}/mail.deciban: not a deciban model",
    ),
    errors.TruncatedModel: (
        loading(lambda data: data[:40]),
        "{folder}/mail.deciban: the model is cut off: expected over 48 bytes, got 40; copy it again",
    ),
    errors.DamagedModel: (
        loading(lambda data: data[:-1] + b"?"),
        "{folder}/mail.deciban: the model is damaged (its checksum does not fit); copy it again, or train it anew",
    ),
    errors.NewerModel: (
        loading(of_format(4)),
        "{folder}/mail.deciban: the model has format 4, newer than 3, the newest known here; upgrade deciban",
    ),
    errors.OlderModel: (
        loading(of_format(0)),
        "{folder}/mail.deciban: the model has format 0, older than 1, the oldest still read; train it anew",
    ),
    errors.UnknownContent: (
        loading(lambda data: resigned(data.replace(b'\\"counts\\"', b'\\"county\\"'))),
        "{folder}/mail.deciban: the model holds 'county', which is not known here; upgrade deciban",
    ),
    errors.Unwritable: (
        lambda folder: mail().save(folder),
        "{folder}: cannot write: Is a directory",
    ),
}


def leaves(kind):
    below = kind.__subclasses__()
    if not below:
        yield kind
    for each in below:
        yield from leaves(each)


def raised_names():
    """The names of all that is raised anywhere in the package."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None:
                raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                found.add(ast.unparse(raised).rpartition(".")[2])
    return found


@pytest.fixture(params=WORDINGS, ids=lambda kind: kind.__name__)
def error_and_line(request, tmp_path):
    """Each error as it was raised, and the line that it should say."""
    action, line = WORDINGS[request.param]
    with pytest.raises(request.param) as caught:
        action(tmp_path)
    assert type(caught.value) is request.param
    return caught.value, line.replace("{folder}", str(tmp_path))


def test_every_error_says_what_is_written_here(error_and_line):
    error, line = error_and_line
    assert str(error) == line


def test_every_error_survives_the_way_to_another_process(error_and_line):
    error, _ = error_and_line
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.facts) == (type(error), str(error), error.facts)


def test_an_error_about_what_cannot_be_pickled_can_be():
    with pytest.raises(errors.BadSetting) as caught:
        deciban.train(["one", "two"], ["a", "b"], alpha=lambda: 1)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_no_error_is_without_a_wording_here():
    assert set(leaves(DecibanError)) == set(WORDINGS)


def test_no_error_is_defined_in_vain():
    assert {kind.__name__ for kind in leaves(DecibanError)} <= raised_names()


def test_all_errors_live_in_errors():
    assert {kind.__module__ for kind in leaves(DecibanError)} == {"deciban.errors"}


def test_whatever_a_line_tells_of_it_stays_one_line():
    line = str(errors.OneLabel(label="a\nb")) + str(
        errors.Unreadable(path="a\r\n\x1b[2J\u2028\ud800b", reason="x" * 10**6)
    )
    assert line.isprintable()
    assert len(line) < 1200
    assert r"a\r\n\x1b[2J\u2028\ud800b" in line


def test_a_very_long_line_keeps_its_beginning_and_its_end():
    line = str(errors.MissingColumn(where="mail.csv:1", column="text", known=listed(["x" * 10**7] * 20)))
    assert line.startswith("mail.csv:1: no column 'text'; the columns are: xxx")
    assert line.endswith("xxx... and 8 more")
    assert one_line("a" * 5000 + "b").endswith("aab")


def test_values_are_described_shortly():
    assert described("x" * 10**6) == "'" + "x" * 27 + "..." + "x" * 28 + "'"
    assert described(10**5000).startswith("int ")  # Python itself says no more than so many digits
    assert described([10**5000]).startswith("list ")
    assert described(list(range(10**6))) == "list [0, 1, 2, 3, 4, 5, ...]"
