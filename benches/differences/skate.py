"""SKATE by other readings: exact probabilities, simulated answers, and programs of the scripted players."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import kendalltau, spearmanr

from antemill.tournament.embedding import TokenHash, pairwise
from antemill.tournament.skate.results import GOOD, clusters
from antemill.tournament.skate.sampling import STEP, THRESHOLD, Sampling, Score
from antemill.tournament.statistics import trueskill
from antemill.tournament.statistics.matches import Integers
from antemill.tournament.statistics.trueskill import RULES, Rating, Skills, matches_of, rate_matches, rate_questions
from benches.differences.duels import puzzles
from benches.differences.page import percent, short
from benches.differences.readings import Floats

PLAYERS, QUESTIONS, ORDERS = 6, 100, 10
MORE_DRAWS = 0.5  # another probability of draws
UNREAD = 0.05  # share of replies without a letter, of one player
HASHED = (  # programs whose output hangs on the hash seed
    "print({'a', 'b'})",
    "print({'north', 'south', 'east'})",
    "print(next(iter({'x', 'y', 'z'})))",
    "print(sorted({'b', 'a', 'c'}, key=hash))",
    "print(hash('answer') % 2)",
    "print(list({'red', 'green', 'blue', 'white'}))",
)
SEEDS = 40


def figures(worlds: int) -> dict[str, str]:
    """All figures of the section on SKATE. worlds: simulated games."""
    return _sampling() | _margins() | _games(worlds) | _hash_seeds() | _similar()


def _outcomes(sampling: Sampling, p: float) -> Counter[Score]:
    """The probability of every final score of a player who is right with probability p."""
    live: dict[Score, float] = {Score(): 1.0}
    done: Counter[Score] = Counter()
    batch = np.array([_binomial(sampling.step, k, p) for k in range(sampling.step + 1)])
    while live:
        after: Counter[Score] = Counter()
        for score, weight in live.items():
            for more, odds in enumerate(batch):
                after[Score(score.correct + more, score.asked + sampling.step)] += weight * odds
        done.update({score: weight for score, weight in after.items() if sampling.settled(score)})
        live = {score: weight for score, weight in after.items() if not sampling.settled(score)}
    return done


def _binomial(n: int, k: int, p: float) -> float:
    ways = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return float(ways * p**k * (1.0 - p) ** (n - k))


def _even() -> float:
    """How often a player who is right half of the time has exactly 50 of 100 right, with a deviation of exactly .05."""
    live: dict[Score, float] = {Score(): 1.0}
    batch = [_binomial(STEP, k, 0.5) for k in range(STEP + 1)]
    for _ in range(100 // STEP):
        after: dict[Score, float] = defaultdict(float)
        for score, weight in live.items():
            for more, odds in enumerate(batch):
                after[Score(score.correct + more, score.asked + STEP)] += weight * odds
        live = {score: weight for score, weight in after.items() if not Sampling().settled(score)}
    return live[Score(50, 100)]


def _sampling() -> dict[str, str]:
    """Variants asked, and the estimate's error, by step; players' probabilities are spread evenly."""
    found: dict[str, str] = {}
    for step in (5, STEP, 20):
        asked = error = 0.0
        grid = np.linspace(0.025, 0.975, 20)
        for p in grid:
            for score, weight in _outcomes(Sampling(step=step, least=step), float(p)).items():
                asked += weight * score.asked / len(grid)
                error += weight * (float(score.p) - float(p)) ** 2 / len(grid)
        found |= {f"step.asked_{step}": f"{asked:.0f}", f"step.error_{step}": short(error**0.5)}
    first = _outcomes(Sampling(), 0.95)
    more = _outcomes(Sampling(least=2 * STEP), 0.95)
    return found | {
        "even.reached": percent(_even()),
        "first.done": percent(first[Score(STEP, STEP)]),
        "first.done_20": percent(more[Score(2 * STEP, 2 * STEP)]),
    }


def _scores() -> list[Score]:
    """Every score that can stand."""
    return list(_outcomes(Sampling(), 0.5))


def _margins() -> dict[str, str]:
    """Pairs of possible scores that are told apart otherwise in floating point, and scores at exactly 11/20."""
    shares = sorted({score.p for score in _scores()})
    at = [(p, q) for p in shares for q in shares if p - q == THRESHOLD]
    drawn = sum(float(p) - float(q) < 0.05 for p, q in at)
    even = _outcomes(Sampling(), 0.55)
    passing = sum(weight for score, weight in even.items() if score.p == trueskill.PASS)
    return {"margin.pairs": str(len(at)), "margin.drawn": str(drawn), "pass.exactly": percent(passing)}


def _games(worlds: int) -> dict[str, str]:
    """Simulated games: orders of updates, whose last updates, and replies that cannot be read."""
    spread: list[float] = []
    absolute_spread: list[float] = []
    own, unread, order = [], [], []
    by_round, wider, drawn, ties, figures_of = [], [], [], [], []
    for seed in range(worlds):
        random = np.random.default_rng(seed)
        skill, hard = np.sort(random.normal(0.0, 0.8, PLAYERS)), random.normal(0.0, 1.5, QUESTIONS)
        chance = 1.0 / (1.0 + np.exp(hard[:, None] - skill))
        shares = [[_answered(float(p), random) for p in row] for row in chance]
        for rule, found in (("relative", spread), ("absolute", absolute_spread)):
            ratings = [_rated([shares[i] for i in random.permutation(QUESTIONS)], rule) for _ in range(ORDERS)]
            found.append(float(np.ptp(ratings, axis=0).mean()))
        skills = rate_questions(shares, PLAYERS, RULES["relative"])
        ours = skills.average()[:, 0]
        mine = _own_average(skills)
        own.append(float(np.abs(mine - ours).max()))
        order.append(float(kendalltau(mine, ours).statistic))
        rounds = rate_matches(matches_of(_grouped(shares), PLAYERS, RULES["relative"]), PLAYERS).average()
        by_round.append(float(kendalltau(rounds[:, 0], ours).statistic))
        wider.append(float((rounds[:, 1] / skills.average()[:, 1]).mean()))
        other = rate_questions(shares, PLAYERS, RULES["relative"], Rating(draw=MORE_DRAWS)).average()[:, 0]
        drawn.append(float(np.ptp(other) / np.ptp(ours)))
        ties.append(_ties(shares))
        figures_of.append(_setters(shares))
        hurt = [[p * (1 - Fraction(UNREAD)) if k == PLAYERS - 1 else p for k, p in enumerate(row)] for row in shares]
        unread.append(float(ours[-1] - _rated(hurt, "relative")[-1]))
    return {
        "skate.worlds": str(worlds),
        "order.relative": short(float(np.mean(spread)), 1),
        "order.absolute": short(float(np.mean(absolute_spread)), 1),
        "last.most": short(float(np.mean(own)), 2),
        "last.tau": short(float(np.mean(order)), 2),
        "update.tau": short(float(np.mean(by_round)), 2),
        "update.sigma": short(float(np.mean(wider)), 1),
        "draws.more": percent(MORE_DRAWS),
        "draws.span": short(float(np.mean(drawn)), 2),
        "draws.share": percent(float(np.mean(ties))),
        "filter.setter": short(float(np.mean([one[0] for one in figures_of])), 2),
        "filter.answering": short(float(np.mean([one[1] for one in figures_of])), 2),
        "variance.rank": short(float(np.mean([one[2] for one in figures_of])), 2),
        "unread.loss": short(float(np.mean(unread)), 1),
    }


def _grouped(shares: list[list[Fraction]]) -> list[list[list[Fraction]]]:
    """The questions by round, one of each player's in each."""
    return [shares[first : first + PLAYERS] for first in range(0, QUESTIONS, PLAYERS)]


