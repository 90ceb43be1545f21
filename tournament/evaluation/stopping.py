"""Evaluations with a precision: each player plays on until its loss is known as well as asked.

A player first plays `matches_per_seat` pairs of matches in each game. Then the rule looks at the interval of its mean
loss in these games. If it is too wide, the player gets as many more pairs in each game as the interval's width asks
for if the noise stays what it is, at least a quarter and at most as many as it has, and the rule looks again. Few looks
keep the error of stopping small (docs/statistics.md). Every player has the cards of the others, as far as it plays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from antemill.tournament import head_to_head as pairs
from antemill.tournament.cards.forms import Met, over_forms
from antemill.tournament.cards.slots import Slot, play_seed, read_slot, seatings
from antemill.tournament.evaluation.config import EQUILIBRIUM, EvalConfig, EvalTable
from antemill.tournament.evaluation.losses import game_loss, suite_loss
from antemill.tournament.runs import Promise, Record
from antemill.tournament.statistics.losses import Loss

ESTIMATE = "estimate"  # in a match's row: AIVAT's estimate of the player's margin, chips
_LEAST, _MOST = 1.25, 2.0  # the number of pairs grows by a factor between these


class UntilPrecise:
    """`antemill.tournament.cards.schedule.Schedule`."""

    total = None

    def __init__(self, config: EvalConfig, seeds: Mapping[str, int]) -> None:
        self._config, self._table, self._seeds = config, config.eval, seeds

    def next_slots(self, finished: Sequence[Record]) -> list[Slot]:
        """The next pairs of the players whose loss is not known well enough."""
        if not finished:
            return self._pairs(self._config.players, range(self._table.matches_per_seat))
        return [slot for player in self._config.players for slot in self._more(player, finished)]

    def _more(self, player: str, finished: Sequence[Record]) -> list[Slot]:
        own = [record for record in finished if player in (record.item.data["alice"], record.item.data["bob"])]
        count = 1 + max(read_slot(record.item.data).run for record in own)
        done = [record for record in own if record.status == "done"]
        wanted = next_count(count, loss_of(player, done), self._table) if done else count
        return self._pairs([player], range(count, wanted))

    def _pairs(self, players: Iterable[str], runs: Iterable[int]) -> list[Slot]:
        return [slot for run in runs for slot in slots_of(self._config, self._seeds, run, players)]


def next_count(count: int, loss: Loss, table: EvalTable) -> int:
    """How many pairs a player that has played `count` in each game is to play in each; `count` if it is done."""
    assert table.precision is not None
    if loss.low is None or loss.high is None:
        return min(table.most_per_seat, 2 * count)
    half = (loss.high - loss.low) / 2
    if half <= table.precision:
        return count
    factor = min(_MOST, max(_LEAST, (half / table.precision) ** 2))
    return min(table.most_per_seat, math.ceil(count * factor))


def loss_of(player: str, done: Sequence[Record]) -> Loss:
    """A player's mean loss in these games, from the rows of its matches."""
    met: dict[str, list[Met]] = {}
    for record in done:
        slot, seat = read_slot(record.item.data), 0 if record.item.data["alice"] == player else 1
        margin, estimate = float(record.row["margin"]) * (1 - 2 * seat), record.row[ESTIMATE] / slot.scale
        result = pairs.MatchResult(slot.run, slot.play_seed, seat, margin, estimate)
        met.setdefault(slot.about, []).append(Met(slot.disguise, result))
    return suite_loss([game_loss(game, over_forms(matches), 1.0) for game, matches in met.items()]).chips


def slots_of(config: EvalConfig, seeds: Mapping[str, int], run: int, players: Iterable[str]) -> Iterator[Slot]:
    """A pair of each player in every game, with cards that depend on the game and the number of the pair alone."""
    for label, seed in seeds.items():
        cards = play_seed(seed, run, "", config.eval.seed)
        for player in players:
            yield from seatings(label, run, player, EQUILIBRIUM, cards)


class Foreknown(Struct, frozen=True):
    """What is known of an evaluation before it begins. nodes: of the largest tree. exploitability: of the equilibria at
    most, chips. least, most: matches of each player. precision: chips; None if no interval is asked for."""

    games: int
    nodes: int
    exploitability: float
    least: int
    most: int
    precision: float | None


def promised(table: EvalTable, games: int, nodes: int, forms: int) -> Promise:
    """What `--dry-run` says of the equilibria, without solving them, and of a precision.

    games: how many there are, as themselves. nodes: of the largest tree. forms: in which each game is played.
    """
    each, asked = 2 * games * forms, table.precision is not None
    found = Foreknown(
        games=games,
        nodes=nodes,
        exploitability=table.target,
        least=each * table.matches_per_seat,
        most=each * (table.most_per_seat if asked else table.matches_per_seat),
        precision=table.precision,
    )
    text = (
        f"When the run begins, each game is solved until a best response wins at most {found.exploitability:.1e} "
        f"chips. Games: {found.games}; nodes of the largest tree: {found.nodes:,}."
    )
    if asked:
        text += (
            f" Each player plays {found.least:,} matches, which are those counted here. It then goes on until its "
            f"loss is known to ±{found.precision:g} chips, up to {found.most:,} matches."
        )
    return Promise(found, text)
