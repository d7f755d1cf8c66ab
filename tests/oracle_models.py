"""The slow, obvious definition of every model: plain Python on the oracle's counts, each formula as it is written."""

import math
from collections import Counter

import oracle


def totals(counts, nu):
    """nu_r, d_r, nu_j and nu: occurrences and terms by label, occurrences by term, and all of them."""
    nu_r, d_r = ({r: sum(f(nu[j][r]) for j in counts.lexicon) for r in counts.labels} for f in (int, bool))
    nu_j = {j: sum(nu[j].values()) for j in counts.lexicon}
    return nu_r, d_r, nu_j, sum(nu_j.values())


def die(counts, nu_jr, nu_r, d_r, nu_j, of_all, smoothing, alpha):
    """q_jr: how likely a label throws a term (Aggarwal 5.20, 5.21)."""
    if smoothing == "none":
        return nu_jr / nu_r if nu_r else 0.0
    if smoothing == "laplace":
        return (nu_jr + alpha) / (nu_r + alpha * len(counts.lexicon))
    if smoothing == "dirichlet":
        return (nu_jr + alpha * nu_j / of_all) / (nu_r + alpha)
    if not nu_r:
        return nu_j / of_all
    if smoothing == "jelinek-mercer":
        return (1 - alpha) * nu_jr / nu_r + alpha * nu_j / of_all
    assert smoothing == "absolute"
    return max(nu_jr - alpha, 0) / nu_r + alpha * d_r / nu_r * nu_j / of_all


def deleted_die(counts, r, binary):
    """q_jr of each term: what stands c times in a half stands r_c times in the other, on average (Stone)."""
    halves = [half.presences if binary else half.occurrences for half in (counts.half(0), counts.half(1))]
    pairs = [tuple(half[j][r] for half in halves) for j in counts.lexicon]
    n, c = Counter(), Counter()
    for here, there in pairs + [pair[::-1] for pair in pairs]:
        n[here] += 1
        c[here] += there
    c[0] = c[0] or 0.5
    total = sum(c[one] / n[one] + c[two] / n[two] for one, two in pairs)
    return {j: (c[one] / n[one] + c[two] / n[two]) / total for j, (one, two) in zip(counts.lexicon, pairs, strict=True)}


def coin(counts, m_jr, n_r, m, smoothing, alpha, default_p):
    """p_jr, how likely a document of a label has a term (Aggarwal 5.17, Jaakkola), and 1 - p_jr."""
    d, n = len(counts.lexicon), counts.documents.total()
    if smoothing == "beta":
        heads, tails = alpha * default_p, alpha * (1 - default_p)
    else:  # d / d_a - 1, with d_a = m / n; and 1 where that would be nothing
        heads, tails = alpha, alpha * ((d * n - m) / m if m < d * n else 1)
    throws = n_r + heads + tails
    return (m_jr + heads) / throws, (n_r - m_jr + tails) / throws


def told(nu_jr, nu_j, q, doubt=10):
    """How much a term tells of labels: the mean logarithm of what its other occurrences make of the label of one."""
    logs = {
        r: math.log((max(n - 1, 0) + doubt * q[r]) / (max(nu_j - 1, 0) + doubt) / q[r]) for r, n in nu_jr.items() if n
    }
    mean = sum(nu_jr[r] / nu_j * logs[r] for r in logs)
    return mean if mean > 1e-9 else 0.0


def log(p):
    return math.log(p) if p > 0 else -math.inf


def log_prior(counts, label, prior, beta):
    """Aggarwal 5.14, 5.15; or uniform; or given."""
    weight = (
        {
            "data": lambda r: counts.documents[r] + beta,
            "uniform": lambda r: 1,
        }.get(prior)
        if isinstance(prior, str)
        else prior.__getitem__
    )
    return math.log(weight(label) / sum(map(weight, counts.labels)))


def once(z):
    return dict.fromkeys(z, 1)


