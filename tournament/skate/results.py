"""The results of a game of SKATE: plain functions of questions and scores (S7, S8, S13; SKATE sections 4 to 6).

Scores are exact fractions. Ratings take the questions in the order of their numbers. If a player has no score on a
question, the question makes no match for that player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace
from scipy.cluster.hierarchy import fcluster, linkage

from antemill.tournament.embedding import pairwise
from antemill.tournament.skate.sampling import Score
from antemill.tournament.statistics.trueskill import RULES, STANDARD, Rating, Skills, matches_of, rate_matches

Floats = npt.NDArray[np.float64]
GOOD = Fraction(11, 20)  # figure 5 (b): only questions on which the setter itself scored more


class Question(Struct, frozen=True, kw_only=True):
    """An accepted question and its properties."""

    number: int
    round_number: int
    setter: str
    text: str
    truth: str
    explanation: str
    distance: float | None  # to the setter's nearest earlier question


class Game(Struct, frozen=True, kw_only=True):
    """Questions in the order of their numbers; scores by question number and player; players in their order.

    rating: how scores become ratings.
    """

    players: tuple[str, ...]
    questions: list[Question]
    scores: dict[int, dict[str, Score]]
    rating: Rating = STANDARD

    def share(self, number: int, player: str) -> Fraction | None:
        """The share of correct answers; None if the player has no score on the question."""
        score = self.scores.get(number, {}).get(player)
        return score.p if score else None

    def table(self) -> Floats:
        """float64[questions, players], NaN where there is no score."""
        return np.array(
            [[_number(self.share(q.number, player)) for player in self.players] for q in self.questions], np.float64
        ).reshape(len(self.questions), len(self.players))


def rate(game: Game, rule: str, order: Sequence[str] | None = None) -> Skills:
    """TrueSkill by "relative" or "absolute" comparison. The `order` of players has a small effect (S8)."""
    players = order or game.players
    groups = [
        [[game.share(question.number, player) for player in players] for question in questions]
        for questions in (_rounds(game) if game.rating.update == "round" else [[one] for one in game.questions])
    ]
    return rate_matches(matches_of(groups, len(players), RULES[rule]), len(players), game.rating)


def _rounds(game: Game) -> list[list[Question]]:
    """The questions by round, in the order in which rounds first come up. A base game's rounds are rounds of their own:
    a round ends where, in the order of the numbers, the next question is of another one."""
    place: dict[int, int] = {}
    last = None
    for question in sorted(game.questions, key=lambda one: one.number):
        place[question.number] = max(place.values(), default=0) + (question.round_number != last)
        last = question.round_number
    found: dict[int, list[Question]] = {}
    for question in game.questions:
        found.setdefault(place[question.number], []).append(question)
    return list(found.values())


class Stability(Struct, frozen=True):
    """float64[players] each: the range of average mu over orders of the players, and of the questions.

    Comparisons tell differences alone, and the order moves all players together, too: in each order the mean of all
    players is that of the game's own order.
    """

    low: Floats
    high: Floats


def order_stability(game: Game, rule: str, orders: int = 20) -> Stability:
    """The range of the ratings over other orders of players and questions (S13)."""
    random = np.random.default_rng(0)
    level = rate(game, rule).average()[:, 0].mean()
    found = np.empty((orders, len(game.players)))
    for row in found:
        order = random.permutation(len(game.players))
        shuffled = replace(game, questions=[game.questions[i] for i in random.permutation(len(game.questions))])
        mu = rate(shuffled, rule, [game.players[i] for i in order]).average()[:, 0]
        row[order] = mu - mu.mean() + level
    return Stability(found.min(axis=0), found.max(axis=0))


def cumulative(game: Game, player: str) -> tuple[list[int], Floats, Floats]:
    """Figure 4: rounds of the player's questions, and the running means of its own and of the others' scores on them.

    NaN before the first score.
    """
    own = [question for question in game.questions if question.setter == player]
    mine = [_number(game.share(question.number, player)) for question in own]
    others = [_mean([game.share(q.number, name) for name in game.players if name != player]) for q in own]
    return [question.round_number for question in own], _running(mine), _running(others)


def self_preference(game: Game, filtered: bool = False) -> Floats:
    """Figure 5: float64[setters, players], a player's mean score on a setter's questions minus the others' mean.

    filtered: only questions on which the setter scored more than 55%. NaN without questions or without other players.
    """
    table, setters = game.table(), np.array([question.setter for question in game.questions])
    good = [not filtered or (game.share(q.number, q.setter) or Fraction(0)) > GOOD for q in game.questions]
    found = np.full((len(game.players), len(game.players)), np.nan)
    for i, setter in enumerate(game.players):
        rows = (setters == setter) & np.array(good, bool)
        for j in range(len(game.players)):
            mine, others = table[rows, j], np.delete(table[rows], j, axis=1)
            if np.isfinite(mine).any() and np.isfinite(others).any():
                found[i, j] = np.nanmean(mine) - np.nanmean(others)
    return found


class Skill(Struct, frozen=True):
    """Appendix E. answering: mean score on others' questions; asking: 1 - others' mean score on own questions; NaN
    where there is none.
    """

    player: str
    questions: int
    answering: float
    asking: float


def skills(game: Game) -> list[Skill]:
    """Asking against answering, for each player."""
    found = []
    for player in game.players:
        own = [question for question in game.questions if question.setter == player]
        others = [game.share(q.number, player) for q in game.questions if q.setter != player]
        against = [game.share(q.number, name) for q in own for name in game.players if name != player]
        found.append(Skill(player, len(own), _mean(others), 1.0 - _mean(against)))
    return found


class Spread(Struct, frozen=True):
    """How well a question discriminates between players. variance: population variance of the scores; discriminatory:
    only the setter reaches 55% (section 4.2).
    """

    number: int
    variance: float
    discriminatory: bool


def spreads(game: Game) -> list[Spread]:
    """All questions with two or more scores by their variance, the largest first (appendix D)."""
    found = []
    for question, row in zip(game.questions, game.table(), strict=True):
        if np.isfinite(row).sum() > 1:
            shares = {player: game.share(question.number, player) or Fraction(0) for player in game.players}
            passed = {player for player, share in shares.items() if share >= GOOD}
            found.append(Spread(question.number, float(np.nanvar(row)), passed == {question.setter}))
    return sorted(found, key=lambda spread: (-spread.variance, spread.number))


def clusters(vectors: Floats, threshold: float) -> npt.NDArray[np.int64]:
    """int64[questions]: a cluster number for each, by average linkage of 1 - cosine, cut at the threshold (appendix B).

    vectors: unit vectors. The paper does not name its linkage; average is ours. Clusters are numbered from 1 on in the
    order of their first question.
    """
    if len(vectors) < 2:
        return np.ones(len(vectors), np.int64)
    found = fcluster(linkage(pairwise(vectors), "average"), threshold, "distance")
    number = {cluster: place for place, cluster in enumerate(dict.fromkeys(found.tolist()), 1)}
    return np.array([number[cluster] for cluster in found.tolist()], np.int64)


def weakest_first(game: Game) -> tuple[str, ...]:
    """The players by their relative rating on all questions, from the weakest up."""
    mu = rate(game, "relative").average()[:, 0]
    return tuple(game.players[i] for i in np.argsort(mu, kind="stable"))


def set_by(game: Game, setters: Sequence[str]) -> Game:
    """The game with the questions of these setters only."""
    return replace(game, questions=[question for question in game.questions if question.setter in setters])


def by_weaker_setters(game: Game) -> tuple[list[int], Floats]:
    """Section 6.1: do weaker players' questions rank stronger ones? Relative ratings of all players from the questions
    of the weakest 1, 2, ... setters only.

    How many setters, and float64[steps, players, 2]: average mu and sigma.
    """
    order = weakest_first(game)
    counts = list(range(1, len(order) + 1))
    return counts, np.array([rate(set_by(game, order[:count]), "relative").average() for count in counts])


def joining(game: Game, rule: str) -> list[tuple[list[str], list[dict[str, tuple[float, float]]]]]:
    """Section 6.2: the two strongest players join the others, in either order, with their questions.

    For both orders: the joining players, and the ratings (average mu and sigma) before, after the first and after both.
    Empty with fewer than four players.
    """
    order = list(weakest_first(game))
    if len(order) < 4:
        return []
    base, last, found = order[:-2], order[-2:], []
    for joins in (last, last[::-1]):
        steps = []
        for players in (base, [*base, joins[0]], [*base, *joins]):
            rated = rate(replace(set_by(game, players), players=tuple(players)), rule).average()
            steps.append({name: (float(mu), float(sigma)) for name, (mu, sigma) in zip(players, rated, strict=True)})
        found.append((joins, steps))
    return found


class Asked(Struct, frozen=True):
    """One answered variant: the options in the order shown (0 is the truth), and whether the truth was picked."""

    number: int
    player: str
    order: tuple[int, ...]
    correct: bool


class Sensitivity(Struct, frozen=True):
    """Figure 8 for one player. by_place: share correct by the truth's place. by_set: population standard deviation over
    the distractors of the share correct when one of them was shown, averaged over questions. None without answers.
    """

    player: str
    by_place: list[float | None]
    by_set: float | None


def sensitivity(asked: Sequence[Asked], players: Sequence[str]) -> list[Sensitivity]:
    """The dependence of answers on the order and on the choice of options."""
    return [_sensitivity([one for one in asked if one.player == player], player) for player in players]


def _sensitivity(asked: Sequence[Asked], player: str) -> Sensitivity:
    places = max((len(one.order) for one in asked), default=4)
    by_place = [_share([one.correct for one in asked if one.order.index(0) == place]) for place in range(places)]
    spreads = []
    for number in sorted({one.number for one in asked}):
        mine = [one for one in asked if one.number == number]
        options = sorted({option for one in mine for option in one.order} - {0})
        shares = [_share([one.correct for one in mine if option in one.order]) for option in options]
        spreads.append(float(np.std([share for share in shares if share is not None])))
    return Sensitivity(player, by_place, float(np.mean(spreads)) if spreads else None)


def _share(answers: Sequence[bool]) -> float | None:
    return sum(answers) / len(answers) if answers else None


def read_game(
    players: Sequence[str],
    questions: Sequence[Mapping[str, Any]],
    answers: Sequence[Mapping[str, Any]],
    rating: Rating = STANDARD,
) -> Game:
    """A game from the rows of its records, including those that it took over."""
    scores: dict[int, dict[str, Score]] = {}
    for row in answers:
        scores.setdefault(row["number"], {})[row["player"]] = Score(row["correct"], row["asked"])
    found = (msgspec.convert({**row, "round_number": row["round"]}, Question) for row in questions)
    return Game(players=tuple(players), questions=sorted(found, key=lambda q: q.number), scores=scores, rating=rating)


def _number(share: Fraction | None) -> float:
    return float("nan") if share is None else float(share)


def _mean(shares: Sequence[Fraction | None]) -> float:
    known = [share for share in shares if share is not None]
    return float(sum(known, Fraction(0)) / len(known)) if known else float("nan")


def _running(values: Sequence[float]) -> Floats:
    known = np.array(values, np.float64)
    count = np.cumsum(np.isfinite(known))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.cumsum(np.nan_to_num(known)) / np.where(count > 0, count, np.nan), np.float64)
