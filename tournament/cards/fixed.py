"""Schedules that know all their slots from the start.

round-robin  every pair of players in every game
rotating     in every game a ring of all players, so that each has two neighbours and the game's pairings are connected
             (N2, and N4 needs it); the rings rotate so that over the games all pairs meet about equally often.
             More than two opponents: the least used pairs are added. The paper does not say how it chose its subset.
ablation     siblings against anchors: both have the same cards against the same anchor (N14)

All runs of number 0 come first, then those of number 1, ...: a tournament that is stopped half-way is balanced. The
runs of the ablation have numbers of their own, from a million on: statistics cluster matches by pair, game and run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from antemill.engine.seeding import Stream
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.slots import Slot, play_seed, seatings
from antemill.tournament.runs import Record

Pair = tuple[str, str]
_RINGS = 64  # drawn for each game; the one whose pairs were used least is taken
_ABLATION_RUNS = 1_000_000


class FixedSchedule:
    """A schedule that is known from the start."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        self._slots = slots

    @property
    def total(self) -> int:
        """How many slots there are."""
        return len(self._slots)

    def next_slots(self, finished: Sequence[Record]) -> Sequence[Slot]:
        """All of them, once."""
        return () if finished else self._slots


def round_robin(config: CardConfig, seeds: Mapping[str, int]) -> FixedSchedule:
    """Every pair in every game."""
    pairs = list(combinations(config.players, 2))
    return _fixed(config, seeds, dict.fromkeys(seeds, pairs))


def rotating(config: CardConfig, seeds: Mapping[str, int]) -> FixedSchedule:
    """Some pairs in every game."""
    table = config.tournament
    return _fixed(config, seeds, rotating_pairs(list(config.players), list(seeds), table.opponents, table.seed))


def unplanned(_config: CardConfig, _seeds: Mapping[str, int]) -> FixedSchedule:
    """No slots: `antemill play` adds them one by one."""
    return FixedSchedule(())


def ablation_only(config: CardConfig, seeds: Mapping[str, int]) -> FixedSchedule:
    """The slots of the thinking ablation alone, without a main schedule."""
    return _fixed(config, seeds, {})


def _fixed(config: CardConfig, seeds: Mapping[str, int], pairs: Mapping[str, Sequence[Pair]]) -> FixedSchedule:
    return FixedSchedule([*_main(config, seeds, pairs), *siblings(config, seeds)])


def _main(config: CardConfig, seeds: Mapping[str, int], pairs: Mapping[str, Sequence[Pair]]) -> Iterator[Slot]:
    table = config.tournament
    for run in range(table.matches_per_seat):
        for game, chosen in pairs.items():
            for pair in chosen:
                matchup = "" if table.play_seed == "game" else "\n".join(sorted(pair))
                yield from seatings(game, run, *pair, play_seed(seeds[game], run, matchup, table.seed))


def siblings(config: CardConfig, seeds: Mapping[str, int]) -> Iterator[Slot]:
    """The thinking ablation: both siblings against each anchor, with the same play seed; never against themselves."""
    if config.ablation is None:
        return
    for run in range(config.ablation.matches_per_seat):
        for game in seeds:
            for number, (low, high) in enumerate(config.ablation.pairs, 1):
                for anchor in config.ablation.anchors:
                    if anchor in (low, high):
                        continue
                    family = f"{low} {high} {anchor}"
                    seed = play_seed(seeds[game], run, f"ablation\n{family}", config.tournament.seed)
                    for sibling in (low, high):
                        yield from seatings(game, number * _ABLATION_RUNS + run, sibling, anchor, seed, family)


def rotating_pairs(players: Sequence[str], games: Sequence[str], opponents: int, seed: int) -> dict[str, list[Pair]]:
    """For each game the pairs that play it: every player has at least `opponents` opponents, or all others."""
    rank = {player: i for i, player in enumerate(players)}
    used: Counter[Pair] = Counter()
    found = {}
    for number, game in enumerate(games):
        stream = Stream(seed, number)
        rings = [_ring(stream.sample(players, len(players)), rank) for _ in range(_RINGS)]
        chosen = set(min(rings, key=lambda ring: sum(used[pair] ** 2 for pair in ring)))
        _add_opponents(chosen, players, opponents, used, stream)
        used.update(chosen)
        found[game] = sorted(chosen, key=lambda pair: (rank[pair[0]], rank[pair[1]]))
    return found


def _ring(order: Sequence[str], rank: Mapping[str, int]) -> list[Pair]:
    """The neighbours in a ring of players; of two players the one pair."""
    ring = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in pairwise([*order, order[0]])]
    return sorted(set(ring))


def _add_opponents(
    chosen: set[Pair], players: Sequence[str], opponents: int, used: Mapping[Pair, int], stream: Stream
) -> None:
    """Add the least used pairs of those who lack opponents."""
    wanted = min(opponents, len(players) - 1)
    met = Counter(player for pair in chosen for player in pair)
    while lacking := [player for player in players if met[player] < wanted]:
        free = [pair for pair in combinations(players, 2) if pair not in chosen and set(pair) & set(lacking)]
        fewest = min((used[pair], -len(set(pair) & set(lacking))) for pair in free)
        best = [pair for pair in free if (used[pair], -len(set(pair) & set(lacking))) == fewest]
        pair = stream.choice(best)
        chosen.add(pair)
        met.update(pair)
