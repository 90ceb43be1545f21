"""What a player sees of a state as a vector of fixed size, for learning algorithms.

Chips are in starting stacks, the deck in full decks. The vector holds the present, not the history: two moments that a
player can tell apart may look the same. Nothing in it depends on what the player was not told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.machine import layout as at
from engine.machine.branches import Branch, branches
from engine.machine.layout import DECIDE
from engine.machine.program import Program
from engine.rules.limits import MAX_CARDS

Vector = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]

_WIDE = 1e9  # frameworks want finite bounds


class Sight:
    """Turns states of one program into vectors.

    names: what each component is. actions: size of the action space; an action is an option's number or an amount.
    """

    def __init__(self, program: Program) -> None:
        names = program.names
        self.program = program
        self.actions = max(decision.actions for decision in names.decisions)
        kinds = [f"rank {rank}" for rank in names.ranks]
        kinds += [f"suit {suit}" for suit in names.suits] if program.suited else []
        public = ["own stack", "other stack", "pot", "own score", "last bet to answer", "deck", "leading"]
        self.names = (
            *public,
            *(f"variable {name}" for name in names.variables),
            *(f"board {kind}" for kind in kinds),
            *(f"hand {kind}" for kind in kinds),
            *(f"decision {number}" for number in range(len(names.decisions))),
            *(f"legal {action}" for action in range(self.actions)),
        )

    @property
    def size(self) -> int:
        """Length of a vector."""
        return len(self.names)

    def vector(self, state: npt.NDArray[Any], seat: int) -> Vector:
        """float32[size]: what the seat sees. The parts about the decision are 0 unless the seat has to decide."""
        decisions = np.zeros(len(self.program.names.decisions))
        if state[at.STOP] == DECIDE and state[at.SEAT] == seat:
            decisions[state[at.DECISION]] = 1
        chips = state[at.START_CHIPS]
        money = [state[at.CHIPS + seat], state[at.CHIPS + 1 - seat], state[at.POT], state[at.SCORE] * (1 - 2 * seat)]
        own = state[at.HANDS + seat * MAX_CARDS :][: state[at.HAND_N + seat]]
        parts = (
            np.array([*money, state[at.OWED]]) / chips,
            [state[at.DECK_N] / state[at.CARDS], state[at.SEATS + 2] == seat],
            state[at.VARIABLES : at.VARIABLES + len(self.program.names.variables)],
            self._counts(state[at.BOARD :][: state[at.BOARD_N]]),
            self._counts(own),
            decisions,
            self.legal(state, seat),
        )
        return np.concatenate(parts).astype(np.float32)

    def legal(self, state: npt.NDArray[Any], seat: int) -> Mask:
        """int8[actions]: 1 for each action that the seat can take now."""
        mask = np.zeros(self.actions, np.int8)
        if state[at.STOP] == DECIDE and state[at.SEAT] == seat:
            mask[[way.number for way in branches(self.program, state)]] = 1
        return mask

    def branch(self, state: npt.NDArray[Any], action: int) -> Branch | None:
        """The branch of an action at the decision that the state waits for; None if it is not legal."""
        return next((way for way in branches(self.program, state) if way.number == action), None)

    def bounds(self) -> tuple[Vector, Vector]:
        """float32[size] twice: the smallest and the largest value of each component; scores and variables know none."""
        wide = np.array([name == "own score" or name.startswith("variable ") for name in self.names])
        high = np.where(wide, _WIDE, max(2, self.program.cards))
        return np.where(wide, -_WIDE, 0).astype(np.float32), high.astype(np.float32)

    def _counts(self, cards: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        ranks, suits = len(self.program.names.ranks), len(self.program.names.suits)
        counts = np.bincount(cards // suits, minlength=ranks)
        return np.concatenate((counts, np.bincount(cards % suits, minlength=suits))) if self.program.suited else counts
