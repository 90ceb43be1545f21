"""What thinking is worth: whether the interval of the ablation holds, by number of games and shape of the margins."""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.ablation import effect, siblings
from tests.tournament.statistics.planted import SHAPES, shaped

WORLDS, REPLICATES = 400, 400
DELTA, ROUGH = 0.4, 0.5  # chips a match: the mean effect, and the deviation of games around it
RUNS = 10  # of each variant against each anchor on each game, in each seat
ANCHORS = ("a", "b")
CASES = (("", 4), ("", 10), ("", 20), ("", 50), *((shape, 20) for shape in SHAPES))  # shape of margins, games


def effect_world(shape: str, games: int, seed: int) -> tuple[bool, bool]:
    """Whether a world's intervals hold the mean effect over games like these: the paper's and ours."""
    game, deck, alice, bob, margin = matches(shape, games, seed)
    pairs = siblings(game, deck.tolist(), alice.tolist(), bob.tolist(), margin, "high", "low")
    found = effect(pairs.game, pairs.difference, REPLICATES, seed)
    return found.low <= DELTA <= found.high, bool(found.student.low <= DELTA <= found.student.high)


def matches(shape: str, games: int, seed: int) -> tuple[np.ndarray, ...]:
    """Columns game, deck, Alice, Bob, margin: both variants meet the anchors with the same cards in both seats."""
    random = np.random.default_rng(seed)
    game, deck, anchor, seat, variant = (axis.ravel() for axis in np.indices((games, RUNS, len(ANCHORS), 2, 2)))
    cards = 3.0 * random.normal(size=(games, RUNS, len(ANCHORS)))[game, deck, anchor]
    effects = DELTA + ROUGH * random.normal(size=games)
    level = np.where(variant == 1, effects[game], 0.0) + 0.2 * anchor
    sign = np.where(seat == 0, 1.0, -1.0)
    mean = sign * level
    margin = mean + cards + 2.0 * random.normal(size=len(game))
    if shape:
        margin = shaped(shape, margin, mean, sign, random)
    mine, other = np.array(["low", "high"])[variant], np.array(ANCHORS)[anchor]
    alice, bob = np.where(seat == 0, mine, other), np.where(seat == 0, other, mine)
    return game, deck + RUNS * anchor, alice, bob, margin


def effect_lines(worlds: int = WORLDS) -> dict[str, dict[str, float]]:
    """The lines of the table, by name. They take some seconds, and are not kept."""
    found: dict[str, dict[str, float]] = {}
    for shape, games in CASES:
        paper, ours = np.mean([effect_world(shape, games, seed) for seed in range(worlds)], axis=0)
        name = f"thinking, {games} games{', ' if shape else ''}{shape}"
        found[name] = {"effect, paper": float(paper), "effect": float(ours)}
    return found
