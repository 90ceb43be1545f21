"""Players with solved policies (`antemill solve`): mixed strategies, drawn with the seat's own randomness (N13)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.disguise import Disguise
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import chain, mix64
from antemill.engine.machine.events import EVENT_WIDTH, EVERYONE, Event
from antemill.engine.machine.policy import find_slot
from antemill.engine.match import Game
from antemill.engine.match.wording import Seen
from antemill.solver.evaluation.disguises import in_disguise
from antemill.solver.policies.file import load_policy
from antemill.solver.policies.policy import Strategy, draw_at, fill_menu, strategy_of
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.trees.abstraction import REVEALED_PAIR, Abstraction, abstract_key, menu_word, wager_bin
from antemill.solver.trees.suits import NONE as NOTHING_RENAMED
from antemill.solver.trees.suits import observe_rows, observed_key, opened
from antemill.solver.trees.walk import renaming
from antemill.tournament.players.observation import Observation
from antemill.tournament.players.player import Choice

_STEPS = (Event.CHOICE, Event.LOCK, Event.REVEALED)


class SolvedPlayer:
    """Plays a saved policy of this game, with the draws that `antemill.solver.evaluation.sampled_response.self_play`
    would take.

    Decisions that the policy does not know are played uniformly and counted in `unseen`. For the default abstraction
    and the abstraction of suits the key is made from the events that the seat has seen, so the match must keep its log
    (`needs_log`).
    """

    def __init__(self, name: str, saved: SavedPolicy, game: Game) -> None:
        self.name = name
        self.saved = saved
        self.unseen = 0
        self._strategy: Strategy = strategy_of(saved.table)
        self._state = game.program.initial_state()
        self._suits = renaming(game.program, saved.table.abstraction)
        self._start = (int(self._state[at.PATH]), *(int(self._state[at.OWN_PATH + seat]) for seat in (0, 1)))

    @property
    def needs_log(self) -> bool:
        """Whether matches must keep a log for this player."""
        return self.saved.table.abstraction == Abstraction.DEFAULT or self._suits.kind != NOTHING_RENAMED

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
        abstraction = self.saved.table.abstraction
        if self._suits.kind != NOTHING_RENAMED:
            return self._heard(observation)
        if abstraction.lossless:
            return observation.keys().recall
        if abstraction == Abstraction.FINE:
            return int(mix64(chain(observation.keys().info, menu_word(state, int(abstraction)))))
        self._remember(observation)
        return int(abstract_key(state, seat, observation.decision, int(abstraction)))

    def _heard(self, observation: Observation) -> int:
        """The key up to names of suits, from the events that the seat has seen."""
        seat, observed = observation.seat, opened(self._suits)
        observe_rows(self._suits, observed, np.array(observation.view().event_rows, np.int64).reshape(-1, EVENT_WIDTH))
        return int(observed_key(self._suits, observed, seat, len(observation.menu), observation.decision))

    def _remember(self, observation: Observation) -> None:
        """Write the hand's key and the paths with binned wagers into the state, from the events seen by the seat."""
        state, seat, view = self._state, observation.seat, observation.view()
        cards = [card for card in range(observation.program.cards) if view.hand >> card & 1]
        state[at.HAND_KEY + seat] = state[[at.CARD_KEY + card for card in cards]].sum()
        steps = [row for row in view.rows if isinstance(row, Seen) and row.kind in _STEPS]
        path, own = binned_paths(observation.game, steps, self._start[0], self._start[1 + seat])
        state[at.PATH], state[at.OWN_PATH + seat] = path, own


def binned_paths(game: Game, steps: list[Seen], path: int, own: int) -> tuple[int, int]:
    """The public and the own action path of a seat, as `antemill.solver.trees.abstraction.follow` keeps them, from its
    start."""
    kinds = game.names.decisions
    secret = 0
    for row in steps:
        amount = not kinds[row.x].labels
        action = wager_bin(row.y) if amount else row.y
        step = row.x << 16 | action
        if row.kind == Event.REVEALED and amount:
            if row.seat == 0:
                secret = action
            else:
                path = chain(chain(chain(path, REVEALED_PAIR), secret), action)
        elif row.kind == Event.REVEALED or row.told == EVERYONE:
            path = chain(path, step)
        else:
            own = chain(chain(own, path), step)
    return int(path), int(own)


def solved_player(path: str | Path, game: Game) -> SolvedPlayer:
    """The player of the game's policy in a file, or in a folder of them. Raises StorageError, UsageError."""
    return SolvedPlayer(str(path), load_policy(path, game.program), game)


def carried_player(path: str | Path, game: Game, disguise: Disguise) -> SolvedPlayer:
    """The player of a disguise by the policy of the game behind it. Raises as `solved_player`, and UsageError if that
    game's tree is too large."""
    saved = load_policy(path, compile_spec(disguise.original))
    return SolvedPlayer(str(path), in_disguise(saved, disguise), game)
