"""Our games as OpenSpiel's learning environments, played on lanes. It needs the extra antemill[openspiel].

    from antemill.tournament.adapters import openspiel_env, openspiel_vector_env
    table = openspiel_env("7@0.1", seed=1)                an `rl_environment.Environment`
    time_step = table.reset()
    time_step = table.step([time_step.observations["legal_actions"][time_step.current_player()][0]])
    tables = openspiel_vector_env("7@0.1", 256, seed=1)   a `vector_env.SyncVectorEnv`

Time steps equal those that OpenSpiel makes of our states (`antemill.tournament.adapters.openspiel`) with the same
cards and actions. Lane i of n plays the episodes i, i + n, ... of the streams of the seed, whose
cards are those of `antemill.engine.rollout`. Three things differ:

- An episode without a decision is skipped, because OpenSpiel's time steps cannot represent it. - An illegal action in
any lane is refused with a sentence before anything is played. - `seed` begins a series of episodes with the next reset,
in all lanes.
"""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from open_spiel.python import rl_environment
from open_spiel.python.rl_environment import TimeStep
from open_spiel.python.vector_env import SyncVectorEnv

from antemill.engine.arguments import ArgumentValueError, described, number, truth
from antemill.engine.errors import UsageError
from antemill.tournament.adapters.given import Table, games_of, whole_number
from antemill.tournament.adapters.openspiel import AntemillGame, AntemillState, load_rules
from antemill.tournament.adapters.openspiel_steps import Options, StepLanes


class LaneEnvironment(rl_environment.Environment):  # type: ignore[misc]
    """OpenSpiel's `Environment` on one lane; `openspiel_env` makes it."""

    def __init__(self, lanes: StepLanes, lane: int) -> None:
        super().__init__(lanes.game, chance_event_sampler=lanes, **lanes.options._asdict())
        self._lanes, self._lane = lanes, np.array([lane])

    def reset(self) -> TimeStep:
        """Begin an episode. Raises UsageError if none of the next 1,000 has a decision."""
        where = np.zeros(len(self._lanes.lanes), np.bool_)
        where[self._lane] = True
        self._lanes.deal(where)
        return self._lanes.time_steps(self._lane, [True])[0]

    def get_time_step(self) -> TimeStep:
        """The current time step. Raises UsageError before the first reset."""
        if self._lanes.lanes.episodes[self._lane] < 0:
            raise UsageError("no episode has begun: call reset first.")
        return self._lanes.time_steps(self._lane, [False])[0]

    def step(self, actions: Sequence[Any]) -> TimeStep:
        """Take the action of the player to move; at the start and after the end of an episode, begin one instead.

        Raises InvalidParameterError for another number of actions, UsageError for an action that is no whole number or
        not legal: the latter is IllegalActionError if the environment was made with `enable_legality_check`.
        """
        if len(actions) != 1:
            raise rl_environment.InvalidParameterError(
                f"{len(actions)} actions were passed: pass a list of one, that of the player to move."
            )
        if self._lanes.lanes.done[self._lane[0]]:
            return self.reset()
        self._lanes.take(self._lane, actions)
        return self._lanes.time_steps(self._lane, [False])[0]

    @property
    def is_chance_node(self) -> bool:
        """Never: lanes draw chance themselves."""
        return False

    @property
    def get_state(self) -> Any:
        """A copy of the moment as OpenSpiel's state, made by replaying the episode; None before the first reset."""
        return self._lanes.state(int(self._lane[0]))

    def set_state(self, new_state: AntemillState) -> None:
        """Continue from a state of this game, with new cards; at a chance node, the play runs to the next decision.

        Raises InvalidStateError for a state of another game.
        """
        super().set_state(new_state)
        self._state = None
        self._lanes.put(int(self._lane[0]), new_state)

    def __copy__(self) -> LaneEnvironment:
        """A deep copy: two environments cannot play on the same lane."""
        return copy.deepcopy(self)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Switch Python's cyclic garbage collector off while the lists of a step are made.

    The lists are in no cycle. But several thousand new ones at each step would make the collector search everything
    in memory again and again.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


