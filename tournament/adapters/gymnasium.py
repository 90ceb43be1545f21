"""Our games as one vectorised environment. It needs the extra antemill[gymnasium].

    from antemill.tournament.adapters import vector_env
    table = vector_env("kuhn", 256)                        self-play: each decision is the caller's
    table = vector_env(["9", "7@0.1"], 256, bob="random")  two games; the caller plays Alice, a policy Bob
    observations, infos = table.reset(seed=1)
    actions = ...                                          one for each lane, legal by observations["action_mask"]
    observations, rewards, terminations, truncations, infos = table.step(actions)

A lane plays one game, an episode after the other, as `gymnasium.vector.VectorEnv` says. Lane i of n plays the episodes
i, i + n, ... of the streams of the last seed: those that `antemill.engine.rollout` plays. After an end the next episode
begins by one of gymnasium's three rules (`autoreset`): with the next step, which ignores the lane's action; with the
same step, which hands out the end as `final_obs` and `final_info`; or by `reset(options={"reset_mask": mask})`.

Observations (`antemill.engine.vector`) are those of `infos["seat"]`, the seat to decide: the present
(`StateObservation`), the legal actions, and the events that the seat observed after its last decision
(`EventObservation`). The reward is the payoff in chips of the seat whose action the step took. It comes once, at the
end; the other seat's is its negative. An episode without a decision has one step: it ignores the lane's action and has
the reward of the seat in `infos`. The mask of a lane that waits for no action is all ones.

All arrays are the caller's. With `copy=False` they belong to the environment, and the next step overwrites them.
"""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import pairwise
from threading import Lock
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from antemill.engine.arguments import ArgumentValueError, one_of, truth
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.lanes import ASKED, Lanes
from antemill.engine.machine.rollout import Streams, streams
from antemill.engine.match import Game
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import SEATS
from antemill.engine.vector.event_observation import EventObservation
from antemill.engine.vector.play import View, first_illegal
from antemill.engine.vector.state_observation import StateObservation
from antemill.tournament.adapters.block import Block
from antemill.tournament.adapters.given import (
    Table,
    actions_of,
    games_of,
    reach,
    reset_mask,
    whole_number,
    with_disguises,
)
from antemill.tournament.adapters.registered import register
from antemill.tournament.adapters.seating import seat_policy
from antemill.tournament.extent import extent

