"""What a user may choose: one name in the library, the command line and the scikit-learn face; checked once, here."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from .errors import BadSetting, NotForModel, NotForThisModel, UnknownSetting
from .terms import Terms, check_choice

# Names only: what they stand for takes NumPy, and whoever has a scorecard does without.
MODELS = {
    "multinomial": ("laplace", "none", "dirichlet", "jelinek-mercer", "absolute", "deleted"),
    "bernoulli": ("laplace", "beta"),
    "complement": ("laplace",),
    "ratio": ("jelinek-mercer",),
    "tan": ("laplace", "beta"),
    "twcnb": ("laplace",),
}
AMOUNTED = ("twcnb",)  # models that count what terms amount to, rather than how often they occur
# The strength of each smoothing: what it is by default, and what it must stay below. None: estimated from the counts.
STRENGTHS = {
    "laplace": (1.0, 1e9),
    "beta": (2.0, 1e9),
    "dirichlet": (None, 1e9),
    "jelinek-mercer": (0.5, 1.0),
    "absolute": (0.7, 1.0),
}
CONTINUED = ("logistic", "hinge", "nbsvm", "nblogistic")  # models that go on learning without what they were fit to
FORESTS = ("rotation-forest", "fisher-forest")  # models of trees: they have no weights of terms
PROJECTED = ("rotation", "fisher", *FORESTS)  # models of features that are sums over all terms
SOLVED = (*CONTINUED, "committee")  # models that the core's solvers fit to terms
FITTED = (*SOLVED, *PROJECTED)  # models that are no function of the counts, but take rows
ROWS = ("tan", *FITTED)  # models that need the documents themselves, beside their counts: they have no leave-one-out
WEIGHTINGS = ("binary", "counts", "sublinear")
AUTO = "auto"  # chosen when there are texts: a model among all, or a smoothing by leave-one-out
BAYES = "bayes"  # chosen by leave-one-out among models of counts
PRIORS = ("data", "uniform")
# What terms can be selected by, all of them functions of the counts; and what it is measured in.
MEASURES = {
    "mutual-information": "bits",
    "information-gain": "bits",
    "gain-ratio": "ratio",
    "chi-square": "chi-square",
    "bi-normal-separation": "deviations",
    "odds-ratio": "nats",
    "document-frequency": "texts",
    "correlation": "correlation",
    "sparse-bayes": "nats",
}
SEARCHES = ("forward", "backward", "floating")  # for terms, by leave-one-out, of these models and smoothings
SEARCHED = (("multinomial", "laplace"), ("bernoulli", "beta"))
TERM_WEIGHTS = ("none", "gain-ratio", "log-count-ratio", "learnt")  # how much terms count in models of dice
LEARNT = "learnt"
WEIGHED = ("laplace", "dirichlet", "jelinek-mercer", "absolute")  # smoothings that go with them
ELIMINATION = "elimination"  # of the terms of a fitted model that weigh least
# What models of projections take: the projection of a linear one; subsets, features of each, and rounds; shrinkage.
PROJECTIONS = {
    **dict.fromkeys(("logistic", "hinge"), ("project",)),
    **dict.fromkeys(("rotation", "rotation-forest"), ("subsets", "features", "rounds")),
    "fisher": ("shrinkage",),
    "fisher-forest": ("shrinkage", "rounds"),
}
ROTATIONS = {"rotation": (4, 50), "rotation-forest": (2, 20)}  # K and r, unless they are given
ROUNDS = 10
MOST_FEATURES = 100_000
CALIBRATIONS = ("auto", "none", "temperature", "platt", "isotonic", "dirichlet")
ALWAYS = ("select", "threads", "budget", "calibration", "hierarchy", "levels")  # settings of any model
LEVELS = ("auto", "flat", "shared", "top-down")  # how labels that are paths are told apart
LEVELLED = ("multinomial", "bernoulli", "complement", "ratio")  # models that know more ways than flat
SHARE = 0.2  # of what speaks for ancestors
GREATEST = 1e9
LEAST = 1e-12  # strength of smoothing: what is divided by it can still be multiplied
MOST_THREADS = 4096
MOST_TREE_TERMS = 10_000  # every two of them are compared


@dataclass(frozen=True)
class Settings:
    """All settings of a model, with their defaults.

    >>> Settings.of(words=(1, 2), alpha=0.5).alpha
    0.5
    >>> Settings.of(calibration="perfect")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    deciban.errors.UnknownChoice: calibration='perfect': not known; the known ones are: auto, none, ...
    """

    model: str = "multinomial"
    words: tuple[int, int] | None = (1, 1)
    edges: bool = False
    chars: tuple[int, int] | None = None
    chars_across: tuple[int, int] | None = None
    tokens: str = "word"
    accents: str = "keep"
    properties: Any = None  # names as a user gives them; checked, `Properties`
    hash_bits: int | None = None
    select: str | None = None
    binary: bool = False
    smoothing: str | None = None
    alpha: float | None = None
    default_p: float = 0.5
    complement_weight: float = 3.0
    complement_alpha: float = 30.0
    term_weight: float = 0.5
    term_weights: str = "none"
    prior: str | dict[str, float] = "data"
    prior_smoothing: float = 0.0
    tree_terms: int = 500
    cost: float | None = None
    l1: float = 0.0
    joint: bool | None = None
    weighting: str | None = None
    idf: bool | None = None
    length_norm: bool | None = None
    interpolation: float = 0.25
    class_weight: str | dict[str, float] = "none"
    project: str | None = None
    subsets: int | None = None
    features: int | None = None
    rounds: int | None = None
    shrinkage: float | None = None
    calibration: str = "auto"
    hierarchy: str | None = None
    levels: str = "auto"
    threads: int | None = field(default=None, compare=False)
    budget: float | None = field(default=60.0, compare=False)

    @classmethod
    def for_training(cls, **given: Any) -> Settings:
        """Settings by name. The model is `auto` unless it is given, or what is given is for models of counts.

        >>> Settings.for_training(words=(1, 2)).model, Settings.for_training(alpha=0.5).model
        ('auto', 'multinomial')
        """
        of_any = {field.name for field in fields(Terms)} | {*ALWAYS}
        is_measured = str(given.get("select")).partition(":")[0] in (*MEASURES, "None")
        is_open = given.keys() <= of_any and is_measured
        model = AUTO if is_open else "logistic" if given.get("project") else cls.model
        if is_open and given.get("hierarchy") and str(given.get("levels")).partition(":")[0] in LEVELS[2:]:
            return cls.of(**{"model": BAYES, "smoothing": AUTO, **given})
        return cls.of(**{"model": model, **given})

    @classmethod
    def of(cls, **given: Any) -> Settings:
        """Settings by name, the rest as by default."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise UnknownSetting(name=name, known=", ".join(known))
        return cls(**given)

    def __post_init__(self) -> None:
        check_choice("model", self.model, (*MODELS, *FITTED, BAYES, AUTO))
        check_choice("calibration", self.calibration, CALIBRATIONS)
        if not isinstance(self.binary, bool):
            raise BadSetting(setting="binary", got=self.binary, expected="True or False")
        self._check_smoothing()
        self._check_select()
        self._check_term_weights()
        self._check_ratio()
        self._check_prior()
        self._check_fitted()
        self._check_projection()
        self._check_hierarchy()
        if type(self.tree_terms) is not int or not 1 <= self.tree_terms <= MOST_TREE_TERMS:
            expected = f"a whole number from 1 to {MOST_TREE_TERMS}"
            raise BadSetting(setting="tree_terms", got=self.tree_terms, expected=expected)
        if self.budget is not None and not (_is_number(self.budget) and self.budget > 0):
            raise BadSetting(setting="budget", got=self.budget, expected="seconds, above 0, or None for no limit")
        if self.threads is not None and (type(self.threads) is not int or not 1 <= self.threads <= MOST_THREADS):
            raise BadSetting(
                setting="threads",
                got=self.threads,
                expected=f"a whole number from 1 to {MOST_THREADS}, or None for all cores",
            )
        for setting in ("words", "chars", "chars_across", "properties"):
            object.__setattr__(self, setting, getattr(self.terms, setting))

    def _check_select(self) -> None:
        if self.select is None:
            return
        name, colon, top = self.select.partition(":") if isinstance(self.select, str) else ("", "", "")
        if colon:
            check_choice("select", name, (*MEASURES, *SEARCHES, ELIMINATION))
        if not colon or not top.isdecimal() or int(top) < 1:
            expected = "a measure and how many terms to keep, such as 'mutual-information:1000'"
            raise BadSetting(setting="select", got=self.select, expected=expected)
        object.__setattr__(self, "select", f"{name}:{int(top)}")
        takes = CONTINUED if name == ELIMINATION else [f"{model} with {smoothing}" for model, smoothing in SEARCHED]
        if name not in MEASURES and not {self.model, self._named} & {*takes}:
            raise NotForThisModel(setting="select", got=self.select, model=self._named, known=", ".join(takes))

    def _check_term_weights(self) -> None:
        check_choice("term_weights", self.term_weights, TERM_WEIGHTS)
        is_weighed = self.model in ("multinomial", "complement") and self.smoothing in WEIGHED
        if self.term_weights != "none" and not is_weighed:
            known = f"multinomial and complement with one of {', '.join(WEIGHED)}"
            raise NotForThisModel(setting="term_weights", got=self.term_weights, model=self._named, known=known)

    def _check_smoothing(self) -> None:
        if self.smoothing is None:
            object.__setattr__(self, "smoothing", self.smoothings[0])
        every = dict.fromkeys(name for of in MODELS.values() for name in of)
        check_choice("smoothing", self.smoothing, (*every, AUTO))
        allowed = self.smoothings if self.needs_rows or self.model == AUTO else (*self.smoothings, AUTO)
        if self.smoothing not in allowed:
            known = ", ".join(allowed)
            raise NotForModel(setting="smoothing", got=self.smoothing, model=self.model, known=known)
        _, below = STRENGTHS.get(str(self.smoothing), (None, 0.0))
        if self.alpha is not None and not (_is_number(self.alpha) and LEAST <= self.alpha < below):
            expected = (
                f"a number from {LEAST:g} on, below {below:g}" if below else "none: this smoothing has no strength"
            )
            raise BadSetting(setting="alpha", got=self.alpha, expected=expected)
        if not _is_number(self.default_p) or not 0 < self.default_p < 1:
            raise BadSetting(setting="default_p", got=self.default_p, expected="a probability between 0 and 1")

    def _check_ratio(self) -> None:
        for setting in ("complement_weight", "complement_alpha", "term_weight"):
            value, least = getattr(self, setting), 1e-9 if setting == "complement_alpha" else 0.0
            if not _is_number(value) or not least <= value <= GREATEST:
                raise BadSetting(setting=setting, got=value, expected=f"a number from {least:g} to {GREATEST:g}")

    def _check_prior(self) -> None:
        if isinstance(self.prior, dict):
            if not self.prior or not all(_is_number(p) and p > 0 for p in self.prior.values()):
                expected = "a number above 0 for every label"
                raise BadSetting(setting="prior", got=self.prior, expected=expected)
        else:
            check_choice("prior", self.prior, PRIORS)
        if not _is_number(self.prior_smoothing) or self.prior_smoothing < 0:
            raise BadSetting(setting="prior_smoothing", got=self.prior_smoothing, expected="a number from 0 to 1e9")

    def _check_fitted(self) -> None:
        if self.cost is not None and not (_is_number(self.cost) and self.cost > 0):
            raise BadSetting(setting="cost", got=self.cost, expected="a number above 0, or None to choose it")
        for setting in ("l1", "interpolation"):
            value = getattr(self, setting)
            if not _is_number(value) or not 0 <= value <= 1:
                raise BadSetting(setting=setting, got=value, expected="a number from 0 to 1")
        for setting in ("joint", "idf", "length_norm"):
            if not isinstance(getattr(self, setting), (bool, type(None))):
                raise BadSetting(setting=setting, got=getattr(self, setting), expected="True, False, or None")
        if self.weighting is not None:
            check_choice("weighting", self.weighting, WEIGHTINGS)
        if isinstance(self.class_weight, dict):
            of_label = ((type(label) is str and _is_number(w) and w > 0) for label, w in self.class_weight.items())
            if not all(of_label):
                raise BadSetting(setting="class_weight", got=self.class_weight, expected="a number above 0 for a label")
        else:
            check_choice("class_weight", self.class_weight, ("none", "balanced"))
        self._check_of_fitted()
        if self.l1 > 0 and self.is_joint and self.model in FITTED:
            raise BadSetting(setting="l1", got=self.l1, expected="0 where all labels are seen at once: joint=False")

    def _check_of_fitted(self) -> None:
        """Refuses what the model would pass over."""
        fitted = ("cost", "l1", "joint", "weighting", "idf", "length_norm")
        others = () if self.model in FITTED else (*fitted, "class_weight")
        closed = fitted[:3] if self.model in PROJECTED[1:] else others
        passed_over = fitted if self.model == "committee" else closed
        of_counts = {AUTO: ("alpha", "binary", "prior", "prior_smoothing")}.get(
            self.model, ("prior",) if self.model in FITTED else ()
        )
        for setting in (*passed_over, *of_counts):
            default = type(self).__dataclass_fields__[setting].default
            if getattr(self, setting) != default:
                got = getattr(self, setting)
                raise NotForModel(setting=setting, got=got, model=self.model, known=f"{default!r} alone")

    def _check_projection(self) -> None:
        if self.project is not None:
            name, _, features = self.project.partition(":") if isinstance(self.project, str) else ("", "", "")
            check_choice("project", name or self.project, ("lsa",))
            if not features.isdecimal() or not 1 <= int(features) <= MOST_FEATURES:
                expected = f"lsa and how many features, from 1 to {MOST_FEATURES}, such as 'lsa:200'"
                raise BadSetting(setting="project", got=self.project, expected=expected)
        for setting in ("subsets", "features", "rounds"):
            value = getattr(self, setting)
            if value is not None and (type(value) is not int or not 1 <= value <= MOST_FEATURES):
                expected = f"a whole number from 1 to {MOST_FEATURES}, or None for the model's own"
                raise BadSetting(setting=setting, got=value, expected=expected)
        if self.shrinkage is not None and not (_is_number(self.shrinkage) and 0 < self.shrinkage <= 1):
            raise BadSetting(setting="shrinkage", got=self.shrinkage, expected="above 0, up to 1, or None to choose it")
        for setting in ("project", "subsets", "features", "rounds", "shrinkage"):
            got = getattr(self, setting)
            if got is not None and setting not in PROJECTIONS.get(self.model, ()):
                known = ", ".join(model for model, taken in PROJECTIONS.items() if setting in taken)
                raise NotForThisModel(setting=setting, got=got, model=self.model, known=known)

    def _check_hierarchy(self) -> None:
        if self.hierarchy is not None and (not isinstance(self.hierarchy, str) or not self.hierarchy):
            expected = "what stands between the steps of labels, such as '/', or None"
            raise BadSetting(setting="hierarchy", got=self.hierarchy, expected=expected)
        name, colon, share = self.levels.partition(":") if isinstance(self.levels, str) else ("", "", "")
        check_choice("levels", name or self.levels, LEVELS)
        if colon and not ((name == "shared" and _is_share(share)) or (name == "top-down" and _is_shelf(share))):
            expected = "a share from 0.001 to 100, such as 'shared:0.3', or labels a shelf, such as 'top-down:100'"
            raise BadSetting(setting="levels", got=self.levels, expected=expected)
        if self.levels != "auto" and self.hierarchy is None:
            raise BadSetting(setting="levels", got=self.levels, expected="a hierarchy, such as hierarchy='/'")
        if self.weighs_levels:
            return
        if name == "shared" and not colon:
            object.__setattr__(self, "levels", f"shared:{SHARE}")
        if name in LEVELS[2:] and not self.can_level:
            model, known = f"{self.model} with {self.smoothing}", f"flat; others are for {', '.join(LEVELLED)}"
            raise NotForModel(setting="levels", got=self.levels, model=model, known=known)

    @property
    def can_level(self) -> bool:
        """Whether the model knows other ways than a flat one for labels that are paths."""
        of_counts = self.model in (*LEVELLED, BAYES) and self.smoothing not in ("none", "deleted")
        return of_counts and self.term_weights == "none" and not self.is_searched

    @property
    def weighs_levels(self) -> bool:
        """Whether it is a committee that has one of each level of labels that are paths, and weighs them, too."""
        return self.model == "committee" and self.hierarchy is not None and self.levels in ("auto", "shared")

    @property
    def way(self) -> str:
        """How counts tell labels apart: flat, shared or top-down; those that are fitted are all flat to them."""
        name = self.levels.partition(":")[0]
        is_flat = self.hierarchy is None or self.model in FITTED or name not in LEVELS[2:]
        return "flat" if is_flat else name

    @property
    def share(self) -> float:
        """How much of what speaks for its ancestors speaks for a label."""
        return float(self.levels.partition(":")[2] or 0.0)

    @property
    def shelf(self) -> int | None:
        """How many labels are told apart by one decision from the top down; None where that is left open."""
        return int(self.levels.partition(":")[2] or 0) or None

    @cached_property
    def flat(self) -> Settings:
        """The same, with labels as they are."""
        return replace(self, hierarchy=None, levels="auto")

    @property
    def _named(self) -> str:
        """The model with its smoothing, where that matters."""
        return self.model if self.model in FITTED else f"{self.model} with {self.smoothing}"

    @property
    def is_projected(self) -> bool:
        """Whether a model is fit to features that are sums over all terms, not to the terms themselves."""
        return self.model in PROJECTED or self.project is not None

    @property
    def has_trees(self) -> bool:
        """Whether trees answer, rather than weights of terms."""
        return self.model in FORESTS

    @property
    def goes_on(self) -> bool:
        """Whether it goes on learning without the examples that it was fit to."""
        return self.model in CONTINUED and not self.is_projected

    @property
    def selects(self) -> tuple[str, int] | None:
        """By what terms are selected, and how many; None where all are kept."""
        name, _, top = (self.select or "").partition(":")
        return (name, int(top)) if name else None

    @property
    def is_searched(self) -> bool:
        """Whether terms are searched for in the texts themselves, rather than told by their counts."""
        return self.selects is not None and self.selects[0] not in MEASURES

    @property
    def has_ratios(self) -> bool:
        """Whether rows are multiplied with log-count ratios before a model is fit to them."""
        return self.model in ("nbsvm", "nblogistic")

    @property
    def is_joint(self) -> bool:
        """Whether all labels are fit at once, rather than each against the rest."""
        return self.model in ("logistic", "rotation") and self.l1 == 0 if self.joint is None else self.joint

    @property
    def counting(self) -> str:
        """How often a term counts, of a model that is fitted."""
        if self.weighting is not None:
            return self.weighting
        return "binary" if self.binary or self.has_ratios else "sublinear"

    @property
    def has_idf(self) -> bool:
        """Whether rare terms weigh more before a model is fit."""
        return not self.has_ratios if self.idf is None else self.idf

    @property
    def has_length_norm(self) -> bool:
        """Whether all rows are made as long as any other."""
        return not self.has_ratios if self.length_norm is None else self.length_norm

    @property
    def smoothings(self) -> tuple[str, ...]:
        """The smoothings that the model takes, its own first; of a model that is open, those that all may take."""
        return MODELS.get(self.model, ("laplace",))

    @property
    def strength(self) -> float:
        """How strong the smoothing is: `alpha`, or the smoothing's default."""
        default, _ = STRENGTHS[str(self.smoothing)]
        return float(default if self.alpha is None else self.alpha)  # type: ignore[arg-type]

    def with_label_renamed(self, old: str, new: str) -> Settings:
        """The same, with what is given for a label under its other name.

        Where a prior has a number for that, it is the sum of both; where weights of labels have one, it stays.

        >>> Settings(prior={"ham": 3, "junk": 1, "spam": 2}).with_label_renamed("junk", "spam").prior
        {'ham': 3, 'spam': 3}
        """
        changed: dict[str, Any] = {}
        for setting in ("prior", "class_weight"):
            given: Any = getattr(self, setting)
            if isinstance(given, dict) and old in given and old != new:
                rest = {label: number for label, number in given.items() if label != old}
                both = rest.get(new, 0) + given[old] if setting == "prior" else rest.get(new, given[old])
                changed[setting] = {**rest, new: both}
        return replace(self, **changed)

    @property
    def unit(self) -> str:
        """What differences of scores are before they are calibrated: log-odds, or numbers that only look like them."""
        if self.model in FITTED:
            is_linear = self.model in ("logistic", "rotation")
            is_of_odds = self.model == "committee" or (is_linear and self.is_joint) or self.model in PROJECTED[1:]
            return "decibans" if is_of_odds and self.class_weight == "none" else "points"
        is_of_odds = self.term_weights in ("none", LEARNT) and self.model not in ("complement", "ratio", "twcnb")
        return "decibans" if is_of_odds else "points"

    @property
    def start(self) -> str:
        """What is in a score before a term of the text is."""
        if self.model in FITTED:
            return "prior, absent terms" if self.has_trees else "bias"
        return "prior, absent terms" if self.model in ("bernoulli", "tan") else "prior"

    @property
    def is_binary(self) -> bool:
        """Whether a term counts once a text."""
        if self.model in FITTED:
            return self.model != "committee" and self.counting == "binary"
        return self.binary or self.model in ("bernoulli", "tan")

    @property
    def needs_rows(self) -> bool:
        """Whether the model is one of those."""
        return self.model in ROWS

    @property
    def needs_examples(self) -> bool:
        """Whether training takes the texts themselves, if only once."""
        return self.needs_rows or self.is_searched or self.term_weights == LEARNT

    @property
    def has_amounts(self) -> bool:
        """Whether the counts are of what terms amount to."""
        return self.model in AMOUNTED

    @cached_property
    def terms(self) -> Terms:
        """What is seen of a text."""
        return Terms(**{field.name: getattr(self, field.name) for field in fields(Terms)})

    @cached_property
    def cores(self) -> int:
        """The number of threads as the core takes it: 0 for all cores."""
        return self.threads or 0

    def as_dict(self) -> dict[str, Any]:
        """What belongs to the model and is saved with it: all but how it is made."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        settings["properties"] = self.properties and self.properties.as_dict()
        return {name: value for name, value in settings.items() if name not in ("threads", "budget")}

    @property
    def told(self) -> dict[str, Any]:
        """The same for people: lists by their lengths."""
        return {**self.as_dict(), "properties": self.properties and str(self.properties)}


def named(settings: Settings) -> dict[str, Any]:
    """All settings by name, as `train` takes them."""
    return {field.name: getattr(settings, field.name) for field in fields(settings)}


def _is_share(given: str) -> bool:
    try:
        return 0.001 <= float(given) <= 100
    except ValueError:
        return False


def _is_shelf(given: str) -> bool:
    return given.isascii() and given.isdigit() and 1 <= int(given) <= 1_000_000


def _is_number(value: object) -> bool:
    """Whether it is a number that sums of counts can bear; no NaN, no infinity."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= GREATEST
