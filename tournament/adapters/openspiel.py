"""Our games in OpenSpiel. Importing this module registers them; it needs the extra antemill[openspiel].

    import pyspiel, antemill.tournament.adapters.openspiel
    game = pyspiel.load_game("antemill(seed=7,complexity=0.1)")

Parameters: `seed`, `complexity` (with a decimal point: 1.0) and instead of both `game`, a GAME as on our command line,
or `rules`, the JSON of rules in hexadecimal digits, as `load_rules` passes it.

Chance nodes are explicit, and cards that no rule tells apart are one outcome (`antemill.engine.machine.branches`). A
player's action is the option's number or the amount of chips; a chance outcome is a card, or the outcome's number. The
information state string is the text of all events that the player observed, and of the decision if it is theirs. Two
strings are equal exactly if the perfect-recall keys are. The observation is that of
`antemill.engine.vector.StateObservation`.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyspiel

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import Branch, branches
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.rollout import payoff
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.match.view import seen_by
from antemill.engine.rules.spec import GameSpec, from_json, to_json
from antemill.engine.text.describe import journal
from antemill.engine.text.labels import SEATS, action_name, branch_label, class_name
from antemill.engine.text.wording import Wording
from antemill.engine.vector.state_observation import StateObservation
from antemill.tournament.extent import extent

OWN_COMPLEXITY = -1.0
_JOURNAL = 64  # capacity for events between two questions; if it is full, a second attempt has more

_TYPE = pyspiel.GameType(
    short_name="antemill",
    long_name="Antemill",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"seed": 0, "complexity": OWN_COMPLEXITY, "game": "", "rules": ""},
)


def _rules(parameters: dict[str, Any]) -> GameSpec:
    if given := str(parameters.get("rules", "")):
        try:
            return from_json(bytes.fromhex(given))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise SpecError("the parameter rules holds no game: load rules by load_rules, or a file by game.") from None
    if named := str(parameters.get("game", "")):
        return resolve(named)
    seed, complexity = parameters.get("seed", 0), float(parameters.get("complexity", OWN_COMPLEXITY))
    return resolve(f"{seed}" if complexity == OWN_COMPLEXITY else f"{seed}@{complexity}")


def load_rules(spec: GameSpec) -> AntemillGame:
    """The game with these rules in OpenSpiel. Raises SpecError if they are not legal."""
    game: AntemillGame = pyspiel.load_game(_TYPE.short_name, {"rules": to_json(spec).hex()})
    return game


class AntemillGame(pyspiel.Game):  # type: ignore[misc]
    """A game from its parameters. Raises UsageError, StorageError or SpecError if they name no game."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        spec = _rules(params or {})
        self.program = compile_spec(spec)
        self.wording = Wording(self.program, spec, class_name)
        self.state_observation = StateObservation(self.program)
        self.extent = extent(spec)
        most = float(spec.chips + self.extent.score)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.state_observation.actions,
            max_chance_outcomes=max(2, self.program.cards),
            num_players=2,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.extent.decisions,
        )
        super().__init__(_TYPE, info, params or {})

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is loaded from the parameters, since OpenSpiel copies no attributes of a game."""
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> AntemillState:
        """The state at the game's first question."""
        return AntemillState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The largest number of chance nodes in a history."""
        return self.extent.draws

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """The observer that makes strings and vectors. Raises ValueError for parameters, since none are supported."""
        if params:
            raise ValueError(f"an observation takes no parameters: leave out {', '.join(map(str, params))}")
        return _Observer(self.state_observation, iig_obs_type is not None and iig_obs_type.perfect_recall)


class AntemillState(pyspiel.State):  # type: ignore[misc]
    """A moment of a play. OpenSpiel copies and pickles the attributes, so they hold no program."""

    def __init__(self, game: AntemillGame) -> None:
        super().__init__(game)
        self.words: npt.NDArray[np.int64] = game.program.initial_state()  # the machine's state
        self.texts = ["You are Alice.\n", "You are Bob.\n", ""]  # events that Alice, Bob observed; all events
        self._go_on(game)

    def current_player(self) -> int:
        """0 Alice, 1 Bob, or OpenSpiel's numbers for chance and for the end."""
        stop = self.words[at.STOP]
        if stop == DECIDE:
            return int(self.words[at.SEAT])
        return int(pyspiel.PlayerId.CHANCE if stop == CHANCE else pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return bool(self.words[at.STOP] == OVER)

    def returns(self) -> list[float]:
        """Both payoffs in chips; 0 before the end."""
        alice = float(payoff(self.words)) if self.is_terminal() else 0.0
        return [alice, -alice]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes with their probabilities."""
        return [(way.number, way.weight / int(self.words[at.MENU])) for way in self._ways()]

    def _legal_actions(self, _player: int) -> list[int]:
        return [way.number for way in self._ways()]

    def _apply_action(self, action: int) -> None:
        for way in self._ways():
            if way.number == action:
                self.words[at.CHOICE] = way.choice
                self._go_on(self._game())
                return
        raise UsageError(f"there is no action {action} here: choose one of {self.legal_actions()}.")

    def _action_to_string(self, player: int, action: int) -> str:
        for way in self._ways():
            if way.number == action and player == self.current_player():
                return branch_label(self._game().program, self.words, way)
        return str(action)

    def __str__(self) -> str:
        return self.texts[2] + self._question()

    def information(self, player: int) -> str:
        """All events that the player observed, and the question if it is the player's."""
        return self.texts[player] + (self._question() if self.current_player() == player else "")

    def _game(self) -> AntemillGame:
        game: AntemillGame = self.get_game()
        return game

    def _ways(self) -> list[Branch]:
        return branches(self._game().program, self.words)

    def _question(self) -> str:
        if self.words[at.STOP] != DECIDE:
            return ""
        kind = self._game().program.names.decisions[int(self.words[at.DECISION])]
        menu = "/".join(action_name(kind, way.number) for way in self._ways())
        return f"{SEATS[kind.seat]}, {kind.phase}, {kind.move_name}: {menu}?"

    def _go_on(self, game: AntemillGame) -> None:
        """Run to the next question and add the events on the way to the texts."""
        capacity = _JOURNAL
        while True:
            state = new_state(self.words, capacity)
            state[at.JOURNAL_N] = 0
            advance(game.program.code, state)
            if state[at.JOURNAL_N] < capacity:
                break
            capacity *= 8
        for row in journal(state):
            for seat in range(2):
                seen = seen_by(row, seat)
                if seen is not None:
                    self.texts[seat] += game.wording.line(seen, seat) + "\n"
            self.texts[2] += game.wording.whole(row) + "\n"
        self.words = state[: at.SIZE].copy()


class _Observer:
    """OpenSpiel's observer: the text of the information state with perfect recall, else the vector of the present."""

    def __init__(self, state_observation: StateObservation, recall: bool) -> None:
        self.state_observation = state_observation
        self.recall = recall
        self.tensor = None if recall else np.zeros(state_observation.size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: AntemillState, player: int) -> None:
        """Fill the vector with what the player observes in a state."""
        if self.tensor is not None:
            self.tensor[:] = self.state_observation.vector(state.words, player)

    def string_from(self, state: AntemillState, player: int) -> str:
        """The information state, or the names and values of the vector's components that are not 0."""
        if self.recall:
            return state.information(player)
        vector = self.state_observation.vector(state.words, player)
        return ", ".join(f"{name} {x:g}" for name, x in zip(self.state_observation.names, vector, strict=True) if x)


pyspiel.register_game(_TYPE, AntemillGame)
