"""TrueSkill from shares of correct answers (SKATE section 4, S7, S8).

    1. Two players' shares on a question decide a match. Relative: a draw if they differ by less than 1/20, else the
       higher share wins. Absolute: each passes at 11/20 or more; the one who passes beats the one who fails.
    2. For each question in order, every pair i < j of players that answered it updates both ratings once.
    3. What is reported is the average over the last 100 updates: of a player's ratings after each of them.

Shares are fractions of counts and are compared exactly: 19/20 - 18/20 is 1/20 and no draw, though not in floats. Our
readings: a share of exactly 11/20 passes; "updates" are those of all pairs, so a player's rating is averaged also over
updates of others; with fewer than 100 updates, over all of them. The order of updates matters, hence it is fixed.

The paper gives the prior, and neither beta, tau nor the probability of a draw; the library's defaults are used.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from statistics import NormalDist
from typing import Annotated, Literal

import numpy as np
import trueskill
from msgspec import Meta, Struct

from antemill.tournament.statistics.intervals import Floats

DRAW_MARGIN = Fraction(1, 20)
PASS = Fraction(11, 20)  # our reading: at this share, too
LAST_UPDATES = 100  # our reading: of all pairs

MU, SIGMA = 25.0, 25.0 / 3.0  # the prior of a skill (section 4.3)
BETA = 25.0 / 6.0  # our reading, the library's: deviation of a performance from the skill, in units of mu
TAU = 25.0 / 300.0  # our reading, the library's: deviation that is added to a skill before each update
DRAW = 0.1  # our reading, the library's: probability of a draw between equals

Share = Fraction | None  # None: the player did not answer
Rule = Callable[[Fraction, Fraction], int]  # +1: the first wins, 0: draw, -1: the second wins


class Rating(Struct, frozen=True, forbid_unknown_fields=True):
    """How matches become ratings: [rating] of a game of SKATE.

    update: once for each pair and question, or for each pair and round, by its mean shares on the round's questions.
    draw: probability of a draw between equals, which sets the margin of draws; beta, tau: deviations, in units of mu.
    """

    update: Literal["question", "round"] = "question"
    draw: Annotated[float, Meta(gt=0, lt=1)] = DRAW
    beta: Annotated[float, Meta(gt=0)] = BETA
    tau: Annotated[float, Meta(ge=0)] = TAU

    def __str__(self) -> str:
        return (
            f"Updated once for each pair and {self.update}, with beta {self.beta:.3g}, tau {self.tau:.3g} and draws of "
            f"{self.draw:.0%} between equals."
        )

    def environment(self, exact: bool = False) -> trueskill.TrueSkill:
        """The library's settings. exact: with the normal distribution to the last digits, not the library's seven."""
        backend = (_below, NormalDist().pdf, NormalDist().inv_cdf) if exact else None
        return trueskill.TrueSkill(MU, SIGMA, self.beta, self.tau, self.draw, backend=backend)


STANDARD = Rating()


class Skills(Struct, frozen=True, eq=False):
    """The trajectory of a rating. Row 0 is the prior, row k the state after update k."""

    mu: Floats  # float64[updates + 1, players]
    sigma: Floats  # float64[updates + 1, players]

    @property
    def final(self) -> Floats:
        """float64[players, 2]: mu and sigma after the last update."""
        return np.stack((self.mu[-1], self.sigma[-1]), axis=1)

    def average(self, last: int = LAST_UPDATES) -> Floats:
        """float64[players, 2]: mu and sigma averaged over the last updates; the prior if there was none."""
        tail = slice(max(1, len(self.mu) - last) if len(self.mu) > 1 else 0, None)
        return np.stack((self.mu[tail].mean(axis=0), self.sigma[tail].mean(axis=0)), axis=1)


def relative(p: Fraction, q: Fraction) -> int:
    """+1, 0 or -1: the higher share wins unless they differ by less than 1/20."""
    return 0 if abs(p - q) < DRAW_MARGIN else _sign(p - q)


def absolute(p: Fraction, q: Fraction) -> int:
    """+1, 0 or -1: who passes beats who fails."""
    return int(p >= PASS) - int(q >= PASS)


RULES: dict[str, Rule] = {"relative": relative, "absolute": absolute}


def rate_questions(questions: Iterable[Sequence[Share]], players: int, rule: Rule, rating: Rating = STANDARD) -> Skills:
    """Rate players by their shares on questions, in order. Raises ValueError for a row of another length."""
    return rate_matches(matches_of([[row] for row in questions], players, rule), players, rating)


def rate_matches(matches: Iterable[tuple[int, int, int]], players: int, rating: Rating = STANDARD) -> Skills:
    """Rate players by matches (i, j, outcome), in order; outcome +1: i wins, 0: draw, -1: j wins."""
    trajectory = [[(r.mu, r.sigma) for r in state] for state in _states(matches, players, rating.environment())]
    states = np.array(trajectory, np.float64).reshape(len(trajectory), players, 2)
    return Skills(states[..., 0].copy(), states[..., 1].copy())


def final_ratings(matches: Iterable[tuple[int, int, int]], players: int) -> Floats:
    """float64[players, 2]: mu and sigma after all matches, to the last digits of the normal distribution."""
    (last,) = deque(_states(matches, players, STANDARD.environment(exact=True)), maxlen=1)
    return np.array([(one.mu, one.sigma) for one in last], np.float64)


def _states(
    matches: Iterable[tuple[int, int, int]], players: int, table: trueskill.TrueSkill
) -> Iterator[list[trueskill.Rating]]:
    """All ratings before the first match and after each; one list, which is changed."""
    ratings = [table.create_rating() for _ in range(players)]
    yield ratings
    for i, j, outcome in matches:
        if outcome >= 0:
            ratings[i], ratings[j] = trueskill.rate_1vs1(ratings[i], ratings[j], drawn=outcome == 0, env=table)
        else:
            ratings[j], ratings[i] = trueskill.rate_1vs1(ratings[j], ratings[i], env=table)
        yield ratings


def matches_of(groups: Iterable[Sequence[Sequence[Share]]], players: int, rule: Rule) -> Iterable[tuple[int, int, int]]:
    """A match (i, j, outcome) for each group of questions and each pair i < j, by the means of their shares.

    The means are over the questions that both answered; without one there is no match. Raises ValueError for a row of
    another length.
    """
    for number, rows in enumerate(groups):
        if wrong := next((row for row in rows if len(row) != players), None):
            raise ValueError(f"question {number} has {len(wrong)} shares for {players} players")
        for i, j in combinations(range(players), 2):
            both = [(p, q) for row in rows if (p := row[i]) is not None and (q := row[j]) is not None]
            if both:
                yield i, j, rule(_mean([p for p, _ in both]), _mean([q for _, q in both]))


def _below(x: float) -> float:
    """The normal distribution, which the library asks for far tails."""
    return math.erfc(-x / math.sqrt(2.0)) / 2.0


def _mean(shares: Sequence[Fraction]) -> Fraction:
    return sum(shares, Fraction(0)) / len(shares)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
