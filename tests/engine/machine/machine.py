"""Driving the virtual machine from tests: one game, any choices, everything that happened in readable form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVENT_WIDTH, Event
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.observe import context_key, info_key, recall_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, menu_action, new_state

Row = tuple[object, ...]
JOURNAL_EVENTS = 4_000


@dataclass
class Stop:
    """A decision as the machine presents it."""

    seat: int
    decision: tuple[str, str, str]
    menu: tuple[int, ...]
    keys: tuple[int, int, int]  # recall, info, context
    action: int = -1


@dataclass
class Playback:
    """One game played by the machine."""

    events: list[Row] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    draws: list[tuple[int, int, int, int]] = field(default_factory=list)  # kind, seat, occurrence, number of outcomes
    outcomes: list[int] = field(default_factory=list)  # what the draws gave
    payoff: int = 0
    phases: set[str] = field(default_factory=set)
    branches: set[int] = field(default_factory=set)
    state: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))


def play_machine(program: Program, choose: Callable[[int, np.ndarray], int]) -> Playback:
    """Play to the end; `choose(n, state)` gives the index for every question with n answers."""
    state = new_state(program.initial_state(), JOURNAL_EVENTS)
    game = Playback(state=state)
    total = int(state[at.CHIPS] + state[at.CHIPS + 1])
    while True:
        what = advance(program.code, state)
        chips = state[at.CHIPS : at.CHIPS + 3]
        assert int(chips.sum()) == total, "chips are not conserved"
        assert int(chips.min()) >= 0, "a player is in debt"
        if what == OVER:
            break
        n = int(state[at.MENU])
        index = choose(n, state)
        state[at.CHOICE] = index
        if what == DECIDE:
            game.stops.append(_stop(program, state, index))
        else:
            assert what == CHANCE
            place, occurrence = divmod(int(state[at.ADDRESS]), 1 << 16)
            game.draws.append((place // 3, place % 3, occurrence, n))
            game.outcomes.append(index)
    game.payoff = int(state[at.CHIPS] - state[at.START_CHIPS] + state[at.SCORE])
    game.phases = {name for i, name in enumerate(program.names.phases) if _bit(state, at.FIRED, i)}
    game.branches = {i for i in range(2 * len(program.names.conditionals)) if _bit(state, at.TAKEN, i)}
    game.events = journal(program, state)
    return game


def script(indices: Sequence[int]) -> Callable[[int, np.ndarray], int]:
    """Answers from a list, reduced to the range that is asked for; 0 when the list has run out."""
    answers = iter(indices)
    return lambda n, _state: next(answers, 0) % n


def _bit(state: np.ndarray, base: int, i: int) -> bool:
    return bool(int(state[base + (i >> 6)]) >> (i & 63) & 1)


def _stop(program: Program, state: np.ndarray, index: int) -> Stop:
    seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
    kind = program.names.decisions[decision]
    assert kind.seat == seat
    context = context_key(state, seat, decision)
    keys = (recall_key(state, seat, decision), info_key(state, seat, context), context)
    menu = tuple(int(menu_action(state, i)) for i in range(int(state[at.MENU])))
    return Stop(seat, (kind.phase, kind.move_type, kind.move_name), menu, keys, menu[index])


def journal(program: Program, state: np.ndarray) -> list[Row]:
    """The events as (kind, seat, x, y, z, content, told, shown), x by name where it is a number of a name."""
    count = int(state[at.JOURNAL_N])
    assert count < JOURNAL_EVENTS
    rows = state[at.JOURNAL : at.JOURNAL + count * EVENT_WIDTH].reshape(count, EVENT_WIDTH).tolist()
    return named_events(program, rows)


def named_events(program: Program, rows: Iterable[Sequence[int]]) -> list[Row]:
    """Events with x by name where it is a number of a name."""
    return [(row[0], row[1], _named(program, row[0], row[2]), *row[3:]) for row in rows]


def _named(program: Program, kind: int, x: int) -> object:
    names = program.names
    if kind in (Event.CHOICE, Event.LOCK, Event.REVEALED):
        d = names.decisions[x]
        return (d.phase, d.move_type, d.move_name)
    if kind in (Event.PHASE, Event.SIGNAL, Event.LEADER, Event.SIDE_BET):
        return names.phases[x]
    if kind == Event.ANNOUNCE:
        return names.texts[x]
    if kind == Event.VARIABLE:
        return names.variables[x]
    return x
