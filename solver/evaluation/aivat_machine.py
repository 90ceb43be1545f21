"""AIVAT for games whose tree does not fit: corrections at chance and at the known player's decisions, on the machine.

The estimate is the payoff plus, for every move of chance and every own choice on the path, the expected value of the
states it can lead to minus the value of the state it has led to. Given the state before the move, each correction has
mean 0 if the values are a function of the state. So the estimate is unbiased for any opponent and for rough values.
Unlike on the tree (`antemill.solver.evaluation.aivat_tree`), nothing is averaged over the other hands of the known
player.

A state's value is the mean payoff of playouts from it, in which both seats follow the known policy. The playouts of all
states draw from the same streams, so most of the noise cancels when states are compared. These streams are independent
of those of matches.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import Branch, root_state
from antemill.engine.machine.chance import key_of, subkey
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams, payoff, streams
from antemill.engine.machine.vm import advance
from antemill.solver.evaluation.history import History, check_game, impossible_choice, ordered_branches
from antemill.solver.game import Array
from antemill.solver.policies.policy import Policy, Strategy, draw, fill_menu, strategy_of
from antemill.solver.trees.abstraction import abstract_key

Value = Callable[[Array], float]  # int64[layout.SIZE], a stopped state -> Alice's expected payoff, chips

PLAYOUTS = 200  # for a value
NEITHER = -1  # the seat of a match in which neither policy is known
_VALUES = 0xA17A7  # the purpose of the streams


class MachineAivat:
    """Estimates on the machine. policy: of both seats; the known seat must have played its part.

    value: gives the value of a state; by default the mean of `playouts` playouts. Any function of the state gives
    unbiased estimates; a better one reduces the variance. Raises UsageError for fewer than one playout.
    """

    kind = "machine"

    def __init__(self, program: Program, policy: Policy, playouts: int = PLAYOUTS, value: Value | None = None) -> None:
        if playouts < 1:
            raise UsageError("the value of a state needs at least one playout.")
        self.program = program
        self._strategy = strategy_of(policy)
        self._value = self._mean_payoff if value is None else value
        self._playouts = playouts
        self._digest = program.digest
        self._keys = streams(key_of(int(self._digest[:15], 16), _VALUES))
        self._workspace = np.zeros(at.SIZE, np.int64)

    def estimate(self, seat: int, history: History) -> float:
        """Alice's payoff of a match in which the policy of `seat` is known, in chips. With NEITHER as the seat, only
        the luck of chance is removed.

        Raises UsageError if the match is of another game, or if the known seat took an action of probability 0.
        """
        check_game(history, self._digest, self.program.names.game)
        state, total = root_state(self.program), float(history.payoff)
        for choice, child in history.steps:
            if state[at.STOP] == CHANCE or state[at.SEAT] == seat:
                total += self._correction(state, ordered_branches(self.program, state), child)
            state = self._after(state, choice)
        return total

    def _correction(self, state: Array, found: list[Branch], child: int) -> float:
        """Expected value of the branches minus the value of the one that was taken."""
        odds = self._odds(state, found)
        if odds[child] <= 0.0:
            raise UsageError(impossible_choice(self.program.names.game, int(state[at.SEAT])))
        if odds[child] == 1.0:
            return 0.0
        values = [
            self._value(self._after(state, branch.choice)) if p > 0.0 else 0.0
            for branch, p in zip(found, odds, strict=True)
        ]
        return float(np.dot(odds, values) - values[child])

    def _odds(self, state: Array, found: list[Branch]) -> Array:
        if state[at.STOP] == CHANCE:
            return np.array([branch.weight / int(state[at.MENU]) for branch in found])
        key = int(abstract_key(state, state[at.SEAT], state[at.DECISION], self._strategy.abstraction))
        odds = np.empty(int(state[at.MENU]))
        fill_menu(self._strategy, state, key, odds)
        real: Array = odds[: len(found)] / odds.sum()  # bids above the stack are never played
        return real

    def _after(self, state: Array, choice: int) -> Array:
        after = state.copy()
        after[at.CHOICE] = choice
        advance(self.program.code, after)
        return after

    def _mean_payoff(self, state: Array) -> float:
        if state[at.STOP] == OVER:
            return float(payoff(state))
        return float(mean_payoff(self.program.code, state, self._workspace, self._strategy, self._keys, self._playouts))


@kernel
def mean_payoff(
    code: np.ndarray, state: np.ndarray, workspace: np.ndarray, strategy: Strategy, keys: Streams, playouts: int
) -> float:
    """Alice's mean payoff over playouts from a stopped state; `workspace` is a state that the playouts overwrite."""
    total = 0
    for i in range(playouts):
        for word in range(len(workspace)):
            workspace[word] = state[word]
        chance = subkey(keys.chance, i)
        alice, bob = subkey(keys.alice, i), subkey(keys.bob, i)
        workspace[at.CHANCE_KEY] = chance if chance != 0 else 1
        counter = 0
        while advance(code, workspace) != OVER:
            seat = workspace[at.SEAT]
            key = alice if seat == 0 else bob
            workspace[at.CHOICE] = draw(strategy, workspace, seat, workspace[at.DECISION], key, counter)
            counter += 2
        total += payoff(workspace)
    return total / playouts