def amounts(z):
    """Rennie 2003: log tf and length norm, the logarithms and what comes of them rounded to 2^-20."""
    logs = {j: round(math.log1p(times) * 2**20) for j, times in z.items()}
    length = math.sqrt(sum(log * log for log in logs.values()))
    return {j: round(log / length * 2**20) for j, log in logs.items()}


def twcnb(counts, z, alpha, binary):
    """Rennie 2003, table 4, with idf after the sums; without the prior."""
    n, d, theta = counts.documents.total(), len(counts.lexicon), {}
    amount = {j: Counter() for j in counts.lexicon}
    for row, label in counts.rows:
        for j, times in amounts(once(row) if binary else row).items():
            amount[j][label] += times
    for r in counts.labels:
        idf = {j: math.log(n / counts.presences[j].total()) for j in counts.lexicon}
        b = {j: idf[j] * (amount[j].total() - amount[j][r]) / 2**20 + alpha for j in counts.lexicon}
        theta[r] = {j: b[j] / math.fsum(b.values()) for j in counts.lexicon}
    norm = {r: math.fsum(-math.log(p) for p in theta[r].values()) if d > 1 else 1.0 for r in counts.labels}
    mean = sum(norm.values()) / len(norm)
    return {r: -mean * math.fsum(z[j] * math.log(theta[r][j]) / norm[r] for j in z) for r in counts.labels}


def scores(
    counts,
    text,
    model,
    smoothing,
    alpha,
    default_p=0.5,
    complement_weight=3.0,
    complement_alpha=30.0,
    term_weight=0.5,
    prior="data",
    prior_smoothing=0.0,
    binary=False,
    **seen,
):
    """The score of each label."""
    nu = counts.presences if binary or model == "bernoulli" else counts.occurrences
    nu_r, d_r, nu_j, of_all = totals(counts, nu)
    z = Counter(term for term in oracle.terms(text, **seen) if term in counts.occurrences)
    if model == "twcnb":
        found = twcnb(counts, once(z) if binary else z, alpha, binary)
        return {r: found[r] + log_prior(counts, r, prior, prior_smoothing) for r in counts.labels}
    found = {}
    for r in counts.labels:
        score = log_prior(counts, r, prior, prior_smoothing)
        deleted = deleted_die(counts, r, binary) if smoothing == "deleted" else {}
        for j in counts.lexicon:
            if model == "bernoulli":
                there, absent = coin(counts, nu[j][r], counts.documents[r], of_all, smoothing, alpha, default_p)
                score += math.log(there if z[j] else absent)
            elif z[j] and model == "multinomial":
                q = deleted.get(j) or die(counts, nu[j][r], nu_r[r], d_r[r], nu_j[j], of_all, smoothing, alpha)
                score += (1 if binary else z[j]) * log(q)
            elif z[j] and model == "ratio" and nu[j][r]:
                q = {label: nu_r[label] / of_all for label in counts.labels}
                more = math.log(1 + (1 - alpha) / alpha * nu[j][r] / nu_r[r] / (nu_j[j] / of_all))
                less = math.log((nu_j[j] + complement_alpha) / (nu_j[j] - nu[j][r] + complement_alpha))
                worth = told(nu[j], nu_j[j], q) ** term_weight
                score += (1 if binary else z[j]) * worth * (more + complement_weight * less)
            elif z[j] and model == "complement":  # Rennie 2003: how likely all other labels throw the term
                q = (nu_j[j] - nu[j][r] + alpha) / (of_all - nu_r[r] + alpha * len(counts.lexicon))
                score -= (1 if binary else z[j]) * math.log(q)
        found[r] = score
    return found


def leave_one_out(texts, labels, settings, **seen):
    """The scores of each text by a model trained on all others: n retrainings."""
    for i, text in enumerate(texts):
        counts = oracle.Counts(texts[:i] + texts[i + 1 :], labels[:i] + labels[i + 1 :], **seen)
        yield scores(counts, text, **settings, **seen)
