"""How often each player's reply had no legal action, and why; what its model has cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from antemill.llm import Totals
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.cards.play import SIDES
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import Record

_NAMES = ("moves", "fallbacks", *CAUSES, "clamped", "second", "input_tokens", "output_tokens")
_KEYS = {side: [(name, f"{name}_{side}") for name in _NAMES] for side in SIDES}  # of a row


class FallbackRates(Struct, frozen=True):
    """Of one player. move_rate: share of moves that were fallbacks; slot_rate: share of slots with at least one; None
    without any. causes: fallbacks by cause. second: moves that took a second try. tokens: read and
    written."""

    player: str
    slots: int
    moves: int
    fallbacks: int
    move_rate: float | None
    slot_rate: float | None
    causes: dict[str, int]
    clamped: int
    second: int
    cost: float
    tokens: tuple[int, int]


class ModelCosts(Struct, frozen=True):
    """All calls of a model in a run, also for matches that were discarded or are not finished. players: who plays it.

    Dollars. cost: of all answers; assumed_cost: of the `assumed` answers without usable counts, charged the most that
    they can have cost; possible: beside them, at most, of attempts that may have been charged without an answer.
    """

    model: str
    players: list[str]
    cost: float
    assumed: int
    assumed_cost: float
    possible: float
    possible_attempts: int


def bills_of(totals: Iterable[Totals], players: Mapping[str, PlayerTable]) -> list[ModelCosts]:
    """What each model has cost."""
    same = [name for name in ModelCosts.__struct_fields__ if name != "players"]
    return [
        ModelCosts(
            players=[name for name, player in players.items() if player.model == one.model],
            **{name: getattr(one, name) for name in same},
        )
        for one in totals
    ]


def fallback_rates(records: Iterable[Record], players: Iterable[str]) -> list[FallbackRates]:
    """The rates of all players, over both seats and all finished slots (ablation included)."""
    sums: dict[str, Counter[str]] = {player: Counter() for player in players}
    costs = dict.fromkeys(sums, 0.0)
    for record in records:
        if record.status != "done":
            continue
        for side in SIDES:
            player = record.item.data[side]
            _count(sums[player], record.row, side)
            costs[player] += record.row[f"cost_{side}"]
    return [_rates(player, count, costs[player]) for player, count in sums.items()]


def _count(sums: Counter[str], row: dict[str, Any], side: str) -> None:
    """Add what a row has of a side."""
    sums["slots"] += 1
    sums["hit"] += row.get(f"fallbacks_{side}", 0) > 0
    for name, key in _KEYS[side]:
        if found := row.get(key):
            sums[name] += found


def _rates(player: str, count: Counter[str], cost: float) -> FallbackRates:
    return FallbackRates(
        player=player,
        slots=count["slots"],
        moves=count["moves"],
        fallbacks=count["fallbacks"],
        move_rate=count["fallbacks"] / count["moves"] if count["moves"] else None,
        slot_rate=count["hit"] / count["slots"] if count["slots"] else None,
        causes={cause: count[cause] for cause in CAUSES},
        clamped=count["clamped"],
        second=count["second"],
        cost=cost,
        tokens=(count["input_tokens"], count["output_tokens"]),
    )
