"""What is seen, how terms are selected and weighted, projections and models go together: each combination works whole
(trained, explained, saved, frozen, learnt, forgotten, selected anew), or is refused in one line that names the setting.
"""

import itertools

import numpy as np
import pytest

import deciban
from conftest import ROOT
from corpora import PROPERTIES
from deciban.cli import run
from deciban.errors import InputError, NeedsExamples
from deciban.settings import CONTINUED, ELIMINATION, FITTED, MEASURES, MODELS, ROWS, SEARCHES, TERM_WEIGHTS, Settings
from deciban.units import decibans

TEXTS = [
    *("free MONEY now!!!", "win cash, £100: call 85222", "do not miss this FREE prize www.x.com", "money for you 👍"),
    *("see you at lunch", "i am not late, see me soon", "lunch with Bob at noon", "call me when you are home"),
]
TEXTS = [*TEXTS, *(f"Subject: again\n\n{text} again" for text in TEXTS)]
LABELS = ["spam", "spam", "spam", "odd", "ham", "ham", "ham", "odd"] * 2
NEW = ["free lunch NOT money", "see £5"]

SEEN = {
    "words": {},
    "all kinds of terms": {"words": (1, 2), "chars": (3, 5), "properties": "caps,negation"},
    "properties alone": {"words": None, "properties": PROPERTIES},
    "hashed": {"words": (1, 2), "properties": "caps,length", "hash_bits": 10},
}
KINDS = {
    **{model: {"model": model} for model in (*MODELS, *FITTED)},
    "rotation": {"model": "rotation", "rounds": 2},
    "rotation-forest": {"model": "rotation-forest", "rounds": 2},
    "fisher-forest": {"model": "fisher-forest", "rounds": 2},
    "logistic, projected": {"model": "logistic", "project": "lsa:1"},
    "hinge, projected": {"model": "hinge", "project": "lsa:1"},
    "coins": {"model": "bernoulli", "smoothing": "beta"},
    **{f"multinomial, {by}": {"model": "multinomial", "term_weights": by} for by in TERM_WEIGHTS[1:]},
    "complement, learnt": {"model": "complement", "term_weights": "learnt"},
}
SELECT = [None, "mutual-information:8", *(f"{by}:4" for by in (*SEARCHES, ELIMINATION))]


def takes(kind, select):
    """Whether a kind of model takes a selection: measures are for all; searches go by leave-one-out of two models."""
    by = str(select).partition(":")[0]
    if by == ELIMINATION:
        return KINDS[kind]["model"] in CONTINUED
    return by not in SEARCHES or kind == "coins" or KINDS[kind]["model"] == "multinomial"


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_seen_goes_with_every_model_and_selection(kind, seen, tmp_path):
    for select in SELECT:
        settings = {**SEEN[seen], **KINDS[kind], **({"select": select} if select else {})}
        if takes(kind, select):
            check(deciban.train(TEXTS, LABELS, **settings), tmp_path)
        else:
            with pytest.raises(InputError, match=r"^select=.*: not for the model .*; it is for: [^\n]*$"):
                deciban.train(TEXTS, LABELS, **settings)


def check(model, folder):
    """All that a user may do with a model, from memory and from its file."""
    scores, why = model.scores(NEW), model.explain(NEW[0])
    one, other = (model.labels.index(label) for label in (why.label, why.against))
    if why.unit == "decibans":
        odds = np.subtract(*model.predict_log_proba(NEW)[0][[one, other]])
        assert why.total == pytest.approx(decibans(odds), abs=1e-6)
    model.save(folder / "whole")
    model.save(folder / "frozen", frozen=True)
    for name in ("whole", "frozen"):
        loaded = deciban.load(folder / name)
        assert np.array_equal(loaded.scores(NEW), scores)
        assert loaded.explain(NEW[0]).total == pytest.approx(why.total)
    of = model.settings
    changes(deciban.load(folder / "whole"), "learn", NEW, refused=of.model in ROWS and not of.goes_on)
    changes(deciban.load(folder / "whole"), "forget", TEXTS[:2], refused=of.model in ROWS)
    selects(deciban.load(folder / "whole"), refused=of.model in ROWS)
    changes(model, "learn", NEW, refused=False)
    changes(model, "forget", TEXTS[:2], refused=False)
    selects(model, refused=False)


def changes(model, verb, texts, *, refused):
    """A model learns or forgets, and still answers; or has lost what it takes, and says so."""
    change = getattr(model, verb)
    documents = sum(model.documents.values())
    if refused:
        with pytest.raises(NeedsExamples):
            change(texts, ["spam"] * len(texts))
    else:
        change(texts, ["spam"] * len(texts))
        documents += len(texts) if verb == "learn" else -len(texts)
    assert sum(model.documents.values()) == documents
    assert np.isfinite(model.scores(NEW)).all()


def selects(model, *, refused):
    if refused:
        with pytest.raises(NeedsExamples):
            model.select("chi-square", 3)
    else:
        assert len(model.select("chi-square", 3).selected.lexicon) == 3


def test_settings_go_together_or_are_refused_by_name():
    """Whatever is asked for, a refusal names a setting that was asked for, what was given, and stands on one line."""
    options = {
        "model": [*MODELS, *FITTED, "auto", "bayes"],
        "select": [None, *(f"{by}:5" for by in (*MEASURES, *SEARCHES, ELIMINATION))],
        "term_weights": ["none", "learnt"],
        "project": [None, "lsa:2"],
        "smoothing": [None, "beta", "dirichlet"],
    }
    every = [dict(zip(options, chosen, strict=True)) for chosen in itertools.product(*options.values())]
    refused = [(asked, line) for asked in every if (line := refusal(asked))]
    assert 200 < len(refused) < len(every) - 200
    for asked, line in refused:
        name = line.partition("=")[0]
        assert line.startswith(f"{name}={asked[name]!r}: not for the model '{asked['model']}")
        assert len(line.splitlines()) == 1


def refusal(asked):
    try:
        Settings.of(**asked)
    except InputError as error:
        return str(error)


TICKETS = str(ROOT / "samples" / "tickets.csv")
EVERYTHING = "--words 1-2 --chars 3-5 --properties caps,negation --select mutual-information:20000 --model nbsvm"


def test_the_commands_take_everything_together(tmp_path, capsys):
    path = str(tmp_path / "reviews.deciban")
    run(["train", TICKETS, *EVERYTHING.split(), "--cost", "1", "-o", path])
    assert ", 20,000 of them kept, in " in capsys.readouterr().out
    run(["explain", path, "I was NOT told that it is not waterproof", "--json"])
    assert {"[caps]", "not_waterproof"} & {*capsys.readouterr().out.split('"')}


def test_comparing_takes_everything_as_a_row(capsys):
    rows = {
        "everything": f"nbsvm --cost 1 {EVERYTHING.removesuffix(' --model nbsvm')}",
        "searched": "multinomial --select forward:5 --properties caps",
        "projected": "logistic --cost 1 --project lsa:20 --select chi-square:300 --hash-bits 12",
        "weighted": "complement --term-weights log-count-ratio --properties length",
        "trees": "rotation-forest --rounds 2 --select mutual-information:200",
    }
    given = [part for name, row in rows.items() for part in ("--model", f"{name}: {row}")]
    run(["compare", TICKETS, "--folds", "2", *given])
    out = capsys.readouterr().out
    assert all(name in out for name in rows)
