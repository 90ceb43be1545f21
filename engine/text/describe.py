"""A playout as text: one line per event with the players who saw it, one per decision with its menu.

    AB    Phase: Betting Phase
    AB/A  Alice is dealt 1 card: K.
    ?     Alice, Betting Phase, bet/check: bet or check -> bet

The first column names the informed players: A, B or AB, and after a slash those who saw the content, if fewer. "?"
marks a decision, which is not an event. The text depends only on the program and the seed of the play, and shows every
change in the game.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.events import EVENT_WIDTH
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.program import Int64Array, Program
from antemill.engine.machine.rollout import Streams, payoff, streams
from antemill.engine.machine.vm import advance, menu_action, new_state
from antemill.engine.text.labels import SEATS, action_name
from antemill.engine.text.wording import Wording

_SEERS = ("", "A", "B", "AB")
_CAPACITY = 256  # events; a longer game is played again with a larger journal


class Entry(Struct, frozen=True):
    """A line of a playout: an event or a decision. sees: the first column."""

    sees: str
    text: str

    def __str__(self) -> str:
        return f"{self.sees:<5} {self.text}"


class Playout(Struct, frozen=True):
    """A whole playout, line by line. payoff: Alice's, in chips."""

    entries: tuple[Entry, ...]
    decisions: int
    payoff: int

    def __str__(self) -> str:
        lines = [str(entry) for entry in self.entries]
        return "\n".join([*lines, f"payoff: Alice {self.payoff:+d}, Bob {-self.payoff:+d}"]) + "\n"


def random_playout(program: Program, seed: int) -> Playout:
    """One playout of uniformly random choices: the episode of `rollout(program, 1, streams(seed))`."""
    capacity = _CAPACITY
    while True:
        state = new_state(program.initial_state(), capacity)
        played = _play(program, state, streams(seed))
        if state[at.JOURNAL_N] < capacity:
            return played
        capacity *= 4


def _play(program: Program, state: Int64Array, keys: Streams) -> Playout:
    chance = subkey(keys.chance, 0)
    own = (subkey(keys.alice, 0), subkey(keys.bob, 0))
    entries: list[Entry] = []
    words, decisions, seen = Wording(program), 0, 0
    while True:
        what = advance(program.code, state)
        entries += [entry(words, row) for row in journal(state, seen)]
        seen = int(state[at.JOURNAL_N])
        if what == OVER:
            return Playout(tuple(entries), decisions, int(payoff(state)))
        n = int(state[at.MENU])
        if what == CHANCE:
            state[at.CHOICE] = below(chance, state[at.ADDRESS], n)
            continue
        state[at.CHOICE] = below(own[state[at.SEAT]], 2 * decisions, n)
        entries.append(Entry("?", decision_text(program, state)))
        decisions += 1


def journal(state: Int64Array, start: int = 0) -> list[list[int]]:
    """The journal's events from number `start` on, as rows of eight integers."""
    words = state[at.JOURNAL + start * EVENT_WIDTH : at.JOURNAL + int(state[at.JOURNAL_N]) * EVENT_WIDTH]
    rows: list[list[int]] = words.reshape(-1, EVENT_WIDTH).tolist()
    return rows


def decision_text(program: Program, state: Int64Array) -> str:
    """The decision that a state waits for, with its menu and the choice in CHOICE."""
    kind = program.names.decisions[int(state[at.DECISION])]
    n = int(state[at.MENU])
    actions = [int(menu_action(state, i)) for i in range(n)]
    menu = ", ".join(kind.labels[action] for action in actions) if kind.labels else f"{actions[0]} to {actions[-1]}"
    return (
        f"{SEATS[kind.seat]}, {kind.phase}, {kind.move_name}: {menu} -> {action_name(kind, actions[state[at.CHOICE]])}"
    )


def entry(words: Wording, row: Sequence[int]) -> Entry:
    """The line of an event."""
    informed, shown = row[6], row[7]
    sees = _SEERS[informed] if informed == shown else f"{_SEERS[informed]}/{_SEERS[shown]}"
    return Entry(sees, words.whole(row))
