"""`deciban train`: a file of labelled texts -> a model file.

Reads CSV, TSV or JSON lines, gzip-compressed or not, in one pass, and looks for the best model in the time of --budget.
With a model of counts (--model multinomial) memory grows with the terms, not with the file. Few labelled texts and many
others: --unlabelled learns from both, and keeps what it learnt where it is a gain.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from . import UsageError, judged, options, screen, several

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..examples import Source
    from ..settings import Settings

SUMMARY = "train a model on labelled texts"
EXAMPLE = "deciban train mail.csv --where split=train --budget 5m -o mail.deciban"


def add_arguments(parser: ArgumentParser) -> None:
    """The file, where to save the model, and its settings."""
    add = parser.add_argument
    add("file", metavar="FILE", help="labelled examples; - reads standard input")
    model = "the model file to write (default: model.deciban)"
    add("-o", "--output", default="model.deciban", metavar="MODEL", help=model)
    frozen = "save no counts: a smaller file, which answers and explains the same, and can never learn or forget"
    add("--frozen", action="store_true", help=frozen)
    options.add_source(parser, labelled=True)
    options.add_weight(parser)
    unlabelled = "texts without labels, in the same --text column; --where is not asked of them"
    add("--unlabelled", metavar="FILE", help=unlabelled)
    weight = "how much one of them counts, from 0 to 1, or auto: as held-out labelled texts say (default: auto)"
    add("--unlabelled-weight", default="auto", type=options.weight, metavar="WEIGHT", help=weight)
    several.add_arguments(parser)
    judged.add_arguments(parser)
    add_name(parser)
    add_settings(parser)
    options.add_threads(parser)
    options.add_json(parser)


def add_name(parser: ArgumentParser) -> None:
    """Which model it is."""
    model = (
        "auto: the best that is found in --budget (default; multinomial where settings of models of counts are given); "
        "of counts: multinomial, bernoulli, complement, ratio, twcnb, tan, or bayes: their best by leave-one-out; "
        "fitted: logistic, hinge, nbsvm, nblogistic, or committee: several, added up; "
        "projected: rotation, fisher, rotation-forest, fisher-forest"
    )
    parser.add_argument("--model", metavar="NAME", help=model)


def add_settings(parser: ArgumentParser) -> None:
    """All its other settings, by the names that they have everywhere."""
    add = parser.add_argument
    words = "runs of words that are terms: 1, 1-2, ... or none (default: 1)"
    add("--words", default=(1, 1), type=options.lengths, metavar="LENGTHS", help=words)
    edges = "let runs of two words or more, which --words must ask for, see the text's start and end"
    add("--edges", action="store_true", help=edges)
    chars = "runs of characters inside words: 3-5, ... or none (default: none)"
    add("--chars", default=None, type=options.lengths, metavar="LENGTHS", help=chars)
    across = "runs of characters of the whole text: 3-5, ... or none (default: none)"
    add("--chars-across", default=None, type=options.lengths, metavar="LENGTHS", help=across)
    tokens = "how texts are cut: word, unicode, marks or whitespace (default: word)"
    add("--tokens", default="word", metavar="NAME", help=tokens)
    accents = "what becomes of accents: keep, or fold, which sees é as e (default: keep)"
    add("--accents", default="keep", metavar="NAME", help=accents)
    told = (
        "what is told of how a text is written: caps,negation,trigger:FILE, ...; may be repeated (docs/properties.md)"
    )
    add("--properties", type=options.names, action="extend", metavar="NAMES", help=told)
    words = "words that are spelt right, one a line, for the property misspelling (default: learnt from the texts)"
    add("--words-file", dest="properties", type=options.words_file, action="extend", metavar="FILE", help=words)
    bits = "bound the memory: count terms in 2^N buckets, by a hash of their names (default: no hashing)"
    add("--hash-bits", default=None, type=options.positive, metavar="N", help=bits)
    select = "keep so many terms, the best by a measure: mutual-information:20000, chi-square:... (default: all)"
    add("--select", default=None, metavar="MEASURE:N", help=select)
    add("--binary", action="store_true", help="count a term once a text")
    smoothing = "laplace, none, beta, dirichlet, jelinek-mercer, absolute, deleted, or auto (default: the model's own)"
    add("--smoothing", default=None, metavar="NAME", help=smoothing)
    alpha = "the strength of smoothing (default: 1 for laplace; each has its own, dirichlet estimates it)"
    add("--alpha", default=None, type=float, metavar="NUMBER", help=alpha)
    default_p = "beta: how probable a term is before any example is seen (default: 0.5)"
    add("--default-p", default=0.5, type=float, metavar="P", help=default_p)
    weight = "ratio: how much it weighs that other labels lack a term (default: 3)"
    add("--complement-weight", default=3.0, type=float, metavar="NUMBER", help=weight)
    strength = "ratio: how often a term must be seen before that is believed (default: 30)"
    add("--complement-alpha", default=30.0, type=float, metavar="NUMBER", help=strength)
    term = "ratio: how much more terms weigh that tell much of labels; 0 for all alike (default: 0.5)"
    add("--term-weight", default=0.5, type=float, metavar="NUMBER", help=term)
    weights = "how much terms count: gain-ratio, log-count-ratio, or learnt: as left-out texts say (default: none)"
    add("--term-weights", default="none", metavar="NAME", help=weights)
    prior = "of labels: data (default), uniform, or given as spam=0.2,ham=0.8"
    add("--prior", default="data", type=options.prior, metavar="PRIOR", help=prior)
    prior_smoothing = "what is added to each label's number of examples (default: 0)"
    add("--prior-smoothing", default=0.0, type=float, metavar="NUMBER", help=prior_smoothing)
    tree = "how many terms the tree of a tan model has (default: 500)"
    add("--tree-terms", default=500, type=options.positive, metavar="N", help=tree)
    cost = "fitted: C, what errors cost; the less, the simpler the model (default: chosen by cross-validation)"
    add("--cost", default=None, type=float, metavar="NUMBER", help=cost)
    l1 = "fitted: the part of L1 in the penalty, which makes weights zero; 0 is L2, 1 is L1 (default: 0)"
    add("--l1", default=0.0, type=float, metavar="SHARE", help=l1)
    yes_no: dict[str, Any] = {"default": None, "action": BooleanOptionalAction}
    add("--joint", **yes_no, help="fitted: all labels at once, or each against the rest (default: as the model has it)")
    weighting = "fitted: how often a term counts: binary, counts or sublinear, 1 + log (default: as the model has it)"
    add("--weighting", default=None, metavar="NAME", help=weighting)
    add("--idf", **yes_no, help="fitted: rare terms weigh more (default: as the model has it)")
    add("--length-norm", **yes_no, help="fitted: texts are made equally long (default: as the model has it)")
    beta = "nbsvm, nblogistic: how much the fit counts beside the ratios alone, from 0 to 1 (default: 0.25)"
    add("--interpolation", default=0.25, type=float, metavar="NUMBER", help=beta)
    weights = "fitted: what errors cost, by label: none (default), balanced, or given as spam=2,ham=1"
    add("--class-weight", default="none", type=options.prior, metavar="WEIGHTS", help=weights)
    project = "logistic, hinge: fit to latent features of the texts instead of terms, such as lsa:200 (default: terms)"
    add("--project", default=None, metavar="NAME:N", help=project)
    subsets = "rotation, rotation-forest: how many subsets terms are split into (default: the model's own)"
    add("--subsets", default=None, type=options.positive, metavar="K", help=subsets)
    features = "rotation, rotation-forest: how many latent features each subset has (default: the model's own)"
    add("--features", default=None, type=options.positive, metavar="R", help=features)
    rounds = "rotation and forests: how many models are averaged (default: 10)"
    add("--rounds", default=None, type=options.positive, metavar="N", help=rounds)
    shrinkage = "fisher, fisher-forest: above 0, up to 1; the more, the simpler the model (default: chosen by folds)"
    add("--shrinkage", default=None, type=float, metavar="SHARE", help=shrinkage)
    budget = "auto: how long to look for the best model: 60s, 10m, 1h, or none for no limit (default: 60s)"
    add("--budget", default=60.0, type=options.seconds, metavar="TIME", help=budget)
    calibration = (
        "how scores become probabilities: auto, by held-out texts (default), temperature, platt, dirichlet, isotonic, "
        "or none: as the model has them"
    )
    add("--calibration", default="auto", metavar="NAME", help=calibration)
    hierarchy = "labels are paths, such as comp/sys/mac, with this between their steps: /, ... (default: they are not)"
    add("--hierarchy", default=None, metavar="SEPARATOR", help=hierarchy)
    levels = (
        "how paths are told apart: flat, as if they were none; shared, or shared:0.3: with a share of what speaks for "
        "their ancestors; top-down: step by step; auto: the best by texts that are left out (default)"
    )
    add("--levels", default="auto", metavar="NAME", help=levels)


def run(given: Namespace) -> None:
    """Trains, saves, and says what was learnt."""
    from ..settings import Settings

    if given.several is not None:
        several.train(given)
        return
    if given.thresholds is not None:
        raise UsageError("--thresholds says which of --several labels a text gets; see deciban train --help")
    is_plain = given.unlabelled is None and given.weight is None
    settings = (Settings.for_training if is_plain else Settings.of)(**options.settings(given))
    _check_outputs(given)
    judged.check(given)
    start = time.perf_counter()
    source = judged.source(given)
    trained = _trained(given, settings, source)
    took = time.perf_counter() - start
    found = judged.judge(given, settings, source)
    trained.save(given.output, frozen=given.frozen)
    if found is not None:
        judged.report(given, trained, found)
    _warn_of_none(trained)
    facts = _facts(given, trained, took)
    if given.json:
        screen.write_json(facts if found is None else {**facts, "evaluation": found.evaluation.as_dict()})
        return
    _show(given, trained, facts)
    if found is not None:
        judged.show(given, found)


def _check_outputs(given: Namespace) -> None:
    """Refuses what could not be written, before anything is trained."""
    from ..files import check_writable

    for file in filter(None, (given.file, given.unlabelled)):
        check_writable(given.output, file)
        if given.report is not None:
            check_writable(given.report, file, given.output)


def _facts(given: Namespace, trained: Classifier, seconds: float) -> dict[str, Any]:
    """What was learnt, and how long it took."""
    return {
        "model": given.output,
        "examples": int(trained.counts.documents.sum()),
        "labels": len(trained.labels),
        "terms": len(trained.counts.lexicon),
        **({} if trained.settings.select is None else {"kept": len(trained.lexicon)}),
        "seconds": round(seconds, 3),
        **({"unlabelled": trained.provenance[-1]["unlabelled"]} if given.unlabelled else {}),
    }


def _warn_of_none(trained: Classifier) -> None:
    """Says what becomes of a model that is not smoothed."""
    if trained.settings.selects is not None and trained.settings.selects[1] > len(trained.counts.lexicon):
        most, terms = trained.settings.selects[1], len(trained.counts.lexicon)
        screen.warn(f"--select asks for {most:,} terms, and there are {terms:,}: all are kept")
    if trained.settings.smoothing == "none":
        from ..smoothing import pitfall
        from ..totals import Whole

        of = Whole(trained.counts, binary=False)
        screen.warn(f"{pitfall(trained.labels, of.d_r[0], int(of.d.item()))}; --smoothing laplace mends it")


def _show(given: Namespace, trained: Classifier, facts: dict[str, Any]) -> None:
    print(_in_words(facts))
    if told := trained.provenance[0].get("auto"):
        print(_of_auto(trained.settings.model, told, **trained.provenance[0].get("fit", {})))
    if told := trained.provenance[0].get("levels"):
        is_fitted = trained.settings.way == "flat" and "fit" in trained.provenance[0]
        print((_of_stacked if is_fitted else _of_levels)(trained.settings.levels, told))
    examples = f"{given.file} {'--folds 10' if trained.settings.needs_rows else '--loo'}"
    is_asked = trained.expected is not None or judged.is_asked(given)
    ask = "" if is_asked else f"; how good is it? deciban evaluate {given.output} {examples}"
    print(f"saved as {given.output}{'; frozen: it predicts and explains' if given.frozen else ask}")


def _trained(given: Namespace, settings: Settings, source: Source) -> Classifier:
    from ..settings import AUTO, FITTED
    from ..training import train_on, train_with_unlabelled

    if given.unlabelled is None and settings.model in (*FITTED, AUTO):
        with screen.steps() as steps:
            read = None if steps is None else lambda done: steps(f"reading {given.file}", done, source.size or done)
            return train_on(source, settings, read, steps)
    if given.unlabelled is None:
        with screen.progress(f"reading {given.file}", source.size) as progress:
            return train_on(source, settings, progress)
    others = replace(source, path=given.unlabelled, label=None, where=(), weight=None)
    with screen.steps() as steps:
        return train_with_unlabelled(source, others, given.unlabelled_weight, settings, steps)


def _in_words(facts: dict[str, Any]) -> str:
    kept = ", {kept:,} of them kept".format(**facts) if "kept" in facts else ""
    sizes = "{examples:,} examples of {labels:,} labels, {terms:,} terms{0}, in {seconds:.2f} s".format(kept, **facts)
    return f"trained on {sizes}" + (f"\n{_of_unlabelled(facts['unlabelled'])}" if "unlabelled" in facts else "")


def _of_auto(
    model: str,
    why: str,
    held_out: dict[str, float] | None = None,
    weights: dict[str, float] | None = None,
    passed_over: dict[str, float] | None = None,
) -> str:
    """What was chosen, in a sentence."""
    if held_out is None:
        return f"chosen: {model}; {why}"
    (_, right), alone = held_out.popitem(), max(held_out.items(), key=itemgetter(1))
    members = sum(weight > 0 for weight in (weights or {}).values())
    best = f"{right:.1%} of held-out texts right; {alone[0]} alone: {alone[1]:.1%}"
    late = f"; no time for {', '.join(passed_over)} (--budget)" if passed_over else ""
    return f"chosen: {members} models {why}, added up: {best}{late}"


def _of_levels(chosen: str, right: dict[str, float]) -> str:
    """Which way down the hierarchy was chosen, and what the others are worth."""
    others = ", ".join(f"{name} {share:.1f} %" for name, share in right.items() if name != chosen)
    return f"levels: {chosen}, {right[chosen]:.1f} % right when each is left out; {others}"


def _of_stacked(chosen: str, probable: dict[str, float]) -> str:
    """Whether a committee has others of the levels above its labels, and what that is worth."""
    shown = ", ".join(f"{share:.1f} % {name}" for name, share in probable.items())
    return f"levels: {chosen}; true labels of held-out texts are so probable (geometric mean): {shown}"


def _of_unlabelled(climb: dict[str, Any]) -> str:
    """What became of the unlabelled texts, in a sentence."""
    texts, held_out = f"{climb['texts']:,} unlabelled texts", climb["held_out"]
    best = max(accuracy for weight, accuracy in held_out.items() if weight != "0") if held_out else None
    shown = f" (held-out accuracy {best:.1%} against {held_out['0']:.1%} without)" if held_out else ""
    if not climb["kept"]:
        return f"{texts} are not used: {climb['why']}{shown}"
    return f"{texts} at weight {{weight:g}}: {{why}}{shown}, objective {{objective:,.0f}} after {{steps}} steps".format(
        **climb
    )
