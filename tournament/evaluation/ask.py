"""The whole policy of small games: a question at every information set, as items of a run.

A question is a slot whose other seat is `EVERYWHERE`. Its match is led to one of the histories of the information set;
the player sees the same in all of them. Then it decides once, and the match is over for us. A model answers as in any
match: with one action or, if it answers with a mix, with probabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import count_nodes, root_state
from antemill.engine.machine.layout import CHANCE
from antemill.engine.machine.vm import advance
from antemill.engine.match import DecisionRecord, Game, Match, prompt
from antemill.solver.evaluation.history import ordered_branches
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.build import build_tree
from antemill.tournament.cards.config import Count, PlayerTable
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.play import SIDES, MatchRecord
from antemill.tournament.cards.seats import Move, Seat, Setting
from antemill.tournament.cards.slots import Slot, play_seed
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import Access, Played

EVERYWHERE = "everywhere"  # the other seat's name in questions
PLACE, SHARES, SET = "place", "shares", "set"  # of a finished question's row: the action, the stated mix, the set
EVERYONE = {EVERYWHERE: PlayerTable(bot="random")}  # as a player of a tournament; it never plays
_LARGEST = 100_000  # nodes of a game whose sets are counted
_SUMMED = ("clamped", "second", "input_tokens", "output_tokens", "cost")


Games = Mapping[str, tuple[PinnedGame, Game]]


class PolicyTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[policy]: the whole policy of small games.

    sets: the most information sets of a game, both seats together. samples: how often a player is asked at each of
    them; a model that answers with a mix is asked once.
    """

    sets: Count = 60
    samples: Count = 5


class Position(NamedTuple):
    """The way to a history of an information set: the outcomes of chance, and the choices of both seats, by menu."""

    chance: tuple[int, ...]
    choices: tuple[int, ...]


class Sets:
    """The information sets of a game, Alice's first, with a history of each."""

    def __init__(self, game: Game, tree: ExtensiveForm) -> None:
        self.game, self.tree = game, tree
        self._positions: dict[tuple[int, int], Position] = {}

    def match(self, seat: int, number: int, seed: int, names: tuple[str, str]) -> Match:
        """A match that has come to an information set of a seat. seed: of the draws of both seats."""
        if (seat, number) not in self._positions:
            self._positions[seat, number] = self._position(seat, number)
        where = self._positions[seat, number]
        outcomes = iter(where.chance)
        match = Match(self.game, seed, names, chance=lambda _draw: next(outcomes, 0))
        for place in where.choices:
            match.apply(match.menu.choice(place))
        assert match.keys().recall == self.tree.sets[seat].key[number]
        return match

    def _position(self, seat: int, number: int) -> Position:
        tree, program = self.tree, self.game.program
        node = int(np.flatnonzero((tree.player == seat) & (tree.content == number))[0])
        state = root_state(program)
        chance: list[int] = []
        choices: list[int] = []
        for child in self._way(node):
            choice = ordered_branches(program, state)[child].choice
            (chance if state[at.STOP] == CHANCE else choices).append(choice)
            state[at.CHOICE] = choice
            advance(program.code, state)
        return Position(tuple(chance), tuple(choices))

    def _way(self, node: int) -> list[int]:
        """The number of the child at each step from the root to a node."""
        found, first, width = [], self.tree.first, self.tree.width
        while node > 0:
            parent = int(np.flatnonzero((first <= node) & (node < first + width))[0])
            found.append(node - int(first[parent]))
            node = parent
        return found[::-1]


class Questions:
    """The questions of a run; none without a table [policy]. The run's number of a slot is the sample's times the sets
    of its seat, plus the set's."""

    def __init__(self, players: Mapping[str, PlayerTable], table: PolicyTable | None, games: Games, seed: int) -> None:
        self._games = {label: game for label, (_, game) in games.items()}
        self.trees = {} if table is None else small_trees(self._games, table)
        self._sets: dict[str, Sets] = {}
        self.slots = [
            slot
            for label, tree in self.trees.items()
            for seat in (0, 1)
            for slot in _slots(players, table or PolicyTable(), games[label][0], label, tree, seat, seed)
        ]

    def sets(self, label: str) -> Sets:
        """The information sets of a game."""
        if label not in self._sets:
            self._sets[label] = Sets(self._games[label], self.trees[label])
        return self._sets[label]

    def counts(self) -> Counter[tuple[str, str]]:
        """How many questions each player is asked in each game."""
        return Counter((asked_in(slot)[0], slot.game) for slot in self.slots)


