"""Games of a few lines with scripted answers and draws, for rules that are worked out by hand, played in two ways.

`compiled` plays as the plain interpreter's `play` does, with the same questions to the same chooser, and gives the same
kind of playout: a fact that is written down once is asked of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from msgspec.structs import replace

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import NOBODY, Chance, Event
from antemill.engine.machine.layout import CHANCE
from antemill.engine.machine.observe import context_key, info_key, recall_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import menu_action
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Deal,
    DealBoard,
    Deck,
    FixedBetting,
    GameSpec,
    Option,
    Phase,
    Showdown,
    Step,
    Steps,
)
from tests.engine.machine.machine import play_machine
from tests.naive import Chooser, Decision, Playout, Row

A, B, POT = 0, 1, NOBODY
Address = tuple[Chance, int, int]
Play = Callable[[GameSpec, Chooser], Playout]


class Run(Protocol):
    """Plays a game by its script, see `runner`."""

    def __call__(self, spec: GameSpec, answers: str = "", chance: Mapping[Address, int] | None = None) -> Playout: ...


class Scripted:
    """Players answer with these labels in turn, which must be offered; chance by address, 0 unless given."""

    def __init__(self, answers: str = "", chance: Mapping[Address, int] | None = None) -> None:
        self.answers = answers.split()
        self.outcomes = dict(chance or {})
        self.asked: list[tuple[Address, int]] = []

    def decide(self, decision: Decision) -> int:
        return decision.menu[decision.labels.index(self.answers.pop(0))]

    def chance(self, kind: Chance, seat: int, occurrence: int, n: int) -> int:
        self.asked.append(((kind, seat, occurrence), n))
        return self.outcomes.pop((kind, seat, occurrence), 0)


def game(
    *phases: Phase,
    ranks: Sequence[int] = (2, 3, 4, 5),
    suits: str = "S",
    chips: int = 10,
    variables: tuple[str, ...] = (),
) -> GameSpec:
    """A game of these phases in order; those named with a leading underscore are only performed."""
    sequence = tuple(phase.name for phase in phases if not phase.name.startswith("_"))
    return GameSpec("test", Deck(tuple(ranks), tuple(suits)), chips, phases, sequence, variables)


def steps(*items: Step, name: str = "steps") -> Steps:
    return Steps(name, items)


def runner(play: Play) -> Run:
    """Plays by script; every answer of the script must have been used."""

    def run(spec: GameSpec, answers: str = "", chance: Mapping[Address, int] | None = None) -> Playout:
        chooser = Scripted(answers, chance)
        playout = play(spec, chooser)
        assert not chooser.answers
        assert not chooser.outcomes
        return playout

    return run


def rows(playout: Playout, kind: Event) -> list[tuple[object, ...]]:
    """(seat, x, y, z, content) of the events of one kind."""
    return [row[1:6] for row in playout.events if row.kind == kind]


def chips(playout: Playout) -> list[tuple[int, object, int, int]]:
    """(from, amount, to, reason) of every payment."""
    return [(row.seat, row.x, row.y, row.z) for row in playout.events if row.kind == Event.CHIPS]


def kinds(playout: Playout, *only: Event) -> str:
    """The names of the events in order, all or only of some kinds."""
    return " ".join(row.kind.name for row in playout.events if not only or row.kind in only)


def stacked(size: int, wanted: Sequence[int]) -> dict[Address, int]:
    """The draws that take these cards, in this order, from a fresh deck."""
    deck, draws = list(range(size)), {}
    for occurrence, card in enumerate(wanted):
        index = deck.index(card)
        if len(deck) > 1:
            draws[Chance.DRAW, NOBODY, occurrence] = index
        deck[index] = deck[-1]
        deck.pop()
    return draws


def labels(playout: Playout) -> tuple[str, ...]:
    return tuple(decision.labels[decision.menu.index(action)] for decision, action in playout.decisions)


def information_sets(playouts: Sequence[Playout], read: Callable[[Decision], object]) -> int:
    return len({(d.seat, read(d)) for playout in playouts for d, _ in playout.decisions})


# ------------------------------------------------------------------------------------------------ known games

KUHN = game(
    steps(Ante("both", 1), Deal(1)), FixedBetting("bet", "alice", 1), Showdown("show"), ranks=(11, 12, 13), chips=2
)
LEDUC = game(
    steps(Ante("both", 1), Deal(1)),
    FixedBetting("first", "alice", 2, raises=1),
    steps(DealBoard(1), name="flop"),
    FixedBetting("second", "alice", 4, raises=1),
    Showdown("show", "pairs", board=True),
    ranks=(11, 12, 13),
    suits="SH",
    chips=13,
)


# ------------------------------------------------------------------------------------------------ by the machine


LAST = ActionRound("a last phase", "alice", (Option("go"),))


def compiled(spec: GameSpec, chooser: Chooser) -> Playout:
    """A game played by the compiled machine. Recall, information and context are its keys.

    The compiler refuses a game without decisions: such a game gets a last phase with one option, which is left
    out of what happened.
    """
    added = not any({"choice"} & kind.brings for kind in {type(phase) for phase in spec.phases})
    if added:
        spec = replace(spec, phases=(*spec.phases, LAST), sequence=(*spec.sequence, LAST.name))
    program, decisions = compiled_once(spec), []

    def answer(n: int, state: np.ndarray) -> int:
        if state[at.STOP] == CHANCE:
            place, occurrence = divmod(int(state[at.ADDRESS]), 1 << 16)
            return chooser.chance(Chance(place // 3), place % 3, occurrence, n)
        asked = question(program, state)
        if asked.phase == LAST.name:
            return 0
        decisions.append((asked, chooser.decide(asked)))
        return asked.menu.index(decisions[-1][1])

    game = play_machine(program, answer)
    events: list[Any] = game.events
    rows = [Row(Event(kind), *rest) for kind, *rest in events]
    return Playout(
        events=[row for row in rows if not _of_the_last(row)],
        decisions=decisions,
        payoff=game.payoff,
        phases=game.phases - {LAST.name},
        branches=game.branches,
        chips=(int(game.state[at.CHIPS]), int(game.state[at.CHIPS + 1])),
        score=int(game.state[at.SCORE]),
        hands=(pile(game.state, at.HANDS, at.HAND_N), pile(game.state, at.HANDS + MAX_CARDS, at.HAND_N + 1)),
        board=pile(game.state, at.BOARD, at.BOARD_N),
        deck=pile(game.state, at.DECK, at.DECK_N),
        discard=pile(game.state, at.DISCARDS, at.DISCARD_N),
    )


def _of_the_last(row: Row) -> bool:
    return LAST.name in (row.x if isinstance(row.x, tuple) else (row.x,))


@cache
def compiled_once(spec: GameSpec) -> Program:
    return compile_spec(spec)


def question(program: Program, state: np.ndarray) -> Decision:
    """What the machine asks."""
    seat, number = int(state[at.SEAT]), int(state[at.DECISION])
    kind = program.names.decisions[number]
    menu = tuple(int(menu_action(state, i)) for i in range(int(state[at.MENU])))
    context = int(context_key(state, seat, number))
    return Decision(
        seat=seat,
        phase=kind.phase,
        move_type=kind.move_type,
        move_name=kind.move_name,
        menu=menu,
        labels=tuple(kind.labels[action] if kind.labels else str(action) for action in menu),
        recall=(int(recall_key(state, seat, number)),),
        info=(int(info_key(state, seat, context)),),
        context=(context,),
        chips=(int(state[at.CHIPS]), int(state[at.CHIPS + 1])),
        pot=int(state[at.POT]),
        deck_size=int(state[at.DECK_N]),
    )


def pile(state: np.ndarray, first: int, count: int) -> tuple[int, ...]:
    return tuple(state[first : first + int(state[count])].tolist())