class LaneVectorEnv(SyncVectorEnv):  # type: ignore[misc]
    """OpenSpiel's `SyncVectorEnv` on lanes; `openspiel_vector_env` makes it.

    envs: an environment for each lane, which can also be stepped on its own.
    """

    def __init__(self, lanes: StepLanes) -> None:
        super().__init__([LaneEnvironment(lanes, lane) for lane in range(len(lanes.lanes))])
        self._lanes, self._all = lanes, np.arange(len(self))

    @_uncollected()
    def step(
        self, step_outputs: Sequence[Any], reset_if_done: bool = False
    ) -> tuple[list[TimeStep], list[Any], list[bool], list[TimeStep]]:
        """Take `step_outputs[i].action` in lane i; lanes that are over, or not begun, begin an episode instead.

        Returns time steps, their rewards, whether they are last ones, and the time steps before resets: with
        `reset_if_done`, the first list has the beginning of the next episode for lanes that have ended, the last list
        their end.
        Raises UsageError for another number of step outputs, and otherwise what `LaneEnvironment.step` raises.
        """
        if len(step_outputs) != len(self):
            raise UsageError(f"{len(step_outputs)} step outputs do not fit: {len(self)} lanes need one each.")
        begin = self._lanes.lanes.done.copy()
        self._lanes.take(self._all, [output.action for output in step_outputs])
        if begin.any():
            self._lanes.deal(begin)
        unreset = self._lanes.time_steps(self._all, begin.tolist())
        rewards, done = [step.rewards for step in unreset], [step.last() for step in unreset]
        if not reset_if_done:
            return unreset, rewards, done, unreset
        steps = list(unreset)
        if begin.any():  # with reset_if_done these are no first time steps
            self._replace(steps, begin, begun=False)
        if any(done):
            self._lanes.deal(np.array(done))
            self._replace(steps, np.array(done), begun=True)
        return steps, rewards, done, unreset

    @_uncollected()
    def reset(self, envs_to_reset: Sequence[bool] | None = None) -> list[TimeStep]:
        """Begin an episode in every lane, or in the selected ones; returns the time steps of all lanes.

        Raises UsageError for another number of lanes, or if another lane has not begun an episode.
        """
        where = np.ones(len(self), np.bool_) if envs_to_reset is None else np.array(envs_to_reset, np.bool_)
        if where.shape != (len(self),):
            raise UsageError(f"{where.size} truth values do not fit: {len(self)} lanes need one each.")
        if (idle := np.flatnonzero((self._lanes.lanes.episodes < 0) & ~where)).size:
            raise UsageError(f"no episode has begun in lane {idle[0]}: reset it first.")
        if where.any():
            self._lanes.deal(where)
        return self._lanes.time_steps(self._all, where.tolist())

    def _replace(self, steps: list[TimeStep], where: npt.NDArray[np.bool_], begun: bool) -> None:
        lanes = np.flatnonzero(where)
        for lane, step in zip(lanes.tolist(), self._lanes.time_steps(lanes, [begun] * len(lanes)), strict=True):
            steps[lane] = step

    def __copy__(self) -> LaneVectorEnv:
        """A deep copy: two environments cannot play on the same lanes."""
        return copy.deepcopy(self)


def openspiel_env(
    game: Table | AntemillGame = "kuhn",
    *,
    seed: int | None = None,
    discount: float = 1.0,
    observation_type: rl_environment.ObservationType | None = None,
    include_full_state: bool = False,
    enable_legality_check: bool = False,
) -> LaneEnvironment:
    """An `rl_environment.Environment` of a game.

    game: a GAME as on our command line, a seed, a spec, or our game as `pyspiel.load_game` returns it. seed: of the
    series of episodes; without one it is drawn. include_full_state: whether observations have the whole state, which
    is found by replaying the episode. enable_legality_check: whether an action that is not legal is
    OpenSpiel's IllegalActionError instead of a UsageError. The rest is OpenSpiel's.
    Raises UsageError, StorageError or SpecError for what is no game; ValueError for an observation_type other than
    OBSERVATION, since there is no tensor of the information state; and OpenSpiel's errors for its own arguments.
    """
    options = _options(discount, observation_type, include_full_state, enable_legality_check)
    return LaneEnvironment(_lanes_of(game, 1, seed, options), 0)


def openspiel_vector_env(
    game: Table | AntemillGame = "kuhn",
    lanes: int = 64,
    *,
    seed: int | None = None,
    discount: float = 1.0,
    observation_type: rl_environment.ObservationType | None = None,
    include_full_state: bool = False,
    enable_legality_check: bool = False,
) -> LaneVectorEnv:
    """A `vector_env.SyncVectorEnv` of so many episodes of a game; arguments and errors as those of `openspiel_env`.

    Also raises UsageError for fewer than one lane.
    """
    options = _options(discount, observation_type, include_full_state, enable_legality_check)
    return LaneVectorEnv(_lanes_of(game, whole_number(lanes, "the number of lanes"), seed, options))


def _options(discount: float, kind: rl_environment.ObservationType | None, state: bool, legality: bool) -> Options:
    """OpenSpiel's own arguments, checked."""
    return Options(
        number(discount, "discount"),
        kind,
        truth(state, "include_full_state"),
        truth(legality, "enable_legality_check"),
    )


def _lanes_of(game: Table | AntemillGame, lanes: int, seed: int | None, options: Options) -> StepLanes:
    kind = options.observation_type
    if not (kind is None or kind is rl_environment.ObservationType.OBSERVATION):
        raise ArgumentValueError(
            f"{described(kind)} is not supported, because our games have no tensor of the information state: "
            "use OBSERVATION or None."
        )
    if isinstance(game, AntemillGame):
        return StepLanes(game, lanes, seed, options)
    seed = None if seed is None else whole_number(seed, "the seed")
    specs = games_of(game)
    if len(specs) != 1:
        raise UsageError(f"{len(specs)} games are named: an environment of OpenSpiel plays one.")
    return StepLanes(load_rules(specs[0]), lanes, seed, options)
