"""`deciban select`: keep the best terms of a model, and let the others be.

Ranks all terms that were counted by a measure, shows the best, and saves the model of those that are kept. The counts
stay whole: select again from the same file, with another measure or number, or with --by all for all terms. A frozen
model keeps its own terms alone, and is small. Fitted models are fit again, to the FILE that they were trained on.

With --by forward, backward or floating, terms are searched for by leave-one-out in the FILE that the model was trained
on, at most --top of them, among --candidates; with --by elimination, those that weigh least leave a fitted model. The
search shows its curve of errors against numbers of terms, and chooses the least number within one standard error of the
best. Those errors are what it looked for, and too few: judge the model by texts that are kept apart.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from . import changes, options, screen

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..selection import RankedTerm, Searched

SUMMARY = "keep the best terms of a model"
EXAMPLE = "deciban select mail.deciban --by mutual-information --top 1000 --plot terms.svg -o small.deciban"
ALL = "all"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the measure, how many terms to keep, and what to show of them."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="what the model was trained on; searches and fitted models need it")
    by = (
        "mutual-information (default), information-gain, gain-ratio, chi-square, bi-normal-separation, odds-ratio, "
        "document-frequency, correlation, sparse-bayes; a search: forward, backward, floating; of fitted models "
        "elimination; or all, to keep every term again"
    )
    add("--by", default="mutual-information", metavar="MEASURE", help=by)
    add("--top", type=options.positive, metavar="N", help="how many terms to keep (default: 1000)")
    candidates = "how many terms to search among, the best by mutual information (default: 5000, backward 1000)"
    add("--candidates", type=options.positive, metavar="N", help=candidates)
    add("--show", default=30, type=options.whole, metavar="N", help="how many terms to show (default: 30)")
    add("--plot", metavar="FILE", help="draw the ranked terms: .svg or .png")
    add("--frozen", action="store_true", help="save the terms that are kept alone, without counts; needs -o")
    changes.add_output(parser)
    options.add_source(parser, labelled=True)
    options.add_threads(parser)


def run(given: Namespace) -> None:
    """Selects, saves, and shows the best terms."""
    from . import UsageError

    if given.frozen and given.output is None:
        raise UsageError("--frozen needs -o: the counts of MODEL would be lost")
    if given.by == ALL and (given.top is not None or given.plot is not None):
        raise UsageError("--by all ranks no terms: leave --top and --plot out")
    classifier = changes.loaded(given, *filter(None, [given.file])).with_threads(given.threads)
    if given.plot is not None:
        from ..evaluation import terms_picture
        from ..files import check_writable

        terms_picture.check(given.plot)
        check_writable(given.plot, given.model, *filter(None, [given.file]))
    small, found = _selected(given, classifier)
    if given.plot is not None and small.searched is not None:
        terms_picture.draw_curve(given.plot, small.searched)
    elif given.plot is not None:
        terms_picture.draw(given.plot, found, given.by, given.top or 1000)
    if given.json:
        _write_json(given, small, found)
    else:
        _print(given, small, found)


def _selected(given: Namespace, classifier: Classifier) -> tuple[Classifier, list[RankedTerm]]:
    """The model that keeps the best terms, and those: all of them, where they are to be drawn."""
    examples: tuple[object, ...] = ()
    if given.file is not None:
        batch = options.source(given, labelled=True).whole()
        examples = (batch.texts, batch.labels)
    if given.by == ALL:
        return classifier.select(None, None, *examples), []
    top = 1000 if given.top is None else given.top
    with screen.steps() as steps:
        small = classifier.select(given.by, top, *examples, candidates=given.candidates, progress=steps)
    if small.searched is not None:
        return small, small.found_terms()
    return small, classifier.ranked_terms(given.by, top if given.plot is None else None)


def _saved(given: Namespace, small: Classifier) -> str:
    output: str = given.model if given.output is None else given.output
    small.save(output, frozen=given.frozen)
    return output


def _write_json(given: Namespace, small: Classifier, found: list[RankedTerm]) -> None:
    facts: dict[str, Any] = {"model": _saved(given, small), "by": given.by, "terms": len(small.lexicon)}
    facts["counted"] = len(small.counts.lexicon)
    if small.searched is not None:
        facts["texts"] = small.searched.texts
        facts["curve"] = [point._asdict() for point in small.searched.curve]
    facts["ranked"] = [{"name": term.name, **term._asdict()} for term in found[: len(small.lexicon)]]
    screen.write_json(facts)


def _print(given: Namespace, small: Classifier, found: list[RankedTerm]) -> None:
    if small.searched is not None:
        _print_curve(small.searched)
    if found and given.show:
        _print_terms(found[: min(given.show, len(small.lexicon))], "mutual-information" if small.searched else given.by)
    output = _saved(given, small)
    of = f"{len(small.lexicon):,} of {len(small.counts.lexicon):,} terms"
    print(f"{output} answers by {of}{'' if given.by == ALL else f', the best by {given.by}'}")
    if given.plot is not None:
        print(f"drawn as {given.plot}")


def _print_curve(searched: Searched) -> None:
    """Numbers of terms, the errors by each, and which is chosen."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="")
    for column in ("terms", f"wrong of {searched.texts:,}", "share"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    marks = {searched.best: "the fewest", searched.chosen: "chosen: within one standard error of the fewest"}
    for point in searched.curve:
        if point in marks or str(point.terms).rstrip("0") in ("", "1", "2", "5") or point == searched.curve[-1]:
            share = f"{point.wrong / searched.texts:.1%}"
            table.add_row(f"{point.terms:,}", f"{point.wrong:,}", share, marks.get(point, ""))
    screen.console().print(table)


def _print_terms(terms: list[RankedTerm], by: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..evidence.terminal import WIDTH, bar
    from ..selection import UNITS

    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column("term", justify="right", max_width=32, overflow="ellipsis", no_wrap=True)
    table.add_column(width=WIDTH)
    for column in (UNITS[by], "texts"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("most in texts", overflow="ellipsis", no_wrap=True)
    most = max(terms[0].score, 1e-300)
    for term in terms:
        label = Text(f"{term.share:.0%} of {term.label}")
        table.add_row(
            Text(term.name), Text(bar(term.score / most), "green"), _number(term.score), f"{term.documents:,}", label
        )
    screen.console().print(table)


def _number(score: float) -> str:
    return f"{score:,.0f}" if score == int(score) and score >= 1 else f"{score:.4g}"
