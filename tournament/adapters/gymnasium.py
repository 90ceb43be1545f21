"""Our games as one vectorised environment. It needs the extra antemill[gymnasium].

    from antemill.tournament.adapters import vector_env
    table = vector_env("kuhn", 256)                        self-play: the seat that has to decide is asked
    table = vector_env(["9", "7@0.1"], 256, bob="random")  two games; Alice is asked, Bob plays a policy
    observations, infos = table.reset(seed=1)
    actions = ...                                          one for each lane, legal by observations["action_mask"]
    observations, rewards, terminations, truncations, infos = table.step(actions)

A lane plays one game, an episode after the other, as `gymnasium.vector.VectorEnv` says: the step after an end begins
the next episode (`next-step` autoreset) and ignores the lane's action. Lane i of n plays the episodes i, i + n, ... of
the streams of the last seed: those that `antemill.engine.rollout` plays.

Observations (`antemill.engine.vector`) are those of `infos["seat"]`, who has to decide: the present
(`StateObservation`), the legal actions, and what the seat was told since it was last asked (`EventObservation`). The
reward is the payoff in chips, once, at the end, of the seat whose action the step took; the other seat's is its
negative. An episode that ends before any seat is asked has one step without a legal action, which ignores the lane's
action and brings the reward of the seat in `infos`.

All arrays are the environment's own and are written in place by the next step: copy what is to be kept.
"""

from __future__ import annotations

import copy
import os
import pickle
import secrets
from collections.abc import Iterable, Sequence
from itertools import pairwise
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from antemill.engine.arguments import ArgumentValueError, one_of, truth
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.lanes import ASKED, Lanes
from antemill.engine.machine.policy import Policy
from antemill.engine.machine.rollout import Streams, streams
from antemill.engine.match import Game
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import SEATS
from antemill.engine.vector.event_observation import EventObservation
from antemill.engine.vector.play import View, first_illegal
from antemill.engine.vector.state_observation import StateObservation
from antemill.solver.policies.solution import SavedPolicy
from antemill.tournament.adapters.block import Block, Calls
from antemill.tournament.adapters.given import Table, actions_of, games_of, require_options, whole_number
from antemill.tournament.adapters.seating import seat_policy
from antemill.tournament.extent import extent

Opponent = str | os.PathLike[str] | Policy | SavedPolicy | None
Illegal = Literal["refused", "masked"]
Observations = dict[str, npt.NDArray[Any]]
Infos = dict[str, npt.NDArray[Any]]


