"""The list of all algorithms: the one place that names them.

The command line's choices and help, `auto`, the messages, the benchmarks and the tests read it, and a test compares the
table of `docs/solver.md` with it. This module imports nothing large, so help is shown at once.

To add an algorithm of the CFR family, add a row here; if the formula in `rules` does not cover it, extend that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

AUTO = "auto"  # chooses one of the others, see `solve.chosen`
EXACT = "lp"
SPARSE, DENSE = "hs-pdcfr+", 10  # what `auto` iterates with, unless a game has more payoffs a sequence than this
ON_ABSTRACT_TREES = "cfr+"  # see `abstract_cfr`
SAMPLING = "mccfr"


class Rule(NamedTuple):
    """An algorithm of the CFR family as the kernels read it; `rules` says what the numbers do."""

    averaging: float  # gamma: the weight of iteration t's plan in the average is t ** gamma; infinite: the last policy
    falling: float = 0.0  # by how much gamma falls within the first `HORIZON` iterations
    alpha: float = math.inf  # regrets above 0 are discounted after iteration t by t^alpha / (t^alpha + 1)
    below: float = 0.0  # the factor of regrets below 0 after an iteration; 0: regret matching+
    prediction: float = 0.0  # the part of an iteration's regrets that the policy predicts for the next one
    simultaneous: bool = False  # both update against the plans at the start of the iteration; these are averaged


HORIZON = 1_000  # iterations of a schedule; its last value holds from then on


class Algorithm(NamedTuple):
    """A row of the table."""

    name: str
    help: str  # what it is
    when: str = ""  # what it is good for
    note: str = ""  # shown beside the name in the help of the command line
    rule: Rule | None = None  # None outside the CFR family on trees
    tree: bool = True  # whether it needs the whole game tree in memory; otherwise it samples
    abstract: bool = False  # whether it also solves abstractions


_ROWS = (
    Algorithm(
        EXACT,
        "the sequence-form linear program (HiGHS), exact",
        "tight targets; games that resist the others",
        note="exact",
    ),
    Algorithm(
        "cfr",
        "vanilla counterfactual regret minimisation",
        "to compare with",
        rule=Rule(averaging=0.0, below=1.0, simultaneous=True),
    ),
    Algorithm(
        ON_ABSTRACT_TREES,
        "alternating updates, regret matching+, linear averaging",
        rule=Rule(averaging=1.0),
        abstract=True,
    ),
    Algorithm(
        "dcfr",
        "discounted (alpha 1.5, beta 0, gamma 2)",
        "games like Leduc",
        rule=Rule(averaging=2.0, alpha=1.5, below=0.5),
    ),
    Algorithm(
        "pcfr+",
        "predictive, averaging weight t^5",
        rule=Rule(averaging=5.0, prediction=1.0),
    ),
    Algorithm(
        "pdcfr+",
        "predictive and discounted (alpha 2.3, gamma 5), a third of the prediction",
        rule=Rule(averaging=5.0, alpha=2.3, prediction=1 / 3),
    ),
    Algorithm(
        SPARSE,
        "the same with a schedule: gamma 15 - 5 t/1000, then 10",
        "big trees",
        rule=Rule(averaging=15.0, falling=5.0, alpha=2.3, prediction=1 / 3),
    ),
    Algorithm(
        "last-pdcfr+",
        "PDCFR+ without an average: the policy of the last iteration",
        "a policy that makes sense at every decision",
        rule=Rule(averaging=math.inf, alpha=2.3, prediction=1 / 3),
    ),
    Algorithm(
        SAMPLING,
        "external sampling with linear weighting, on the machine",
        "trees that do not fit",
        note="samples, without a tree",
        tree=False,
        abstract=True,
    ),
)

ALGORITHMS = {row.name: row for row in _ROWS}
RULES = {row.name: row.rule for row in _ROWS if row.rule is not None}
ON_TREES = (AUTO, *(row.name for row in _ROWS if row.tree))
ON_ABSTRACTIONS = (AUTO, *(row.name for row in _ROWS if row.abstract))
CHOICES = (AUTO, *ALGORITHMS)


def samples(name: str) -> bool:
    """Whether the algorithm works without a tree; False for `auto`, which decides later, and for unknown names."""
    return name in ALGORITHMS and not ALGORITHMS[name].tree


def choices_help() -> str:
    """All choices in one line: "auto, lp (exact), ... or mccfr (...)."."""
    words = [AUTO, *(f"{row.name} ({row.note})" if row.note else row.name for row in _ROWS)]
    return f"{', '.join(words[:-1])}, or {words[-1]}."
