"""What the accepted games of a range of seeds are like: `python -m benches.population 0:3000`.

Draws, checks, gates and scores as `antemill run` does, in one process and without files, and selects fifty games. The
targets follow from what GENSTRAT says of its pool and its fifty games, and from what a population is for: the gate must
not drive out what the generator draws.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.axes import AXES
from antemill.axes.pool_stats import pool_stats
from antemill.axes.select import farthest_points
from antemill.engine.builder.caps import BENCHMARK_CAPS
from antemill.engine.builder.generate import default_complexity, generate
from antemill.engine.builder.sizes import sizes
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import Gate, gate
from antemill.engine.machine.program import Program
from antemill.engine.rules.constructs import CONSTRUCTS, constructs
from antemill.engine.rules.same import canonical_digest
from antemill.engine.text.rulebook import rulebook
from antemill.tournament.pool.work import score_game

LEAST_SHARE = 0.01  # of every construct among the accepted games
TENTHS = 10


class Candidate(NamedTuple):
    """A drawn game and what the gate says of it."""

    seed: int
    complexity: float
    parts: frozenset[str]
    verdict: Gate
    exceeded: tuple[str, ...]  # caps
    rulebook: int  # characters; 0 if the gate rejects it
    program: Program
    digest: str  # what repeats share; "" if the gate rejects it
    repeat: bool = False  # of an accepted game of a lower seed

    @property
    def accepted(self) -> bool:
        """Whether a pool keeps it."""
        return self.verdict.accepted and not self.repeat


class Target(NamedTuple):
    """A figure with the range that it should be in."""

    name: str
    value: float
    low: float
    high: float

    @property
    def met(self) -> bool:
        """Whether the figure is in its range."""
        return self.low <= self.value <= self.high


def draw(seeds: Sequence[int]) -> list[Candidate]:
    """The candidates of these seeds, in ascending order."""
    seen, found = {""}, []
    for seed in seeds:
        one = _candidate(seed)
        found.append(one._replace(repeat=one.verdict.accepted and one.digest in seen))
        seen.add(one.digest)
    return found


def _candidate(seed: int) -> Candidate:
    spec = generate(seed)
    program = compile_spec(spec)
    verdict = gate(program, seed)
    length, digest = (len(rulebook(spec)), canonical_digest(spec)) if verdict.accepted else (0, "")
    over = tuple(cap for cap, size in sizes(spec).items() if size > getattr(BENCHMARK_CAPS, cap))
    return Candidate(seed, default_complexity(seed), constructs(spec), verdict, over, length, program, digest)


def _percentile(lengths: Sequence[int], percent: float) -> int:
    return round(float(np.percentile(lengths, percent)))


def share(games: Sequence[Candidate], part: str) -> float:
    """The share of the games that have the construct; 0 of none."""
    return sum(part in game.parts for game in games) / max(len(games), 1)


def shares_by_complexity(games: Sequence[Candidate], part: str) -> list[float]:
    """The share in every tenth of the complexity range; nan where there is no game."""
    tenths: list[list[Candidate]] = [[] for _ in range(TENTHS)]
    for game in games:
        tenths[min(int(game.complexity * TENTHS), TENTHS - 1)].append(game)
    return [share(tenth, part) if tenth else float("nan") for tenth in tenths]


def composition(candidates: Sequence[Candidate]) -> list[Target]:
    """What the games are made of."""
    accepted = [game for game in candidates if game.accepted]
    betting = share(accepted, "betting")
    apart = max(abs(tenth - betting) for tenth in shares_by_complexity(accepted, "betting") if tenth == tenth)
    drawn = [part for part in CONSTRUCTS if share(candidates, part)]
    rarest = min(drawn, key=lambda part: share(accepted, part))
    free, capped = share(accepted, "variable_betting"), share(accepted, "variable_betting_cap")
    lengths = [game.rulebook for game in accepted]
    return [
        Target("accepted", len(accepted) / len(candidates), 0.12, 0.22),
        Target("betting", betting, 0.85, 0.99),
        Target("betting, furthest tenth of complexity", apart, 0.0, 0.10),
        Target("betting_loop", share(accepted, "betting_loop"), 0.30, 1.0),
        Target(f"rarest construct ({rarest})", share(accepted, rarest), LEAST_SHARE, 1.0),
        Target("candidates that exceed a cap", sum(bool(game.exceeded) for game in candidates), 0, 0),
        Target("games with a cap among those with free wagers", capped / max(free, 1e-9), 0.0, 0.4),
        # Where the shortest and longest of fifty lie. The paper's have 8,600 to 39,000 characters, three quarters of
        # that in our words.
        Target("2nd percentile of rulebooks", _percentile(lengths, 2), 4_500, 7_000),
        Target("98th percentile of rulebooks", _percentile(lengths, 98), 24_000, 34_000),
    ]


def difficulty(points: npt.NDArray[np.float64], fifty: npt.NDArray[np.float64]) -> list[Target]:
    """Where they lie: float64[games, axes] of the accepted games (fast tier) and of the selected (precise tier)."""
    pool, chosen = pool_stats(points), pool_stats(fifty)
    columns = dict(zip(AXES, points.T, strict=True))
    correlated = np.abs(np.array(pool.correlation) - np.eye(len(AXES))).max()
    targets = [
        Target("fewest information states of the fifty", 10 ** chosen.axes["state_space"].min, 15, 24),
        Target("most information states of the fifty", 10 ** chosen.axes["state_space"].max, 10_000, 16_000),
        Target("temporal depth, least", pool.axes["temporal_depth"].min, 0.0, 0.01),
        Target("temporal depth, median of the fifty", chosen.axes["temporal_depth"].median, 0.07, 0.16),
        Target("temporal depth, median", pool.axes["temporal_depth"].median, 0.07, 0.16),
        Target("temporal depth, most", pool.axes["temporal_depth"].max, 0.5, 2.0),
        Target("largest variance inflation", max(pool.vif.values()), 1.0, 5.0),
        Target("largest variance inflation of the fifty", max(chosen.vif.values()), 1.0, 5.0),
        Target("largest correlation", float(correlated), 0.0, 0.8),
    ]
    for axis in ("risk", "brittleness"):
        low, high = np.percentile(columns[axis], (10, 90))
        low, high = (10**low, 10**high) if axis == "brittleness" else (max(low, 0.01), high)
        targets.append(Target(f"{AXES[axis].label}, 90th percentile over the 10th", high / low, 5.0, 1e9))
    for axis in ("information_sensitivity", "opponent_modeling"):
        targets.append(Target(f"{AXES[axis].label}, least", pool.axes[axis].min, 0.0, 0.1))
        targets.append(Target(f"{AXES[axis].label}, most", pool.axes[axis].max, 0.6, 1.0))
    return targets


def scores(games: Sequence[Candidate], tier: str) -> npt.NDArray[np.float64]:
    """float64[games, axes]."""
    found = [score_game(game.program, tier) for game in games]
    return np.array([[one[axis] for axis in AXES] for one in found], np.float64).reshape(len(games), len(AXES))


def print_targets(targets: Sequence[Target], say: Callable[[str], None] = print) -> None:
    """A line each."""
    for target in targets:
        verdict = "met" if target.met else "MISSED"
        say(f"{target.name:52}{target.value:12.4g}   {target.low:g} to {target.high:g}   {verdict}")


def print_details(candidates: Sequence[Candidate]) -> None:
    """What helps to tune: acceptance and composition by complexity, rejections, rare constructs, other readings."""
    accepted = [game for game in candidates if game.accepted]
    for name, games in (("candidates", candidates), ("accepted", accepted)):
        for part in ("betting", "betting_loop"):
            print(f"{name}, {part}:", *(f"{value:.2f}" for value in shares_by_complexity(games, part)))
    counts = Counter(min(int(game.complexity * TENTHS), TENTHS - 1) for game in candidates)
    kept = Counter(min(int(game.complexity * TENTHS), TENTHS - 1) for game in accepted)
    print("accepted by complexity:", *(f"{kept[tenth] / max(counts[tenth], 1):.2f}" for tenth in range(TENTHS)))
    print("broken rules:", dict(Counter(reason for game in candidates for reason in game.verdict.broken)))
    print("exceeded caps:", dict(Counter(cap for game in candidates for cap in game.exceeded)))
    print("by reading:", dict(Counter(reading for game in candidates for reading in game.verdict.accepted_by)))
    rare = sorted((share(accepted, part), share(candidates, part), part) for part in CONSTRUCTS)[:14]
    print("rarest:", "; ".join(f"{part} {100 * mine:.1f}% of {100 * all_:.1f}%" for mine, all_, part in rare))


def main(text: str) -> int:
    """Print the targets for the seeds A:B; 1 if one is missed."""
    first, stop = map(int, text.split(":"))
    candidates = draw(range(first, stop))
    accepted = [game for game in candidates if game.accepted]
    points = scores(accepted, "fast")
    chosen = farthest_points(points, min(50, len(accepted)), np.array([game.seed for game in accepted]))
    targets = composition(candidates) + difficulty(points, scores([accepted[i] for i in chosen], "precise"))
    print(f"{len(candidates):,} seeds, {len(accepted):,} accepted")
    print_targets(targets)
    print_details(candidates)
    return 0 if all(target.met for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