def _setters(shares: list[list[Fraction]]) -> tuple[float, float, float]:
    """Players set the questions in turn, without any preference. How much figure 5b's diagonal is above its other cells
    if questions are kept by the setter's score, and if by the answering player's; and the rank correlation of the
    variance of a question's scores with that without the setter's.
    """
    table = np.array(shares, np.float64)
    setter = np.arange(QUESTIONS) % PLAYERS
    others = [np.delete(row, i) for row, i in zip(table, setter, strict=True)]
    rank = float(spearmanr(table.var(axis=1), [row.var() for row in others]).statistic)
    return _diagonal(table, setter, by_setter=True), _diagonal(table, setter, by_setter=False), rank


def _diagonal(table: Floats, setter: Integers, by_setter: bool) -> float:
    """The mean of a player's gaps on its own questions less that on the others'."""
    gaps = np.full((PLAYERS, PLAYERS), np.nan)
    for i in range(PLAYERS):
        for j in range(PLAYERS):
            rows = (setter == i) & (table[:, i if by_setter else j] > float(GOOD))
            if rows.any():
                gaps[i, j] = table[rows, j].mean() - np.delete(table[rows], j, axis=1).mean()
    own = np.eye(PLAYERS, dtype=bool)
    return float(np.nanmean(gaps[own]) - np.nanmean(gaps[~own]))