def small_trees(games: Mapping[str, Game], table: PolicyTable) -> dict[str, ExtensiveForm]:
    """The trees of the games that have few enough information sets."""
    found = {}
    for label, game in games.items():
        if count_nodes(game.program, _LARGEST) <= _LARGEST:
            tree = build_tree(game.program, _LARGEST)
            if sum(one.size for one in tree.sets) <= table.sets:
                found[label] = tree
    return found


def samples_of(player: PlayerTable, table: PolicyTable) -> int:
    """How often a player is asked at each information set."""
    return 1 if player.answer == "mix" else table.samples


def _slots(
    players: Mapping[str, PlayerTable],
    table: PolicyTable,
    pinned: PinnedGame,
    label: str,
    tree: ExtensiveForm,
    seat: int,
    seed: int,
) -> Iterator[Slot]:
    sets = tree.sets[seat].size
    for run in range(max(samples_of(player, table) for player in players.values()) * sets):
        for name, player in players.items():
            if run < samples_of(player, table) * sets:
                seats = (name, EVERYWHERE) if seat == 0 else (EVERYWHERE, name)
                yield Slot(label, run, *seats, play_seed(pinned.seed, run, f"policy {seat}", seed))


def is_question(data: Mapping[str, Any]) -> bool:
    """Whether an item, by its data, is a question and no match."""
    return EVERYWHERE in (data.get("alice"), data.get("bob"))


def asked_in(slot: Slot) -> tuple[str, int]:
    """The player that is asked in a question, and its seat."""
    return (slot.alice, 0) if slot.bob == EVERYWHERE else (slot.bob, 1)


async def ask(slot: Slot, sets: Sets, seat: Seat, access: Access, setting: Setting) -> Played:
    """Ask a question. Where a stated mix can not be read, the player's shares are those of a random legal action."""
    name, who = asked_in(slot)
    mine = sets.tree.sets[who]
    number = slot.run % mine.size
    match = sets.match(who, number, slot.play_seed, (slot.alice, slot.bob))
    menu, before = match.menu, match.ply
    move = await seat.move(match, access, slot.key)
    record = _record(match, before, move, setting)
    place, last = menu.resolve(record.transcript.decisions[-1].choice).place, int(np.diff(mine.start)[number]) - 1
    assert place is not None
    states = setting.players[name].answer == "mix"
    mix = move.mix or ((1 / len(menu),) * len(menu) if states else None)
    row = {PLACE: min(place, last), SHARES: None if mix is None else _merged(mix, last), SET: number}
    replies = ((move.call, move.cause or ""),) if move.call is not None else ()
    played = row | _counts(move) | {"prompts": record.prompts}
    counts = {name: (1, int(move.second), int(move.cause is not None))}
    return Played(played, msgspec.to_builtins(record), int(move.cause is not None), replies, counts)


def _record(match: Match, before: int, move: Move, setting: Setting) -> MatchRecord:
    """The match up to the decision that was asked for. The decisions before it were led, and no player made them."""
    whole = match.transcript()
    places = [place for place, entry in enumerate(whole.entries) if isinstance(entry, DecisionRecord)]
    cut = replace(whole, entries=whole.entries[: places[before] + 1], payoffs=None)
    moves = (*(Move(entry.seat) for entry in cut.decisions[:-1]), move)
    return MatchRecord(cut, moves, setting.list_moves, prompt.version(setting.paper))


def _merged(shares: tuple[float, ...], last: int) -> list[float]:
    """A mix over the menu as one over the set's sequences: amounts above the stack are the last one."""
    return [*shares[:last], sum(shares[last:])]


def _counts(move: Move) -> dict[str, Any]:
    """What a match's row has of its moves; of the other seat nothing."""
    found: dict[str, Any] = {}
    for seat, side in enumerate(SIDES):
        own = [move] if seat == move.seat else []
        found |= {f"moves_{side}": len(own), f"fallbacks_{side}": sum(one.cause is not None for one in own)}
        found |= {f"{cause}_{side}": sum(one.cause == cause for one in own) for cause in CAUSES}
        found |= {f"{name}_{side}": sum(getattr(one, name) for one in own) for name in _SUMMED}
    return found
