"""How often each player's reply had no legal action, and why; what its model has cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from antemill.llm import Totals
from antemill.tournament.answers import CAUSES
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.cards.play import SIDES
from antemill.tournament.runs import Record


class FallbackRates(Struct, frozen=True):
    """Of one player. move_rate: share of moves that were fallbacks; slot_rate: share of slots with at least one; None
    without any. causes: fallbacks by cause. lenient: replies that only the lenient parser could read. tokens: read and
    written."""

    player: str
    slots: int
    moves: int
    fallbacks: int
    move_rate: float | None
    slot_rate: float | None
    causes: dict[str, int]
    clamped: int
    lenient: int
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
            sums[player].update(_counts(record, side))
            costs[player] += record.row[f"cost_{side}"]
    return [_rates(player, count, costs[player]) for player, count in sums.items()]


def _counts(record: Record, side: str) -> dict[str, int]:
    names = ("moves", "fallbacks", *CAUSES, "clamped", "lenient", "input_tokens", "output_tokens")
    found = {name: record.row.get(f"{name}_{side}", 0) for name in names}
    return found | {"slots": 1, "hit": int(found["fallbacks"] > 0)}


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
        lenient=count["lenient"],
        cost=cost,
        tokens=(count["input_tokens"], count["output_tokens"]),
    )
