"""A player's view of a state as a vector of fixed size, for learning algorithms.

Chips are in starting stacks, the deck in full decks. The vector holds the present state, not the history, which
`antemill.engine.vector.event_observation` gives. So two moments that a player can distinguish may have equal vectors.
The vector does not depend on hidden information. Several games share one form, in which each part has one meaning.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import next_branch
from antemill.engine.machine.layout import DECIDE
from antemill.engine.machine.policy import action_index
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import menu_action
from antemill.engine.machine.words import unsigned
from antemill.engine.rules.limits import MAX_CARDS

Vector = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]
State = npt.NDArray[Any]

_PUBLIC = ("own stack", "other stack", "pot", "own score", "last bet to answer", "deck", "leading")
_SCORE = _PUBLIC.index("own score")
_VARIABLES = len(_PUBLIC)
_NONE = -1
_BITS = 63  # of a menu's mask


class Kinds(NamedTuple):
    """The positions of the ranks and suits of some games in counts of cards."""

    ranks: tuple[int, ...]
    suits: tuple[str, ...]  # of the games in which some rule reads suits

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the counts."""
        return (*(f"rank {rank}" for rank in self.ranks), *(f"suit {suit}" for suit in self.suits))

    def columns(self, program: Program) -> npt.NDArray[np.int64]:
        """int64[cards, 2]: the indices of the counts of a card's rank and of its suit; -1 for no count."""
        suits = program.names.suits
        by_suit = [self.suits.index(suit) + len(self.ranks) if program.suited else _NONE for suit in suits]
        return np.array([[self.ranks.index(rank), column] for rank in program.names.ranks for column in by_suit])


def kinds_of(programs: tuple[Program, ...]) -> Kinds:
    """The ranks and suits by which cards of these games are counted: ranks ascend, suits are in the games' orders."""
    suits = [suit for program in programs if program.suited for suit in program.names.suits]
    ranks = {rank for program in programs for rank in program.names.ranks}
    return Kinds(tuple(sorted(ranks)), tuple(dict.fromkeys(suits)))


class Frame(NamedTuple):
    """The positions of the parts of one game's vectors, as an argument of kernels."""

    columns: npt.NDArray[np.int64]  # int64[cards, 2], see `Kinds.columns`
    variables: int  # the number of the game's variables
    board: int
    hand: int
    decisions: int
    legal: int


class StateObservation:
    """Turns states of some programs into vectors.

    names: of the components. actions: size of the action space; an action is an option's number or an amount.
    frames: the form of each program's vectors.
    """

    def __init__(self, *programs: Program) -> None:
        kinds = kinds_of(programs)
        self.programs = programs
        self.actions = max(kind.actions for program in programs for kind in program.names.decisions)
        alone = programs[0].names.variables if len(programs) == 1 else ()
        variables = alone or range(max(len(program.names.variables) for program in programs))
        decisions = max(len(program.names.decisions) for program in programs)
        self.names = (
            *_PUBLIC,
            *(f"variable {name}" for name in variables),
            *(f"board {kind}" for kind in kinds.names),
            *(f"hand {kind}" for kind in kinds.names),
            *(f"decision {number}" for number in range(decisions)),
            *(f"legal {action}" for action in range(self.actions)),
        )
        board = _VARIABLES + len(variables)
        hand = board + len(kinds.names)
        after = hand + len(kinds.names)
        self.frames = tuple(
            Frame(kinds.columns(program), len(program.names.variables), board, hand, after, after + decisions)
            for program in programs
        )

    @property
    def size(self) -> int:
        """The length of a vector."""
        return len(self.names)

    def vector(self, state: State, seat: int, game: int = 0) -> Vector:
        """float32[size]: the seat's view. The parts about the decision are 0 unless it is the seat's turn."""
        return self._see(state, seat, game)[0]

    def legal(self, state: State, seat: int, game: int = 0) -> Mask:
        """int8[actions]: 1 for each action that the seat can take in this state."""
        return self._see(state, seat, game)[1]

    def choice(self, state: State, action: int, game: int = 0) -> int | None:
        """The index of an action in the menu of the decision that the state waits for; None if it is illegal."""
        legal = 0 <= action < self.actions and self.legal(state, int(state[at.SEAT]), game)[action]
        return int(action_index(state, action)) if legal else None

    def bounds(self, score: float, variable: float) -> tuple[Vector, Vector]:
        """float32[size] twice: the smallest and largest value of each component.

        score, variable: the largest score, in starting stacks, and the largest value of a variable.
        """
        high = np.ones(self.size, np.float32)  # the bound of decisions, legal actions, the deck and the lead
        high[:_VARIABLES] = (2, 2, 2, score, 2, 1, 1)  # both players' chips are two starting stacks
        high[_VARIABLES : self.frames[0].board] = variable
        for frame in self.frames:
            copies = np.bincount(frame.columns[frame.columns >= 0], minlength=frame.hand - frame.board)
            for first in (frame.board, frame.hand):
                part = high[first : first + len(copies)]
                np.maximum(part, copies, out=part)
        low = np.zeros_like(high)
        low[_SCORE], low[_VARIABLES : self.frames[0].board] = -score, -variable
        return low, high

    def _see(self, state: State, seat: int, game: int) -> tuple[Vector, Mask]:
        vector, mask = np.empty(self.size, np.float32), np.empty(self.actions, np.int8)
        observe(self.programs[game].code, state, seat, self.frames[game], vector, mask)
        return vector, mask


@kernel
def observe(code: npt.NDArray[np.int32], state: State, seat: int, frame: Frame, vector: Vector, mask: Mask) -> None:
    """Write a seat's view to `vector`, and its legal actions to `mask`."""
    vector[:] = 0.0
    mask[:] = 0
    chips = state[at.START_CHIPS]
    vector[0] = state[at.CHIPS + seat] / chips
    vector[1] = state[at.CHIPS + 1 - seat] / chips
    vector[2] = state[at.POT] / chips
    vector[3] = state[at.SCORE] * (1 - 2 * seat) / chips
    vector[4] = state[at.OWED] / chips
    vector[5] = state[at.DECK_N] / state[at.CARDS]
    vector[6] = state[at.SEATS + 2] == seat
    for i in range(frame.variables):
        vector[_VARIABLES + i] = state[at.VARIABLES + i]
    for i in range(state[at.BOARD_N]):
        count(state[at.BOARD + i], frame.columns, frame.board, vector)
    for i in range(state[at.HAND_N + seat]):
        count(state[at.HANDS + seat * MAX_CARDS + i], frame.columns, frame.hand, vector)
    if state[at.STOP] == DECIDE and state[at.SEAT] == seat:
        vector[frame.decisions + state[at.DECISION]] = 1.0
        offered = state[at.MENU_MASK]
        for action in range(min(len(mask), _BITS) if offered else 0):
            bit = (offered >> action) & 1
            vector[unsigned(frame.legal + action)] = bit
            mask[unsigned(action)] = bit
        index = -1 if offered else next_branch(code, state, 0)
        while index >= 0:
            action = menu_action(state, index)
            vector[unsigned(frame.legal + action)] = 1.0
            mask[unsigned(action)] = 1
            index = next_branch(code, state, index + 1)


@kernel(inline="late")
def count(card: int, columns: npt.NDArray[np.int64], first: int, vector: Vector) -> None:
    """Count a card by its rank and, if suits matter, by its suit, in the part of `vector` from `first` on."""
    vector[unsigned(first + columns[card, 0])] += 1.0
    if columns[card, 1] >= 0:
        vector[unsigned(first + columns[card, 1])] += 1.0
