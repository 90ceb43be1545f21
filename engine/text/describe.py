"""A playout as text: one line per event with the players who saw it, one per decision with its menu.

    AB    phase Betting Phase
    AB/A  Alice is dealt 1: K
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
from antemill.engine.machine.events import EVENT_WIDTH, NOBODY, AuctionResult, ChipReason, EndReason, Event
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.opcodes import WIDTH, Look, Op
from antemill.engine.machine.program import Int64Array, Program
from antemill.engine.machine.rollout import Streams, payoff, streams
from antemill.engine.machine.vm import advance, menu_action, new_state
from antemill.engine.text.labels import FACES, SEATS, action_name, cards_text

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
    decisions, seen = 0, 0
    while True:
        what = advance(program.code, state)
        entries += [entry(program, row) for row in journal(state, seen)]
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


def entry(program: Program, row: Sequence[int]) -> Entry:
    """The line of an event."""
    informed, shown = row[6], row[7]
    sees = _SEERS[informed] if informed == shown else f"{_SEERS[informed]}/{_SEERS[shown]}"
    return Entry(sees, event_text(program, row))


def event_text(program: Program, row: Sequence[int]) -> str:
    """An event in words."""
    kind, seat, x, y, z, content = row[:6]
    names = program.names
    who = SEATS[seat] if seat < NOBODY else "nobody"
    cards = cards_text(program, content) if Event(kind) is not Event.SIGNAL else ""
    match Event(kind):
        case Event.PHASE:
            return f"phase {names.phases[x]}"
        case Event.SHUFFLE:
            return f"the deck of {x} is shuffled"
        case Event.DEAL:
            return f"{who} is dealt {x}: {cards}".rstrip(": ")
        case Event.BOARD:
            return f"{x} on the board: {cards}".rstrip(": ")
        case Event.DRAW:
            return f"{who} draws {x}: {cards}" if x else f"{who} draws nothing, the deck is empty"
        case Event.DECK:
            return f"the deck has {x} left"
        case Event.DISCARD:
            return f"{who} discards {cards}"
        case Event.CHIPS:
            return f"{_account(seat)} pays {x} to {_account(y).lower() if y == NOBODY else _account(y)} ({_reason(z)})"
        case Event.CHOICE | Event.LOCK | Event.REVEALED:
            verb = {Event.CHOICE: "chooses", Event.LOCK: "secretly chooses", Event.REVEALED: "had chosen"}[Event(kind)]
            return f"{who} {verb} {action_name(names.decisions[x], y)}"
        case Event.CHECK:
            return f"check {x} in {names.conditionals[x]}: {'true' if y else 'false'}"
        case Event.COST:
            return f"{who}'s cost is {('not due', 'due', 'due, but not affordable')[x]}"
        case Event.PEEK:
            return f"{who} peeks at {cards or 'an empty hand'}"
        case Event.SWAP | Event.STEAL:
            verb = "swaps cards" if kind == Event.SWAP else "steals a card"
            return f"{who} {verb}" + ("" if x else ", but there is none")
        case Event.MOVE:
            return f"{cards} goes from {who} to {SEATS[1 - seat]}"
        case Event.REVEAL | Event.SHOW:
            return f"{who} {'reveals' if kind == Event.REVEAL else 'shows'} {cards or 'an empty hand'}"
        case Event.SIGNAL:
            return f"{who} observes in {names.phases[x]}: {_signal(program, x, content)}"
        case Event.LEADER:
            return f"{who} leads ({names.phases[x]})"
        case Event.AUCTION:
            return _auction(who, x, y)
        case Event.SIDE_BET:
            return f"{who} {'wins' if y else 'loses'} the side bet of {names.phases[x]}"
        case Event.SCORE:
            return f"{who} scores {x}"
        case Event.ANNOUNCE:
            return f"announcement: {names.texts[x]}"
        case Event.VARIABLE:
            return f"{names.variables[x]} is {y}"
        case Event.RESULT:
            winner = "the pot is split" if seat == NOBODY else f"{who} takes the pot"
            return f"{winner} ({EndReason(x).name.lower()})"


def _account(seat: int) -> str:
    return "The pot" if seat == NOBODY else SEATS[seat]


def _reason(z: int) -> str:
    return ChipReason(z).name.lower().replace("_", " ")


def _auction(who: str, result: int, coin: int) -> str:
    if result == AuctionResult.NO_BIDS:
        return "nobody bids"
    tie = " after a tie, by a coin" if coin else ""
    if result == AuctionResult.WON:
        return f"{who} wins the auction{tie}"
    return f"{who} would win the auction{tie}, but it is cancelled"


def _signal(program: Program, phase: int, content: int) -> str:
    """The result of an observation. The kind of its signal is read from the phase's instruction."""
    for i in range(program.rows):
        words = program.code[i * WIDTH : (i + 1) * WIDTH]
        if words[0] == Op.OBSERVE and words[2] == phase:
            look = Look(int(words[3]))
            if look in (Look.OPPONENT_CARD, Look.DECK_CARD):
                return f"card {cards_text(program, content)}" if content else "no card"
            if look in (Look.OPPONENT_SUIT, Look.DECK_SUIT):
                return f"suit {program.names.suits[content - 1]}" if content else "no card"
            if look is Look.TOP_RANK:
                return f"highest rank {FACES.get(content, str(content))}" if content else "an empty hand"
            if look is Look.SIZE:
                return f"{content} cards"
    return "nothing"
