"""Algorithm 1: estimates the share of a player's correct answers to a question (SKATE appendix A, S6).

A question is asked in variants: the truth and three of its distractors, drawn and shuffled each time. After every
`step` variants the standard deviation of the share of correct answers, sqrt(p (1 - p) / N), is compared with the
threshold; below it the estimate is final. The comparison is exact, with fractions of counts.

As printed, a player whose first batch is all right or all wrong is done, because the estimate's deviation is 0; `least`
asks for more. The paper does not give the step: ten is our reading, with which every score in its figure 12 can occur.
N needs no upper limit: with a step of ten 110 variants always suffice.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import msgspec

from antemill.engine.errors import UsageError
from antemill.engine.seeding import Stream

STEP = 10  # our reading
THRESHOLD = Fraction(1, 20)  # sigma*
SHOWN = 3  # distractors in a variant
TESTED = 10  # sets and orders of options in the tests of figure 8
TRUTH = 0  # its number among the options; the distractors are 1, 2, ...


class Score(msgspec.Struct, frozen=True):
    """Correct answers out of all. An answer that cannot be read counts as wrong."""

    correct: int = 0
    asked: int = 0

    @property
    def p(self) -> Fraction:
        """The share correct; 0 if nothing was asked."""
        return Fraction(self.correct, self.asked) if self.asked else Fraction(0)

    @property
    def deviation(self) -> float:
        """The estimate's standard deviation; 0 if nothing was asked."""
        return float(self.p * (1 - self.p) / self.asked) ** 0.5 if self.asked else 0.0


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """The stopping rule. step: variants in a batch; least: fewest variants; threshold: on the standard deviation."""

    step: int = STEP
    least: int = STEP
    threshold: Fraction = THRESHOLD

    def __post_init__(self) -> None:
        if self.step < 1 or self.least < 1 or self.threshold <= 0:
            raise UsageError("sampling needs a step, a least number and a threshold above 0: correct them.")

    @property
    def first(self) -> int:
        """The fewest variants for a score."""
        return -(-max(self.step, self.least) // self.step) * self.step

    @property
    def most(self) -> int:
        """The most variants for a score: p (1 - p) is at most 1/4, so N threshold^2 above that is enough."""
        enough = int(1 / (4 * self.threshold**2)) + 1
        return max(self.first, -(-enough // self.step) * self.step)

    def settled(self, score: Score) -> bool:
        """Whether the score is final: std < threshold, exactly."""
        if score.asked < max(self.step, self.least) or score.asked % self.step:
            return False
        return score.p * (1 - score.p) < score.asked * self.threshold**2

    def due(self, score: Score) -> int:
        """The number of variants to ask next, up to the end of the batch; 0 if the score is final."""
        return 0 if self.settled(score) else self.step - score.asked % self.step


def option_sets(key: int, distractors: int) -> list[tuple[int, ...]]:
    """Figure 8a: `TESTED` variants with different distractors, fewer if there are not as many; see `variant`."""
    found: dict[frozenset[int], tuple[int, ...]] = {}
    number = 0
    while len(found) < min(TESTED, comb(distractors, SHOWN)):
        one = variant(key, number, distractors)
        found.setdefault(frozenset(one), one)
        number += 1
    return list(found.values())


def option_orders(key: int, options: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Figure 8b: `TESTED` different orders of the same options, fewer if there are not as many."""
    stream, found = Stream(key, 1 << 32), dict[tuple[int, ...], None]()
    while len(found) < min(TESTED, factorial(len(options))):
        found[tuple(stream.sample(options, len(options)))] = None
    return list(found)


def variant(key: int, number: int, distractors: int = 9) -> tuple[int, ...]:
    """The options of variant `number` in the order in which they are shown: TRUTH and `SHOWN` of 1..distractors.

    key: of the question and the player. A variant is a function of key and number alone, so it can be recorded by them
    and asked in any order.
    """
    stream = Stream(key, number)
    options = [TRUTH, *stream.sample(range(1, distractors + 1), SHOWN)]
    return tuple(stream.sample(options, len(options)))
