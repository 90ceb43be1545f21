"""Players with solved policies (`antemill solve`): mixed strategies, drawn with the seat's own randomness (N13)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.disguise import Disguise
from antemill.engine.errors import StorageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import chain, mix64
from antemill.engine.machine.policy import find_slot
from antemill.engine.match import Game
from antemill.solver.policies.file import find_policy, load_policy
from antemill.solver.policies.policy import Strategy, draw_at, fill_menu, strategy_of
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import solve_like
from antemill.solver.trees.abstraction import Abstraction, menu_word
from antemill.tournament.players.observation import Observation
from antemill.tournament.players.player import Choice


class SolvedPlayer:
    """Plays a saved policy of this game, with the draws that `antemill.solver.evaluation.sampled_response.self_play`
    would take.

    Decisions that the policy does not know are played uniformly and counted in `unseen`.
    """

    def __init__(self, name: str, saved: SavedPolicy, game: Game) -> None:
        self.name = name
        self.saved = saved
        self.unseen = 0
        self._strategy: Strategy = strategy_of(saved.table)
        self._state = game.program.initial_state()

    def choose(self, observation: Observation) -> Choice:
        """A draw from the policy."""
        key = self._look(observation)
        index = draw_at(self._strategy, self._state, key, observation.key, observation.counter)
        self.unseen += int(find_slot(self._strategy.slots, key)) < 0
        return observation.menu.choice(int(index))

    def probabilities(self, observation: Observation) -> npt.NDArray[np.float64]:
        """float64[menu entries]: the probability of each entry of the menu."""
        out = np.zeros(len(observation.menu))
        fill_menu(self._strategy, self._state, self._look(observation), out)
        return out

    def _look(self, observation: Observation) -> int:
        """The key of the decision. Also writes the menu, the seat and its stack where kernels read them."""
        menu, state, seat = observation.menu, self._state, observation.seat
        state[at.SEAT] = seat
        state[at.CHIPS + seat] = observation.numbers().stacks[seat]
        state[at.MENU], state[at.MENU_LOW] = len(menu), menu.low
        state[at.MENU_MASK] = sum(1 << action for action in menu.actions)
        keys, abstraction = observation.keys(), self.saved.table.abstraction
        if abstraction == Abstraction.NONE:
            return keys.recall
        return int(mix64(chain(keys.info if abstraction == Abstraction.FINE else keys.context, menu_word(state))))


def solved_player(path: str | Path, game: Game, disguise: Disguise | None = None) -> SolvedPlayer:
    """The player of the game's policy, as `policy_for` finds it. Raises what that raises."""
    return SolvedPlayer(str(path), policy_for(path, game, disguise), game)


def policy_for(path: str | Path, game: Game, disguise: Disguise | None = None) -> SavedPolicy:
    """The game's policy in a file, or in a folder of them.

    disguise: if the game is one. A folder may have its policy; else it is solved as that of the game behind it was.
    Raises StorageError, and UsageError for a policy of another game, or a disguise with a large tree.
    """
    if disguise is None:
        return load_policy(path, game.program)
    if Path(path).is_dir():
        with suppress(StorageError):
            return find_policy(path, game.program)
    known = load_policy(path, compile_spec(disguise.original)).solution
    return solve_like(game.program, known, disguise.scale)
