"""The longest that a match can be for a model: decisions of each seat, and the bytes of a request, at most.

Decisions follow from the phase graph (`antemill.tournament.extent`). A prompt is the rulebook, the log, the state and
the decision. Every line of the log is a sentence of `antemill.engine.match.wording`; here each kind of event is said
with the largest numbers and the longest names of the game, and the phase graph says how often it can come about. State
and decision are those of a match's beginning, with space for every card and for the longest names and menus. Bytes are
those of JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import product
from typing import get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.machine.events import EVERYONE, NOBODY, AuctionResult, ChipReason, Event
from antemill.engine.machine.program import DecisionType
from antemill.engine.match import DecisionRecord, Game, Match, Menu, View
from antemill.engine.match import prompt as prompts
from antemill.engine.match.match import notice
from antemill.engine.match.menu import Reason
from antemill.engine.match.prompt import NOTHING, Briefing
from antemill.engine.match.wording import Seen
from antemill.engine.rules.limits import MAX_CARDS
from antemill.llm import Message, Request
from antemill.tournament.extent import extent
from antemill.tournament.mixes import LISTED, mix_schema
from antemill.tournament.replies import action_schema

_NUMBER = 10**10  # beyond every variable, score and rank of a game
_DIGITS = 12  # of one, with its sign and a comma
_NUMBERED = len("1000000. ") + len("\\n")  # beside a line of the log
_FIXED = 400  # bytes of the words for a decision that differ from those of another one
_LISTED = 4  # beside a card's name in a list


class Longest(Struct, frozen=True):
    """The most decisions of each seat in a match. requests: one of them is the largest that can be sent for one."""

    moves: tuple[int, int]
    requests: tuple[Request, ...]


def longest(
    game: Game, list_moves: bool, paper: bool = False, briefing: Briefing = NOTHING, earlier: int = 0
) -> Longest:
    """Bounds for all matches of a game. list_moves, paper, briefing: of the prompts. earlier: the most records of
    earlier matches that a prompt holds."""
    assert game.spec is not None
    lines, found = _Lines(game), extent(game.spec)
    logged = extent(game.spec, lines.size).log_size + max(found.alice, found.bob) * lines.notice
    size = _frame(game, list_moves) + logged
    briefing = replace(briefing, earlier=("x" * (logged + _FIXED),) * earlier)
    system = prompts.system(game.spec, paper, briefing, game.turned, game.words)
    messages = Message("system", system), Message("user", "x" * size)
    schemas = {msgspec.json.encode(schema): schema for schema in _schemas(game, list_moves, briefing.mix)}
    return Longest(
        (found.alice, found.bob),
        tuple(Request(messages=messages, schema=schema) for schema in schemas.values()),
    )


def _frame(game: Game, list_moves: bool) -> int:
    """All of a message but the log: that of a match's beginning, and what a later one may have beyond it."""
    match, names = Match(game, 0), game.names
    first = 0 if match.over else _size(prompts.turn(match, moves=list_moves))
    empty = max(_size(prompts.log_text(View(game.wording, seat))) for seat in (0, 1))
    phases = 2 * max(map(_size, names.phases), default=0)
    cards = 2 * sum(_size(card) + _LISTED for card in game.wording.card_list((1 << game.program.cards) - 1))
    labels = [game.shown(_whole_menu(kind)).labels for kind in names.decisions]
    menus = max((sum(_size(label) + _LISTED + 2 for label in one) for one in labels), default=0)
    return first + empty + phases + cards + menus + _FIXED + _DIGITS * (8 + len(names.variables))


def _schemas(game: Game, list_moves: bool, mix: bool) -> Iterator[dict[str, object] | None]:
    for kind in game.names.decisions:
        menu = game.shown(_longest_listed(kind) if mix else _whole_menu(kind))
        yield mix_schema(menu, list_moves) if mix else action_schema(menu, list_moves)


def _whole_menu(kind: DecisionType) -> Menu:
    """Every action that a decision can ever offer."""
    return Menu(kind.labels, tuple(range(len(kind.labels))), 0 if kind.labels else kind.low, kind.high)


def _longest_listed(kind: DecisionType) -> Menu:
    """The menu with the longest schema of a mix: that of a longer menu is left out."""
    menu = _whole_menu(kind)
    return menu if menu.labels else replace(menu, low=max(menu.low, menu.high - LISTED + 1))


def _size(text: str) -> int:
    return len(msgspec.json.encode(text)) - 2


class _Lines:
    """The longest lines of a game's log, by the kind of event. Lines after the last decision are left out."""

    def __init__(self, game: Game) -> None:
        assert game.spec is not None
        self._names, self._wording = game.names, game.wording
        self._chips = 2 * game.spec.chips
        self._card = max((_size(card) for card in game.wording.card_list((1 << game.program.cards) - 1)), default=0)
        self._said_in = game.said
        self.notice = _NUMBERED + max(map(self._said, self._notices()), default=0)
        self.size = cache(self._line)

    def _line(self, event: Event, cards: int) -> int:
        """Bytes of the line of an event with so many cards in it."""
        return _NUMBERED + max(map(self._said, self._sentences(event)), default=0) + cards * (self._card + _LISTED)

    def _said(self, text: str) -> int:
        return _size(self._said_in(text))

    def _sentences(self, event: Event) -> Iterator[str]:
        contents = [None, 0, *range(1, len(self._names.suits) + 1), MAX_CARDS] if event is Event.SIGNAL else [None, 0]
        rows = product((0, 1, NOBODY), self._fields(event), contents, (1, EVERYONE), (0, 1))
        for seat, (x, y, z), content, told, viewer in rows:
            with suppress(LookupError):  # no such combination: a signal of another phase, chips from the pot to the pot
                yield self._wording.line(Seen(event, seat, x, y, z, content, told), viewer)

    def _fields(self, event: Event) -> list[tuple[int, int, int]]:
        names = self._names
        if event in (Event.CHOICE, Event.LOCK, Event.REVEALED):
            kinds = enumerate(names.decisions)
            return [(x, y, 0) for x, kind in kinds for y in (range(len(kind.labels)) if kind.labels else (kind.high,))]
        if event is Event.CHIPS:
            return [(self._chips, to, reason) for to in (0, 1, NOBODY) for reason in ChipReason]
        numbers: dict[Event, Iterable[int]] = {
            Event.PHASE: range(len(names.phases)),
            Event.SIGNAL: range(len(names.phases)),
            Event.LEADER: range(len(names.phases)),
            Event.CHECK: range(len(names.conditionals)),
            Event.ANNOUNCE: range(len(names.texts)),
            Event.VARIABLE: range(len(names.variables)),
            Event.COST: range(3),
            Event.AUCTION: AuctionResult,
            Event.SWAP: range(2),
            Event.STEAL: range(2),
            Event.SCORE: (_NUMBER,),
        }
        values = (-_NUMBER,) if event is Event.VARIABLE else (0, 1)
        return [(x, y, 0) for x in numbers.get(event, (0, 1, MAX_CARDS)) for y in values]

    def _notices(self) -> Iterator[str]:
        """What is said of a choice that was replaced."""
        for kind, reason in product(self._names.decisions, get_args(Reason)):
            for choice in kind.labels or (kind.high,):
                yield notice(
                    DecisionRecord(
                        seat=kind.seat,
                        phase=kind.phase,
                        move_type=kind.move_type,
                        move_name=kind.move_name,
                        options=kind.labels,
                        low=kind.low,
                        high=kind.high,
                        submitted=None,
                        choice=choice,
                        substitution=reason,
                    )
                )