class VectorTable(VectorEnv[Observations, npt.NDArray[Any], npt.NDArray[Any]]):
    """The environment itself; `vector_env` makes it.

    specs, programs: the games; `infos["game"]` says which a lane plays. state_observation, event_observation: what the
    numbers of an observation are (`names`).
    """

    def __init__(
        self,
        specs: Sequence[GameSpec],
        lanes: int,
        alice: Opponent,
        bob: Opponent,
        events: bool,
        illegal: Illegal,
        form: Sequence[GameSpec],
    ) -> None:
        if alice is not None and bob is not None:
            raise ArgumentValueError("both seats play a policy, so nobody is asked: leave out alice or bob.")
        one_of(illegal, "illegal", get_args(Illegal))
        events = truth(events, "events")
        if not specs:
            raise ArgumentValueError("no games are named: pass at least one.")
        if lanes < len(specs):
            raise ArgumentValueError(f"{len(specs)} games need at least {len(specs)} lanes, not {lanes}.")
        games = [Game(spec) for spec in specs]
        self.specs, self.programs = tuple(specs), tuple(game.program for game in games)
        _require_decisions(games, alice, bob)
        self.num_envs, self.closed = lanes, False
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
        self.render_mode = None
        shown = (*map(compile_spec, form), *self.programs)
        self.state_observation = StateObservation(*shown)
        self.event_observation = EventObservation(
            shown, max(extent(spec, lambda _event, _cards: 1).log_size for spec in (*form, *specs))
        )
        self._refuse = illegal == "refused"
        try:
            self._view = self._room(lanes, events)
        except (MemoryError, ValueError):  # more than there is, or than numpy can count
            raise ArgumentValueError(f"{lanes:,} lanes do not fit into memory: ask for fewer.") from None
        self._keys: Streams | None = None
        self._calls: Calls | None = None  # made when they are needed
        self._turn = Lock()  # kernels let other threads run, and lanes can not be played by two of them
        edges = [lanes * i // len(games) for i in range(len(games) + 1)]
        self.game = np.repeat(np.arange(len(games), dtype=np.int32), np.diff(edges))
        self._blocks = [
            Block(
                game.program,
                (
                    ASKED if alice is None else seat_policy(alice, game),
                    ASKED if bob is None else seat_policy(bob, game),
                ),
                (first, last),
                lanes,
                self.event_observation.journal if events else 0,
                frame,
                form_of,
                self._view,
            )
            for game, (first, last), frame, form_of in zip(
                games,
                pairwise(edges),
                self.state_observation.frames[len(form) :],
                self.event_observation.forms[len(form) :],
                strict=True,
            )
        ]
        self._observations, self._infos = self._handed_out(events)
        self._make_spaces(events)

    @property
    def lanes(self) -> list[Lanes]:
        """The lanes of each game, for whoever wants their states and keys.

        Small games are not played by them until they are asked for; from then on they are, which is slower.
        """
        with self._turn:
            self._calls = None
            return [block.lanes for block in self._blocks]

    def __copy__(self) -> VectorTable:
        """A deep copy: two environments can not play on the same lanes."""
        return copy.deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on as a copy: what its lanes show is a part of what it shows, as before."""
        if not state["_view"].vectors.flags.owndata:  # in read-only buffers of another owner (Ray)
            state = pickle.loads(pickle.dumps(state, 4))  # this protocol copies them
        self.__dict__.update(state, _turn=Lock())
        for block in self._blocks:
            block.view = self._view.part(block.first, block.last)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what points into memory, and the lock."""
        with self._turn:
            return {name: value for name, value in self.__dict__.items() if name != "_turn"} | {"_calls": None}

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, Infos]:
        """Begin an episode in every lane. A seed (any whole number) begins a series of episodes, else it goes on.

        There are no options; callers pass some all the same. Raises UsageError for a seed that is no number, and for
        gymnasium's `reset_mask`, which would begin anew in some lanes only.
        """
        require_options(options)
        given = None if seed is None else whole_number(seed, "the seed")
        with self._turn:
            if given is not None or self._keys is None:
                self._keys = streams(secrets.randbits(63) if given is None else given)
                self._view.episodes[:] = np.arange(self.num_envs)
            else:
                self._view.episodes[:] += self.num_envs
            for block in self._blocks:
                block.deal(self._keys)
        return dict(self._observations), dict(self._infos)  # wrappers add their own

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], Infos]:
        """One action for each lane, int[n]; what a lane that has ended or is not asked gets is ignored.

        Raises UsageError before anything is played for an action that is not legal, unless such actions are masked:
        then a legal one is played instead, drawn as a uniform player would, and `infos["masked"]` marks the lane.
        Raises UsageError before the first reset, for another number of actions, or for what are no whole numbers.
        """
        if self._keys is None:
            raise UsageError("nothing has been dealt: call reset first.")
        chosen = actions_of(actions, self.num_envs)
        with self._turn:
            if self._refuse and (lane := first_illegal(chosen, self._view)) >= 0:
                legal = np.flatnonzero(self._view.masks[lane]).tolist()
                raise UsageError(f"action {chosen[lane]} is not legal in lane {lane} now: choose one of {legal}.")
            if self._calls is None:
                self._calls = Calls(self._blocks, self.num_envs)
            self._calls.step(self._keys, chosen)
        view = self._view
        return dict(self._observations), view.rewards, view.ended, self._truncated, dict(self._infos)

    def _room(self, lanes: int, events: bool) -> View:
        most, width = (self.event_observation.most, self.event_observation.width) if events else (0, 0)
        return View(
            vectors=np.zeros((lanes, self.state_observation.size), np.float32),
            masks=np.zeros((lanes, self.state_observation.actions), np.int8),
            events=np.zeros((lanes, most, width), np.float32),
            counts=np.zeros(lanes, np.int64),
            heard=np.zeros((lanes, 2), np.int64),
            seats=np.zeros(lanes, np.int8),
            episodes=np.zeros(lanes, np.int64),
            asked=np.zeros(lanes, np.bool_),
            masked=np.zeros(lanes, np.bool_),
            rewards=np.zeros(lanes, np.float32),
            ended=np.zeros(lanes, np.bool_),
        )

    def _handed_out(self, events: bool) -> tuple[Observations, Infos]:
        view = self._view
        self._truncated = np.zeros(self.num_envs, np.bool_)  # no episode is cut short
        heard: Observations = {"events": view.events, "event_count": view.counts} if events else {}
        return {"observation": view.vectors, "action_mask": view.masks, **heard}, {
            "seat": view.seats,
            "game": self.game,
            "episode_number": view.episodes,
            "asked": view.asked,
            "masked": view.masked,
        }

    def _make_spaces(self, events: bool) -> None:
        low, high = self.state_observation.bounds()
        form = self.event_observation.most, self.event_observation.width
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(low, high, dtype=np.float32),
            "action_mask": spaces.MultiBinary(self.state_observation.actions),
        }
        if events:
            parts["events"] = spaces.Box(-np.inf, np.inf, form, np.float32)
            parts["event_count"] = spaces.Discrete(self.event_observation.most + 1)
        self.single_observation_space = spaces.Dict(parts)
        self.single_action_space = spaces.Discrete(self.state_observation.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)


def vector_env(
    games: Table | Iterable[Table] = "kuhn",
    lanes: int = 64,
    *,
    alice: Opponent = None,
    bob: Opponent = None,
    events: bool = True,
    illegal: Illegal = "refused",
    form: Table | Iterable[Table] = (),
) -> VectorTable:
    """The environment of a game, or of several, which get an equal share of the lanes each.

    games: a GAME as on our command line, a seed, a spec, the path of a .parquet file of `pool split` (all its games),
    or a sequence of these. alice, bob: a policy for a seat that is not asked: the name of a bot (random, l1, mixed,
    cfr), the path of a saved policy or of a folder of them, "best:" and one of these for a best response to it, or a
    policy. events: whether observations have what the seat was told since it was last asked. illegal: "refused" raises
    UsageError for an action that is not legal, "masked" plays a legal one instead. form: games that observations and
    actions have room for, too: environments with the same form, which has all their games, look alike, so that what was
    learnt in one can be tried in another.
    Raises UsageError, StorageError or SpecError if a game or a policy is none, or not that game's, or if a file is of
    another builder or holds a benchmark, which is no training ground.
    """
    number = whole_number(lanes, "the number of lanes")
    return VectorTable(games_of(games), number, alice, bob, events, illegal, games_of(form))


def _require_decisions(games: Sequence[Game], alice: Opponent, bob: Opponent) -> None:
    """Raise UsageError for a game in which the seat that is asked never decides anything."""
    if alice is None and bob is None:
        return
    seat = 0 if alice is None else 1
    for game in games:
        if not (game.program.decision_seats == seat).any():
            raise UsageError(f"in {game.names.game} {SEATS[seat]} never decides anything: let the other seat be asked.")
