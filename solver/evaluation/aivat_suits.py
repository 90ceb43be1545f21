"""AIVAT for a policy that leaves out names of suits, on the tree that merges histories that differ only in them.

The estimate is a function of the opponent's last information set and action (`aivat_tree`). The probability of getting
there does not depend on names that the known policy and the rules leave out. So the merged tree
(`antemill.solver.trees.suits`) gives the same estimates as the whole one, also against an opponent who distinguishes
suits. A match finds its sets by their keys, which are made of what a seat was told.
"""

from __future__ import annotations

from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.layout import DECIDE
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.history import History, check_game, impossible_choice
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.suits import observe_new, observed_key, opened
from antemill.solver.trees.walk import renaming

_EVENTS = 64  # of the journal at first


class SuitsAivat:
    """AIVAT on the tree of a game under `Abstraction.SUITS`. profile: as for `TreeAivat`, on that tree."""

    kind = "tree"

    def __init__(self, program: Program, tree: ExtensiveForm, profile: StrategyProfile) -> None:
        self._program, self._tree = program, tree
        self._method = TreeAivat(tree, profile)
        self._suits = renaming(program, Abstraction.SUITS)._replace(merging=False)
        self._sets = tuple({int(key): i for i, key in enumerate(mine.key)} for mine in tree.sets)

    def estimate(self, seat: int, history: History) -> float:
        """Alice's payoff of a match in which the policy of `seat` is known, in chips.

        Raises UsageError if the match is of another game, or if the known seat took an action of probability 0.
        """
        check_game(history, self._program.digest, self._program.names.game)
        last, events = None, _EVENTS
        while last is None:
            last, events = self._last_sequences(history, events), 4 * events
        if not self._method.plays(seat, last[seat]):
            raise UsageError(impossible_choice(self._program.names.game, seat))
        return float(self._method.estimates(seat)[last[1 - seat]])

    def _last_sequences(self, history: History, events: int) -> list[int] | None:
        """Each seat's last sequence; None if the journal has too little space for a step's events."""
        state, observed, last = new_state(self._program.initial_state(), events), opened(self._suits), [0, 0]
        advance(self._program.code, state)
        for step in history.steps:
            if not observe_new(self._suits, observed, state):
                return None
            if state[at.STOP] == DECIDE:
                seat = int(state[at.SEAT])
                last[seat] = self._sequence(observed, state, seat) + step.child
            state[at.CHOICE] = step.choice
            advance(self._program.code, state)
        return last

    def _sequence(self, observed: Array, state: Array, seat: int) -> int:
        """The first sequence of the set in which the seat decides."""
        key = int(observed_key(self._suits, observed, seat, state[at.MENU], state[at.DECISION]))
        return int(self._tree.sets[seat].start[self._sets[seat][key]])
