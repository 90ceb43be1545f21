"""The Token Games by other readings: simulated duels and tags, and histories of the scripted players' puzzles."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau

from antemill.engine.seeding import Stream
from antemill.tournament.duel.analysis.topics import LEAST, RARE, Tagged, corpus, profiles
from antemill.tournament.duel.bots import FAMILIES
from antemill.tournament.duel.history import past
from antemill.tournament.duel.rounds import Outcome, Turn
from antemill.tournament.statistics import elo
from antemill.tournament.statistics.bradley_terry import bradley_terry
from antemill.tournament.statistics.elo import on_scale
from benches.differences.page import percent, short
from benches.differences.readings import Floats

PLAYERS, ROUNDS, PUZZLES = 10, 10, 90
SOLVED = (66, 67, 63, 64, 69, 54, 58, 58, 57, 62)  # table 6
UNSOLVED = (9, 10, 11, 16, 10, 18, 16, 13, 17, 15)
TRIES, MALFORMED = 4, 0.1


def figures(worlds: int) -> dict[str, str]:
    """All figures of the section on The Token Games. worlds: simulated tournaments."""
    asked = f"{100.0 * MALFORMED**TRIES:.2f}%".lstrip("0")
    return _ratings(worlds) | _tags(worlds) | _history() | _trend() | {"format.asked": asked}


def _trend() -> dict[str, str]:
    """How much less the paper's solvers solve in the last turn than in the first, by its table 6, in points."""
    solved, tried = np.array(SOLVED), np.array(SOLVED) + np.array(UNSOLVED)
    share = 100.0 * solved / tried
    slope = float(np.polyfit(np.arange(1, 11), share, 1, w=np.sqrt(tried))[0])
    return {"trend.line": short(-9.0 * slope, 1), "trend.ends": short(float(share[0] - share[-1]), 1)}


def _ratings(worlds: int) -> dict[str, str]:
    """How often a player never loses a duel, where priors put that player, and how far duels and rounds order alike."""
    endless, agreement = 0, []
    tops: dict[str, list[float]] = {"draw": [], "normal": []}
    for seed in range(worlds):
        duels, rounds = _tournament(np.random.default_rng(seed))
        found = bradley_terry(duels)
        by_round = bradley_terry(rounds).strengths
        if not np.isfinite(found.strengths).all():
            endless += 1
            for prior, top in tops.items():
                level = bradley_terry(duels, prior).strengths
                top.append(float(np.ptp(on_scale(level, 0.0))))
        agreement.append(float(kendalltau(bradley_terry(duels, "normal").strengths, by_round).statistic))
    spans = {f"prior.{name}": f"{np.median(top):,.0f}" if top else "nobody" for name, top in tops.items()}
    return (
        {"duels.worlds": str(worlds), "duels.endless": percent(endless / worlds)}
        | spans
        | {"duels.tau": short(float(np.mean(agreement)), 2)}
    )


def _tournament(random: np.random.Generator) -> tuple[Floats, Floats]:
    """Wins of duels and of rounds, float64[players, players], of all ordered pairs.

    The odds of a round follow from strengths of both roles, and are about those of the paper's table 1: most puzzles
    are solved, one in six is wrong.
    """
    solving, proposing = random.normal(0.0, 1.2, PLAYERS), random.normal(0.0, 0.8, PLAYERS)
    a, b = np.array([(i, j) for i in range(PLAYERS) for j in range(PLAYERS) if i != j]).T
    scores = np.zeros((2, len(a)))
    rounds = np.zeros((PLAYERS, PLAYERS))
    for turn in range(ROUNDS):
        proposer, solver = (a, b) if turn % 2 == 0 else (b, a)
        wrong = random.random(len(a)) < 1.0 / (1.0 + np.exp(1.8 + proposing[proposer]))
        stumped = random.random(len(a)) < 1.0 / (1.0 + np.exp(2.0 + solving[solver] - proposing[proposer]))
        for k in range(len(a)):
            outcome = elo.PENALTY if wrong[k] else elo.UNSOLVED if stumped[k] else elo.SOLVED
            winner, loser = (proposer[k], solver[k]) if outcome == elo.UNSOLVED else (solver[k], proposer[k])
            rounds[winner, loser] += 1.0
            if outcome != elo.SOLVED:
                scores[0 if winner == a[k] else 1, k] += 1.0
    return elo.duel_wins(PLAYERS, a, b, scores[0], scores[1]), rounds


def _tags(worlds: int) -> dict[str, str]:
    """Tags by Zipf's law, a third of them each proposer's own: what is distinctive without a least number, and rare."""
    few: list[bool] = []
    rare, rarer = [], []
    for seed in range(worlds):
        random = np.random.default_rng(seed)
        drawn = [_tagged(random, proposer, k) for proposer in range(PLAYERS) for k in range(PUZZLES)]
        found = [profile.distinctive for profile in profiles(drawn, least=1)]
        few += [use is not None and use.count < LEAST for use in found]
        counted = corpus(drawn)
        rare.append(counted.rare / counted.tags)
        rarer.append(sum(count < RARE for count in counted.counts.values()) / counted.tags)
    return {
        "tags.few": percent(float(np.mean(few))),
        "tags.rare": percent(float(np.mean(rare))),
        "tags.rarer": percent(float(np.mean(rarer))),
    }


def _tagged(random: np.random.Generator, proposer: int, number: int) -> Tagged:
    tags = set()
    for _ in range(5):
        tag = int(random.zipf(1.5)) % 400
        tags.add(f"p{proposer}-{tag}" if random.random() < 0.33 else f"t{tag}")
    return Tagged(puzzle=f"{proposer}-{number}", proposer=f"p{proposer}", tags=frozenset(tags))


def _history() -> dict[str, str]:
    """What of a proposer's history are its own attempts, in a duel over the scripted players' puzzles."""
    turns = [_turn(number, Stream(number)) for number in range(1, ROUNDS + 1)]
    with_them, without = (len(past(turns, 0, attempts)) for attempts in (True, False))
    return {"history.attempts": percent(1.0 - without / with_them)}


def _turn(number: int, dice: Stream) -> Turn:
    family = FAMILIES[number % len(FAMILIES)]
    values = family.draw(dice)
    solution = family.solve({name: str(value) for name, value in values.items()})
    return Turn(
        number=number,
        proposer=(number + 1) % 2,
        puzzle=family.shape.write(values),
        solution=solution,
        explanation="",
        attempt=solution,
        outcome=Outcome.SOLVED,
    )


def puzzles(count: int) -> list[str]:
    """Source of puzzles of the scripted players, the families in turn."""
    families = [FAMILIES[number % len(FAMILIES)] for number in range(count)]
    return [family.shape.write(family.draw(Stream(7, number))) for number, family in enumerate(families)]
