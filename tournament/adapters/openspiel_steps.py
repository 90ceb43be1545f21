"""The lanes of OpenSpiel's learning environments, and their time steps
(`antemill.tournament.adapters.openspiel_lanes`)."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.rl_environment import StepType, TimeStep

from antemill.engine.arguments import whole
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import outcome_number
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.lanes import Lanes
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.policy import action_index
from antemill.engine.machine.rollout import streams
from antemill.engine.machine.vm import UNANSWERED, advance
from antemill.engine.vector.both import FULL, TAKEN, Shown, show_both, take
from antemill.tournament.adapters.given import whole_number
from antemill.tournament.adapters.openspiel import AntemillGame, AntemillState

_TERMINAL = int(pyspiel.PlayerId.TERMINAL)
_TRIES = 1_000  # episodes of a lane tried until a player is asked
_NONE = -1  # no action
_ACTIONS = 8  # initial capacity for an episode's actions

IntArray = npt.NDArray[np.int64]


class Options(NamedTuple):
    """Arguments of OpenSpiel's environments, under its names."""

    discount: float
    observation_type: rl_environment.ObservationType | None
    include_full_state: bool
    enable_legality_check: bool


class StepLanes:
    """The lanes that some environments play on, and their time steps."""

    def __init__(self, game: AntemillGame, lanes: int, seed: int | None, options: Options) -> None:
        lanes = whole(lanes, "lanes", 1)
        try:
            self.lanes = Lanes(game.program, lanes)
            self._taken = np.zeros((lanes, _ACTIONS), np.int16)
        except (MemoryError, OverflowError, ValueError):  # more than the memory has, or than numpy can count
            raise UsageError(f"{lanes:,} lanes do not fit into memory: ask for fewer.") from None
        self.game, self.options = game, options
        self.lanes.episodes[:] = -1
        self._mask = np.zeros(game.state_observation.actions, np.int8)
        self._bases: dict[int, AntemillState] = {}  # the first states of lanes that did not begin at the game's start
        self.seed(seed)

    def seed(self, seed: int | None) -> None:
        """Begin a series of episodes, each lane with its next one."""
        self._keys = streams(secrets.randbits(63) if seed is None else whole_number(seed, "the seed"))
        self._next = np.arange(len(self.lanes))

    def deal(self, where: npt.NDArray[np.bool_]) -> None:
        """Begin the next episode with a decision in each lane of the mask `where`, bool[n]."""
        for _ in range(_TRIES):
            self.lanes.reset(self._keys, self._next, where)
            self._next[where] += len(self.lanes)
            if self._bases:
                self._bases = {lane: base for lane, base in self._bases.items() if not where[lane]}
            where = where & self.lanes.done
            if not where.any():
                return
        raise UsageError(f"{_TRIES:,} episodes of {self.game.program.names.game} had no decision: take another game.")

    def take(self, lanes: IntArray, actions: Sequence[Any]) -> None:
        """Take an action in each of these lanes; the action of a lane that is over is ignored.

        Raises UsageError, before anything is played, for an action that is no whole number or not legal; the latter is
        OpenSpiel's IllegalActionError with `enable_legality_check`.
        """
        chosen = self._numbers(lanes, actions)
        while (place := take(self.lanes.dealer, self.lanes.rows, lanes, chosen, self._taken)) == FULL:
            self._taken = np.concatenate([self._taken, np.zeros_like(self._taken)], axis=1)
        if place != TAKEN:
            lane = lanes[place]
            legal = np.flatnonzero(
                self.game.state_observation.legal(self.lanes.states[lane], self.lanes.seats[lane])
            ).tolist()
            error = rl_environment.IllegalActionError if self.options.enable_legality_check else UsageError
            raise error(f"action {actions[place]} is not legal in lane {lane} now: choose one of {legal}.")

    def time_steps(self, lanes: IntArray, begun: Sequence[bool]) -> list[TimeStep]:
        """The time steps of these lanes. begun: whether each is the first of an episode."""
        program, rows = self.game.program, self.lanes.rows
        count, actions = len(lanes), len(self._mask)
        shown = Shown(
            np.empty((count, 2, self.game.state_observation.size), np.float32),
            np.empty(count * actions, np.int16),
            np.empty(count, np.int64),
        )
        show_both(program.code, rows.states, lanes, self.game.state_observation.frames[0], self._mask, shown)
        vectors, legal, start = shown.vectors.tolist(), shown.legal[: shown.ends[-1]].tolist(), 0
        seats, over, payoffs = (column[lanes].tolist() for column in (rows.seats, rows.done, rows.payoffs))
        discount, full = self.options.discount, self.options.include_full_state
        found = []
        for i, end in enumerate(shown.ends.tolist()):
            mine, start = legal[start:end], end
            observations = {
                "info_state": vectors[i],
                "legal_actions": [[], mine] if seats[i] else [mine, []],
                "current_player": _TERMINAL if over[i] else seats[i],
                "serialized_state": self._serialized(int(lanes[i])) if full else [],
            }
            if over[i]:
                alice = float(payoffs[i])
                found.append(TimeStep(observations, [alice, -alice], [0.0, 0.0], StepType.LAST))
            elif begun[i]:
                found.append(TimeStep(observations, None, None, StepType.FIRST))
            else:
                found.append(TimeStep(observations, [0.0, 0.0], [discount, discount], StepType.MID))
        return found

    def state(self, lane: int) -> Any:
        """The lane's moment as OpenSpiel's state, made by replaying the episode; None before the first episode."""
        if self.lanes.episodes[lane] < 0:
            return None
        program, base = self.game.program, self._bases.get(lane)
        state = self.game.new_initial_state() if base is None else base.clone()
        words = (
            state.words.copy()
        )  # with the lane's own cards: of cards that no rule tells apart, OpenSpiel takes the first
        actions: Iterator[int] = iter(self._taken[lane, : self.lanes.made[lane]].tolist())
        while words[at.STOP] != OVER:
            if words[at.STOP] == CHANCE:
                key, address, outcomes = self.lanes.states[lane, at.CHANCE_KEY], words[at.ADDRESS], words[at.MENU]
                words[at.CHOICE] = below(key, address, outcomes)
                action = outcome_number(program, words, int(words[at.CHOICE]))
            elif (action := next(actions, _NONE)) == _NONE:
                break
            else:
                words[at.CHOICE] = action_index(words, action)
            state.apply_action(action)
            advance(program.code, words)
        return state

    def put(self, lane: int, state: AntemillState) -> None:
        """Continue from a state with new cards; at a chance node, the play runs to the next decision."""
        rows = self.lanes.rows
        rows.episodes[lane] = self._next[lane]
        self._next[lane] += len(self.lanes)
        rows.states[lane] = state.words
        rows.states[lane, at.CHANCE_KEY] = subkey(self._keys.chance, rows.episodes[lane]) or 1
        rows.choices[lane] = UNANSWERED
        rows.made[lane] = rows.menus[lane] = rows.payoffs[lane] = 0
        rows.seats[lane], rows.done[lane] = -1, False
        self._bases[lane] = state.clone()
        self.lanes.advance()

    def _serialized(self, lane: int) -> str:
        text: str = pyspiel.serialize_game_and_state(self.game, self.state(lane))
        return text

    def _numbers(self, lanes: IntArray, actions: Sequence[Any]) -> IntArray:
        """int64[k]: the actions; -1 for a number that is no action."""
        try:
            chosen = np.array(actions)
        except ValueError:  # of different lengths
            chosen = np.array(None)
        if chosen.dtype.kind in "iu" and chosen.shape == lanes.shape:
            return chosen.astype(np.int64)
        chosen = np.full(len(lanes), _NONE)
        for i in np.flatnonzero(~self.lanes.done[lanes]).tolist():
            number = whole_number(actions[i], f"the action of lane {lanes[i]}")
            if 0 <= number < len(self._mask):
                chosen[i] = number
        return chosen