Opponent: TypeAlias = Any  # a bot's name, or what `as_policy` takes; None: the caller decides
Illegal = Literal["refused", "masked"]
Autoreset = Literal["next-step", "same-step", "disabled"]
Array = npt.NDArray[Any]
Observations = Any  # dict[str, Array], or with `flat` an Array
Infos = dict[str, Any]
_MODES: dict[Autoreset, AutoresetMode] = {
    "next-step": AutoresetMode.NEXT_STEP,
    "same-step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}
_NAMES: dict[AutoresetMode, Autoreset] = {mode: name for name, mode in _MODES.items()}


class VectorTable(VectorEnv[Any, Array, Array]):
    """The environment itself; `vector_env` makes it.

    specs, programs: the games; `infos["game"]` has the index of each lane's game. state_observation,
    event_observation: the meaning of an observation's numbers (`names`). autoreset_mode: gymnasium's name for how the
    next episode begins, as in `metadata`. copy: whether the arrays of a step are the caller's.
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
        *,
        copy: bool = True,
        autoreset: Autoreset | AutoresetMode = "next-step",
        flat: bool = False,
    ) -> None:
        if alice is not None and bob is not None:
            raise ArgumentValueError("both seats play a policy, so no decision is left: leave out alice or bob.")
        one_of(illegal, "illegal", get_args(Illegal))
        autoreset = _NAMES[autoreset] if isinstance(autoreset, AutoresetMode) else autoreset
        one_of(autoreset, "autoreset", get_args(Autoreset))
        events, self.copy, self._flat = truth(events, "events"), truth(copy, "copy"), truth(flat, "flat")
        if not specs:
            raise ArgumentValueError("no games are named: pass at least one.")
        if lanes < len(specs):
            raise ArgumentValueError(f"{len(specs)} games need at least {len(specs)} lanes, not {lanes}.")
        games = [Game(spec) for spec in specs]
        self.specs, self.programs = tuple(specs), tuple(game.program for game in games)
        _require_decisions(games, alice, bob)
        self.num_envs, self.closed = lanes, False
        self.autoreset_mode = _MODES[autoreset]
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.render_mode = None
        shown = (*map(compile_spec, form), *self.programs)
        self.state_observation = StateObservation(*shown)
        self.event_observation = EventObservation(
            shown, max(extent(spec, lambda _event, _cards: 1).log_size for spec in (*form, *specs))
        )
        self._refuse = illegal == "refused"
        try:
            self._view = self._buffers(lanes, events)
        except (MemoryError, ValueError):  # more than the memory has, or than numpy can count
            raise ArgumentValueError(f"{lanes:,} lanes do not fit into memory: ask for fewer.") from None
        self._keys: Streams | None = None
        self._turn = Lock()  # kernels release the GIL, and two threads must not play the same lanes
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
        self._columns = self._handed_out(events)
        self._make_spaces(events, (*form, *specs))

    @property
    def lanes(self) -> list[Lanes]:
        """The lanes of each game, with their states and keys."""
        return [block.lanes for block in self._blocks]

    def __copy__(self) -> VectorTable:
        """A deep copy: two environments cannot play on the same lanes."""
        return deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy, whose lanes write into its own view again."""
        if not state["_view"].vectors.flags.owndata:  # in read-only buffers that another object owns (Ray)
            state = pickle.loads(pickle.dumps(state, 4))  # this protocol copies them
        self.__dict__.update(state, _turn=Lock())
        for block in self._blocks:
            block.view = self._view.part(block.first, block.last)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the lock."""
        with self._turn:
            return {name: value for name, value in self.__dict__.items() if name != "_turn"}

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, Infos]:
        """Begin an episode in every lane. A seed (any whole number) begins a series; without one the series continues.

        options: `{"reset_mask": mask}` with bool[n] begins the next episode of the marked lanes only; no other option
        has an effect. Raises UsageError for a seed that is no whole number, and for a mask with a seed, before the
        first reset, or of another form.
        """
        which = reset_mask(options, self.num_envs)
        given = None if seed is None else whole_number(seed, "the seed")
        if which is not None and (given is not None or self._keys is None):
            raise ArgumentValueError("a series begins in all lanes: leave out reset_mask at the first reset or a seed.")
        with self._turn:
            skip = self.num_envs
            if given is not None or self._keys is None:
                self._keys, skip = streams(secrets.randbits(63) if given is None else given), 0
                self._view.episodes[:] = np.arange(self.num_envs)
            which = np.ones(self.num_envs, np.bool_) if which is None else which
            self._view.rewards[which] = 0.0
            for block in self._blocks:
                block.deal(self._keys, which, skip)
            return self._shown(), self._told()

    def step(self, actions: npt.ArrayLike) -> tuple[Observations, Array, Array, Array, Infos]:
        """One action for each lane, int[n]; the action of a lane that has ended or has no decision is ignored.

        Raises UsageError, before anything is played, for an action that is not legal, unless such actions are masked:
        then a legal one is drawn uniformly and played instead, and `infos["masked"]` marks the lane. Raises UsageError
        before the first reset, for another number of actions, for actions that are no whole numbers, and, without
        autoreset, for a lane that has ended.
        """
        if self._keys is None:
            raise UsageError("no episode has begun: call reset first.")
        chosen = actions_of(actions, self.num_envs)
        with self._turn:
            if self.autoreset_mode == AutoresetMode.DISABLED and self._view.ended.any():
                raise UsageError(
                    f"the episode of lane {self._view.ended.argmax()} has ended: begin the next one by "
                    'reset(options={"reset_mask": terminations}).'
                )
            if self._refuse and (lane := first_illegal(chosen, self._view)) >= 0:
                legal = np.flatnonzero(self._view.masks[lane]).tolist()
                raise UsageError(f"action {chosen[lane]} is not legal in lane {lane} now: choose one of {legal}.")
            for block in self._blocks:
                block.step(chosen)
            rewards, ended, truncated = (self._given(name) for name in ("rewards", "ended", "truncated"))
            final = {}
            if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
                ended = ended.copy()
                final = self._final(ended)
                for block in self._blocks:
                    block.deal(self._keys, ended, self.num_envs)
            return self._shown(), rewards, ended, truncated, self._told() | final

    def _final(self, ended: Array) -> Infos:
        """The last observations and infos of the lanes that have ended, in gymnasium's form."""
        found = np.full(self.num_envs, None, object)
        lanes = np.flatnonzero(ended)
        last = {name: self._columns[name][lanes] for name in self._seen}
        flat = _flattened(last) if self._flat else None
        for place, lane in enumerate(lanes.tolist()):
            one = {name: column[place] for name, column in last.items()} if flat is None else flat[place]
            found[lane] = one
        infos = {name: self._columns[name].copy() for name in self._heard}
        return {"final_obs": found, "_final_obs": ended.copy(), "final_info": infos, "_final_info": ended.copy()}

    def _given(self, name: str) -> Array:
        return self._columns[name].copy() if self.copy else self._columns[name]

    def _shown(self) -> Observations:
        """The observations that a step hands out."""
        found = {name: self._given(name) for name in self._seen}
        return _flattened(found) if self._flat else found

    def _told(self) -> Infos:
        """The infos that a step hands out, in a dictionary of its own, because wrappers add keys."""
        return {name: self._given(name) for name in self._heard}

    def _buffers(self, lanes: int, events: bool) -> View:
        most, width = (self.event_observation.most, self.event_observation.width) if events else (0, 0)
        return View(
            vectors=np.zeros((lanes, self.state_observation.size), np.float32),
            masks=np.zeros((lanes, self.state_observation.actions), np.int8),
            events=np.zeros((lanes, most, width), np.float32),
            counts=np.zeros(lanes, np.int64),
            events_shown=np.zeros((lanes, 2), np.int64),
            seats=np.zeros(lanes, np.int8),
            episodes=np.zeros(lanes, np.int64),
            asked=np.zeros(lanes, np.bool_),
            masked=np.zeros(lanes, np.bool_),
            rewards=np.zeros(lanes, np.float32),
            ended=np.zeros(lanes, np.bool_),
        )

    def _handed_out(self, events: bool) -> dict[str, Array]:
        """The arrays that a step hands out, by name; sets the names of those of observations and of infos."""
        view = self._view
        mask, told = ("action_mask",), ("events", "event_count") if events else ()
        self._seen = ("observation", *told[:1]) if self._flat else ("observation", *mask, *told)
        self._heard = ("seat", "game", "episode_number", "asked", "masked", *(mask if self._flat else ()))
        return {
            "observation": view.vectors,
            "action_mask": view.masks,
            "events": view.events,
            "event_count": view.counts,
            "seat": view.seats,
            "game": self.game,
            "episode_number": view.episodes,
            "asked": view.asked,
            "masked": view.masked,
            "rewards": view.rewards,
            "ended": view.ended,
            "truncated": np.zeros(self.num_envs, np.bool_),  # no episode is truncated
        }

    def _make_spaces(self, events: bool, specs: Sequence[GameSpec]) -> None:
        far = reach(specs)
        low, high = self.state_observation.bounds(far.stacks, far.variable)
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(low, high, dtype=np.float32),
            "action_mask": spaces.MultiBinary(self.state_observation.actions),
        }
        if events:
            parts["events"] = spaces.Box(*self.event_observation.bounds(far.score, far.variable), dtype=np.float32)
            parts["event_count"] = spaces.Discrete(self.event_observation.most + 1)
        if self._flat and events:
            bounds = zip((low, high), self.event_observation.bounds(far.score, far.variable), strict=True)
            low, high = (np.concatenate((one, rows.ravel())) for one, rows in bounds)
            parts["observation"] = spaces.Box(low, high, dtype=np.float32)
        self.single_observation_space = parts["observation"] if self._flat else spaces.Dict(parts)
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
    copy: bool = True,
    autoreset: Autoreset | AutoresetMode = "next-step",
    flat: bool = False,
    disguises: int = 0,
) -> VectorTable:
    """The environment of a game, or of several, each with an equal share of the lanes.

    games: a GAME as on our command line, a seed, a spec, the path of a .parquet file of `pool split` (all its games),
    or a sequence of these. alice, bob: a policy that plays this seat: the name of a bot (random, l1, mixed, cfr), the
    path of a saved policy or of a folder of them, "best:" and one of these for a best response to it, or what
    `as_policy` takes, such as a model. With neither, both seats are the caller's: each decision is that of
    `infos["seat"]`, and a reward is that of the seat whose action the step took. events: whether observations have the
    events that the seat observed after its last decision. illegal: "refused" raises UsageError for an action that is
    not legal, "masked" plays a legal one instead. form: further games that
    observations and actions must fit: environments whose form holds all games of both have the same spaces, so that a
    policy learnt in one can be tried in the other. copy: whether the arrays of a step are the caller's; without it
    they are the environment's, which is faster, and the next step overwrites them. autoreset: how the next episode of a
    lane begins: "next-step", "same-step" or "disabled", or gymnasium's AutoresetMode. flat: whether observations are
    one array, of the present and the rows of events, with the mask in `infos["action_mask"]`. disguises: each game
    is followed by so many disguises of it (`antemill.disguise`), with a share of the lanes of their own.
    Raises UsageError, StorageError or SpecError for what is no game or no policy, for a policy of another game, and for
    a file of another builder or of a benchmark, on which no policy may be trained.
    """
    number = whole_number(lanes, "the number of lanes")
    return VectorTable(
        with_disguises(games_of(games), disguises),
        number,
        alice,
        bob,
        events,
        illegal,
        games_of(form),
        copy=copy,
        autoreset=autoreset,
        flat=flat,
    )


def _flattened(seen: dict[str, Array]) -> Array:
    """float32[lanes, numbers]: the present and the events side by side."""
    if "events" not in seen:
        return seen["observation"]
    return np.concatenate((seen["observation"], seen["events"].reshape(len(seen["events"]), -1)), axis=1)


def _require_decisions(games: Sequence[Game], alice: Opponent, bob: Opponent) -> None:
    """Raise UsageError for a game in which the seat that is asked never decides anything."""
    if alice is None and bob is None:
        return
    seat = 0 if alice is None else 1
    for game in games:
        if not (game.program.decision_seats == seat).any():
            raise UsageError(f"in {game.names.game} {SEATS[seat]} never decides anything: let the other seat be asked.")


register()
