"""The matches against weak opponents: all players on the same cards, and in the repeated condition round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from antemill.engine.match import Game, Match
from antemill.engine.match.prompt import record as seen_by
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.slots import Slot, play_seed, read_slot, seatings
from antemill.tournament.evaluation.config import EQUILIBRIUM, EvalConfig
from antemill.tournament.evaluation.weak import Opponent, WeakTable, conditions, opponent_in, rule
from antemill.tournament.runs import Record

Games = Mapping[str, tuple[PinnedGame, Game]]
SEEN, EARLIER = "seen", "earlier"  # in a finished match's row what the player saw; in an item's data what it is told


class Weak:
    """The part of a run's plan with weak opponents; empty without a table [weak]."""

    def __init__(self, config: EvalConfig, games: Games) -> None:
        self._config, self._games = config, games
        self._first = first_slots(config, games)
        rounds = range(1, config.weak.rounds) if config.weak is not None else ()
        self.all_slots = [*self._first, *(slot for number in rounds for slot in round_slots(config, games, number))]

    def next_slots(self, finished: Sequence[Record]) -> list[tuple[Slot, dict[str, Any]]]:
        """The next matches, with what their items' data hold in addition. finished: all records of the run."""
        return next_round(self._config, self._games, finished) if finished else [(slot, {}) for slot in self._first]

    def told(self, opponent: Opponent, slot: Slot) -> str:
        """The opponent's rule, if it is told."""
        seat = 0 if slot.alice == opponent.name else 1
        return rule(opponent.bot, self._games[slot.game][1], seat) if opponent.condition == "told" else ""

    def earlier(self, opponent: Opponent, slot: Slot) -> int:
        """How many records of earlier matches the prompts of a match hold."""
        if opponent.condition != "rounds" or self._config.weak is None:
            return 0
        return round_of(slot, self._config.weak)

    def seen(self, opponent: Opponent, seat: int) -> Callable[[Match], dict[str, Any]]:
        """What the row of a match has in addition: for later rounds the record of the seat."""
        return lambda match: {SEEN: seen_by(match, seat)} if opponent.condition == "rounds" else {}


def is_own(one: Record) -> bool:
    """Whether it is a match against the equilibrium."""
    return EQUILIBRIUM in (one.item.data.get("alice"), one.item.data.get("bob"))


def opponents(config: EvalConfig) -> dict[str, PlayerTable]:
    """The weak opponents as players of a tournament."""
    if config.weak is None:
        return {}
    return {one.name: PlayerTable(bot=one.bot) for one in conditions(config.weak, model=True)}


def first_slots(config: EvalConfig, games: Games) -> list[Slot]:
    """All matches whose prompts are known before the run: those of the first round, and all without rounds."""
    table = config.weak
    if table is None:
        return []
    met = [one for one in _met(config) if one[1].condition != "rounds"]
    plain = [slot for run in range(table.matches_per_seat) for slot in _slots(config, games, run, "weak", met)]
    return plain + round_slots(config, games, 0)


def round_slots(config: EvalConfig, games: Games, number: int) -> list[Slot]:
    """The matches of a round of the repeated condition, from 0."""
    table = config.weak
    if table is None or number >= table.rounds:
        return []
    met = [one for one in _met(config) if one[1].condition == "rounds"]
    runs = [sequence * table.rounds + number for sequence in range(table.sequences)]
    return [slot for run in runs for slot in _slots(config, games, run, "rounds", met)]


def next_round(config: EvalConfig, games: Games, finished: Sequence[Record]) -> list[tuple[Slot, dict[str, Any]]]:
    """The matches of the next round, with the records of the earlier ones; none after the last. finished: all records
    of the run."""
    table = config.weak
    if table is None or not table.rounds:
        return []
    records: dict[tuple[Any, ...], list[str]] = {}
    last = -1
    for one in finished:
        slot = read_slot(one.item.data) if "alice" in one.item.data else None
        if slot is not None and _in_rounds(slot):
            last = max(last, round_of(slot, table))
            if one.status == "done":
                records.setdefault(_sequence(slot, table), []).append(one.row[SEEN])
    slots = round_slots(config, games, last + 1)
    return [(slot, {EARLIER: records.get(_sequence(slot, table), [])}) for slot in slots]


def round_of(slot: Slot, table: WeakTable) -> int:
    """The round that a match of the repeated condition is in, from 0."""
    return slot.run % table.rounds


def _met(config: EvalConfig) -> list[tuple[str, Opponent]]:
    """Every player with every opponent that it meets."""
    assert config.weak is not None
    return [
        (name, opponent)
        for name, player in config.players.items()
        for opponent in conditions(config.weak, player.model is not None)
    ]


def _slots(
    config: EvalConfig, games: Games, run: int, what: str, met: Sequence[tuple[str, Opponent]]
) -> Iterator[Slot]:
    """Both seatings of every player and opponent in every game, with cards that all of them have."""
    for label, (pinned, _) in games.items():
        seed = play_seed(pinned.seed, run, what, config.eval.seed)
        for player, opponent in met:
            yield from seatings(label, run, player, opponent.name, seed)


def _in_rounds(slot: Slot) -> bool:
    found = opponent_in(slot)
    return found is not None and found[0].condition == "rounds"


def _sequence(slot: Slot, table: WeakTable) -> tuple[Any, ...]:
    return slot.game, slot.alice, slot.bob, slot.run // table.rounds
