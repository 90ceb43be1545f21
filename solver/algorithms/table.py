"""The list of all algorithms: the one place that names them.

The command line's choices and help, `auto`, the messages, the benchmarks and the tests read it, and a test compares the
table of `docs/solver.md` with it. Nothing heavy is imported here, so a command can show its help at once.

To add an algorithm of the CFR family, write its update in `rules` and add a row here.
"""

from __future__ import annotations

from typing import NamedTuple

AUTO = "auto"  # takes one of the others, see `auto`
EXACT = "lp"
ON_ABSTRACT_TREES = "cfr+"  # see `abstract_cfr`
SAMPLING = "mccfr"


class Rule(NamedTuple):
    """An algorithm of the CFR family as the kernels of `traversal` read it."""

    update: int  # the number of its update in `rules`
    averaging: int  # the realization plan of iteration t enters the average with the weight t ** averaging
    simultaneous: bool = False  # both update against the plans of the iteration's start; these are averaged


class Algorithm(NamedTuple):
    """A row of the table."""

    name: str
    help: str  # what it is
    when: str = ""  # what it is good for
    note: str = ""  # what the command line's help says beside the name
    rule: Rule | None = None  # None outside the CFR family on trees
    tree: bool = True  # whether it needs the whole game tree in memory; otherwise it samples
    abstract: bool = False  # whether it solves abstractions, too
    auto_from: float | None = None  # the smallest target in chips for which `auto` takes it; None: not by the target


_ROWS = (
    Algorithm(EXACT, "the sequence-form linear program (HiGHS), exact", "small and middling trees", note="exact"),
    Algorithm(
        "cfr",
        "vanilla counterfactual regret minimisation",
        "to compare with",
        rule=Rule(update=0, averaging=0, simultaneous=True),
    ),
    Algorithm(
        ON_ABSTRACT_TREES,
        "alternating updates, regret matching+, linear averaging",
        rule=Rule(update=1, averaging=1),
        abstract=True,
    ),
    Algorithm(
        "dcfr",
        "discounted (alpha 1.5, beta 0, gamma 2)",
        "big trees to 1e-3",
        rule=Rule(update=2, averaging=2),
        auto_from=1e-3,
    ),
    Algorithm(
        "pcfr+",
        "predictive, quadratic averaging",
        "big trees below 1e-3",
        rule=Rule(update=3, averaging=2),
        auto_from=0.0,
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
    """Whether the algorithm needs no tree; False for `auto`, which decides later, and for unknown names."""
    return name in ALGORITHMS and not ALGORITHMS[name].tree


def choices_help() -> str:
    """All choices in one line: "auto, lp (exact), ... or mccfr (...)."."""
    words = [AUTO, *(f"{row.name} ({row.note})" if row.note else row.name for row in _ROWS)]
    return f"{', '.join(words[:-1])}, or {words[-1]}."
