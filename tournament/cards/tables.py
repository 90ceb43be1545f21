"""Fallbacks by player, as the table of appendix F, with their causes; what the models have cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from antemill.llm import Totals, dollar_text
from antemill.tournament.answers import CAUSES
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.cards.play import SIDES
from antemill.tournament.runs import Record
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, count, text


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


def rates_sheet(rates: Iterable[FallbackRates], bills: Iterable[ModelCosts], doubts: Iterable[str]) -> Sheet:
    """The fallbacks with their causes, and what the players have cost; a star where a part of it is assumed.

    doubts: what is not certain of the costs, a sentence each.
    """
    starred = {name for one in bills if one.assumed for name in one.players}
    columns = [text("player", "player"), count("slots", "slots"), count("moves", "moves")]
    columns += [count("fallbacks", "fallbacks"), Column("move_rate", "move rate", "share", 1)]
    columns += [Column("slot_rate", "slot rate", "share", 1), text("causes", "causes")]
    columns.append(text("cost", "cost (*: partly assumed)" if starred else "cost"))
    rows: list[list[Cell]] = []
    for one in rates:
        causes = ", ".join(f"{number} {cause}" for cause, number in one.causes.items() if number)
        cost = f"{dollar_text(one.cost)}{'*' if one.player in starred else ''}"
        rows.append([one.player, one.slots, one.moves, one.fallbacks, one.move_rate, one.slot_rate, causes, cost])
    said = ["Replies in which no legal action could be read; a random one was played.", *doubts]
    return Sheet("rates", "Fallbacks and costs by player", columns, rows, " ".join(said))


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
