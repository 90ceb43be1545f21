"""A player against a solved policy: the baseline of GENSTRAT's appendix K (N13).

Matches come in pairs: both have one play seed, so the same cards, and the players swap seats (N1). A pair's two margins
are averaged, and the figure for a game is the mean over pairs, plus or minus the standard error of that mean: the
standard deviation of the pairs' means over the root of their number. The paper does not say which standard deviation;
it is the one of a sample here (n - 1).

With AIVAT the same figures are also computed from estimates without luck (`antemill.solver.evaluation.aivat_tree`),
which need fewer matches for the same precision.

A margin is the player's chips minus the solver's at the end, as everywhere in the statistics: twice what the player has
won.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program
from antemill.engine.match import Game, Match, Transcript
from antemill.engine.seeding import derive
from antemill.solver.evaluation.transcripts import TREE_LIMIT, Aivat, aivat, aivat_for
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.tournament.players import Player, make_bot, play
from antemill.tournament.players.registry import BEST
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.players.solver_players import best_player

_MASK = (1 << 63) - 1


class MatchResult(Struct, frozen=True):
    """One match of a player against the policy."""

    run: int  # number of the pair
    play_seed: int
    seat: int  # where the player sat
    margin: float  # chips
    estimate: float | None = None  # AIVAT's, of the margin


class Pair(Struct, frozen=True):
    """Two matches with the same cards."""

    run: int
    play_seed: int
    as_alice: float | None  # None where the match is missing
    as_bob: float | None
    mean: float


class Edge(Struct, frozen=True):
    """Mean chips per match, and the standard error over pairs; None where there is only one."""

    mean: float
    error: float | None
    pairs: int
    matches: int


class Comparison(Struct, frozen=True):
    """The result of one game. solution: the facts about the policy; estimated, method: with AIVAT."""

    solution: Solution
    pairs: list[Pair]
    raw: Edge
    estimated: Edge | None
    method: str | None

    @property
    def ratio(self) -> float | None:
        """The variance with AIVAT, divided by the variance without."""
        return None if self.estimated is None else variance_ratio(self.raw, self.estimated)


def compare_game(
    seed: int,
    program: Program,
    player: str,
    known: SavedPolicy | None,
    against: SavedPolicy,
    count: int,
    aivat: bool,
    limit: int = TREE_LIMIT,
    after: Callable[[Match], object] = lambda _match: None,
) -> Comparison:
    """Play a game with `count` play seeds, both seats each; runs in a worker.

    player: a bot's name, "best" for a response to the policy, or the path of a policy, which is `known` then. limit:
    nodes of the tree for AIVAT at most. after: each match.
    """
    game = Game(program)
    solver = SolvedPlayer("solved", against, game)
    first = _player(player, known, game, solver)
    method = aivat_for(program, against.table, limit) if aivat else None
    slots = play_pairs(
        game, first, solver, play_seeds(game.digest, first.name, solver.name, count, seed), method, after
    )
    estimated = None if method is None else edge(slots, estimate_of)
    kind = None if method is None else method.kind
    return Comparison(against.solution, pairs_of(slots), edge(slots), estimated, kind)


def _player(name: str, known: SavedPolicy | None, game: Game, solver: Player) -> Player:
    if known is not None:
        return SolvedPlayer(Path(name).stem, known, game)
    return best_player(game, solver, 0, 1) if name == BEST else make_bot(name, game)


def play_seeds(digest: str, player: str, against: str, count: int, seed: int = 0) -> list[int]:
    """The play seeds of `count` runs: a hash of the game, the run and the matchup (N1), and of `seed`."""
    if count < 1:
        raise UsageError(f"the number of pairs is {count}: give at least 1.")
    matchup = int.from_bytes(blake2b(f"{player}\0{against}".encode(), digest_size=8).digest(), "big")
    return [derive(seed, int(digest[:16], 16), run, matchup) & _MASK for run in range(count)]


def play_pairs(
    game: Game,
    player: Player,
    solver: Player,
    seeds: Iterable[int],
    method: Aivat | None = None,
    after: Callable[[Match], object] = lambda _match: None,
) -> list[MatchResult]:
    """Play both seat assignments with each play seed. method: of AIVAT, if estimates are wanted. after: each match."""
    slots = []
    for run, seed in enumerate(seeds):
        for seat in (0, 1):
            seats = (player, solver) if seat == 0 else (solver, player)
            match = Match(game, seed, (seats[0].name, seats[1].name))
            payoffs = play(match, *seats).payoffs
            estimate = None if method is None else corrected(method, game, match.transcript(), seat)
            slots.append(MatchResult(run, seed, seat, float(payoffs[seat] - payoffs[1 - seat]), estimate))
            after(match)
    return slots


def corrected(method: Aivat, game: Game, transcript: Transcript, seat: int) -> float:
    """AIVAT's estimate of the margin of `seat` against the known policy of the other seat."""
    alice = 2.0 * aivat(method, game, 1 - seat, transcript)
    return alice if seat == 0 else -alice


# ------------------------------------------------------------------------------------------ figures


def margin_of(slot: MatchResult) -> float:
    """The margin as it was played."""
    return slot.margin


def estimate_of(slot: MatchResult) -> float:
    """AIVAT's estimate of the margin. Raises UsageError if there is none."""
    if slot.estimate is None:
        raise UsageError("these matches were played without AIVAT: play them with AIVAT.")
    return slot.estimate


def pairs_of(slots: Iterable[MatchResult], figure: Callable[[MatchResult], float] = margin_of) -> list[Pair]:
    """The pairs by run. If a match is missing (it failed and was not played again), its pair has only the other one."""
    pairs = []
    for run, group in groupby(sorted(slots, key=lambda slot: (slot.run, slot.seat)), key=lambda slot: slot.run):
        found = list(group)
        by_seat = {slot.seat: figure(slot) for slot in found}
        if len(by_seat) < len(found) or len({slot.play_seed for slot in found}) > 1:
            raise UsageError(f"run {run} is not one pair of matches with the same play seed: number the runs apart.")
        mean = sum(by_seat.values()) / len(by_seat)
        pairs.append(Pair(run, found[0].play_seed, by_seat.get(0), by_seat.get(1), mean))
    return pairs


def edge(slots: Iterable[MatchResult], figure: Callable[[MatchResult], float] = margin_of) -> Edge:
    """The player's edge in one game. Raises UsageError without a match."""
    pairs = pairs_of(slots, figure)
    if not pairs:
        raise UsageError("there is no match to average: play at least one.")
    means = [pair.mean for pair in pairs]
    matches = sum((pair.as_alice is not None) + (pair.as_bob is not None) for pair in pairs)
    return Edge(math.fsum(means) / len(means), standard_error(means), len(pairs), matches)


def standard_error(values: list[float]) -> float | None:
    """Of the mean: the sample's standard deviation over the root of its size; None for fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)


def average(edges: Iterable[Edge]) -> Edge:
    """The mean over games, all counting alike, as in the paper's last column; their errors are independent."""
    found = list(edges)
    errors = [each.error for each in found if each.error is not None]
    error = math.sqrt(math.fsum(x * x for x in errors)) / len(found) if len(errors) == len(found) else None
    mean = math.fsum(each.mean for each in found) / len(found)
    return Edge(mean, error, sum(each.pairs for each in found), sum(each.matches for each in found))


def variance_ratio(raw: Edge, estimated: Edge) -> float | None:
    """AIVAT's variance over the raw one: the share of the matches that gives the same precision."""
    if not raw.error or estimated.error is None:
        return None
    return (estimated.error / raw.error) ** 2