def _ties(shares: list[list[Fraction]]) -> float:
    """The share of draws among all pairs' matches."""
    outcomes = [outcome for _, _, outcome in matches_of([[row] for row in shares], PLAYERS, RULES["relative"])]
    return outcomes.count(0) / len(outcomes)


def _answered(p: float, random: np.random.Generator) -> Fraction:
    sampling, score = Sampling(), Score()
    while due := sampling.due(score):
        score = Score(score.correct + int(random.binomial(due, p)), score.asked + due)
    return score.p


def _rated(shares: list[list[Fraction]], rule: str) -> Floats:
    return rate_questions(shares, PLAYERS, RULES[rule]).average()[:, 0]


def _own_average(skills: Skills) -> Floats:
    """Means of mu over the last updates in which each player took part."""
    moved = np.diff(skills.sigma, axis=0) != 0.0
    rows = [np.flatnonzero(moved[:, k])[-trueskill.LAST_UPDATES :] + 1 for k in range(PLAYERS)]
    return np.array([skills.mu[some, k].mean() for k, some in enumerate(rows)])


def _hash_seeds() -> dict[str, str]:
    """How often programs that hang on the hash seed print the same in two runs with the same, or with other ones."""
    same = []
    for code in HASHED:
        printed = Counter(_printed(code, seed) for seed in range(1, SEEDS + 1))
        same.append(sum(n * (n - 1) for n in printed.values()) / (SEEDS * (SEEDS - 1)))
    return {"hash.programs": str(len(HASHED)), "hash.same": percent(float(np.mean(same)))}


def _printed(code: str, seed: int) -> str:
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _similar() -> dict[str, str]:
    """Programs of two puzzles each: clusters by linkage, and who is refused by other sets of earlier questions."""
    each = PLAYERS * 20
    parts, random = puzzles(2 * each), np.random.default_rng(0)
    first, second = random.permutation(2 * each).reshape(2, each)
    some = [f"{parts[i]}\n\n{parts[j]}" for i, j in zip(first, second, strict=True)]
    vectors = asyncio.run(TokenHash().embed(some))
    cut = TokenHash.threshold
    apart = pairwise(vectors)
    labels = {
        "average": clusters(vectors, cut),
        "single": fcluster(linkage(apart, "single"), cut, "distance"),
        "complete": fcluster(linkage(apart, "complete"), cut, "distance"),
    }
    found: dict[str, str] = {}
    for name, label in labels.items():
        found |= {f"linkage.{name}": str(len(set(label.tolist())))}
        found |= {f"linkage.{name}_most": str(np.bincount(label).max())}
    return found | {
        "unique.programs": str(len(some)),
        "unique.own": percent(_refused(vectors, True)),
        "unique.all": percent(_refused(vectors, False)),
    }


def _refused(vectors: Floats, own: bool) -> float:
    """The share of questions nearer than the threshold to an accepted one, of the setter's own or of any setter's."""
    accepted: list[int] = []
    refused = 0
    setter = np.random.default_rng(0).integers(0, PLAYERS, len(vectors))
    for k, vector in enumerate(vectors):
        others = [i for i in accepted if not own or setter[i] == setter[k]]
        if others and 1.0 - float((vectors[others] @ vector).max()) <= TokenHash.threshold:
            refused += 1
        else:
            accepted.append(k)
    return refused / len(vectors)
