"""One game as a `gymnasium.Env`: a learner in one seat, a policy in the other. It needs the extra antemill[gymnasium].

    import antemill as am
    table = am.env("kuhn", opponent="cfr")                 or gymnasium.make("antemill/Kuhn-v0", opponent="cfr")
    observation, info = table.reset(seed=1)
    action = ...                                           legal by table.action_masks()
    observation, reward, terminated, truncated, info = table.step(action)

It is a lane of `antemill.tournament.adapters.vector_env` with the same observations, rewards, infos and episodes. By
default an observation is the present as one array, which every library takes, and an action that is not legal is
replaced by a legal one, which `info["masked"]` says.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
import numpy.typing as npt

from antemill.engine.arguments import one_of
from antemill.engine.errors import UsageError
from antemill.tournament.adapters.given import Table, require_options, whole_number
from antemill.tournament.adapters.gymnasium import Illegal, Observations, Opponent, VectorTable, vector_env

Seat = Literal["alice", "bob"]
Info = dict[str, Any]


class SingleTable(gymnasium.Env[Any, Any]):
    """The environment itself; `env` makes it. table: the environment of one lane that it plays on."""

    def __init__(self, table: VectorTable) -> None:
        self.table = table
        self.metadata = {"render_modes": []}
        self.observation_space, self.action_space = table.single_observation_space, table.single_action_space
        self._mask: npt.NDArray[np.bool_] | None = None
        self._over = False

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observations, Info]:
        """Begin an episode. A seed begins a series; without one the series continues. Options have no effect."""
        require_options(options)
        super().reset(seed=None if seed is None else whole_number(seed, "the seed"))
        self._over = False
        return self._first(*self.table.reset(seed=seed))

    def step(self, action: Any) -> tuple[Observations, float, bool, bool, Info]:
        """Play an action. Raises UsageError before the first reset, after an end, and for what is no whole number."""
        if self._over:
            raise UsageError("the episode has ended: call reset.")
        observations, rewards, ended, _, infos = self.table.step(np.reshape(action, 1))
        self._over = bool(ended[0])
        observation, info = self._first(observations, infos)
        return observation, float(rewards[0]), self._over, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool[actions]: the legal actions, as sb3-contrib asks for them; all of them if no action is waited for."""
        if self._mask is None:
            raise UsageError("no episode has begun: call reset first.")
        return self._mask

    def _first(self, observations: Observations, infos: Info) -> tuple[Observations, Info]:
        """The observation and the info of the only lane."""
        info = {name: column[0].item() if column.ndim == 1 else column[0] for name, column in infos.items()}
        if isinstance(observations, np.ndarray):
            self._mask = info["action_mask"].astype(np.bool_)
            return observations[0], info
        self._mask = observations["action_mask"][0].astype(np.bool_)
        return {name: column[0] for name, column in observations.items()}, info


def env(
    game: Table = "kuhn",
    *,
    opponent: Opponent = "random",
    seat: Seat = "alice",
    events: bool = False,
    illegal: Illegal = "masked",
    form: Table | tuple[Table, ...] = (),
    flat: bool = True,
) -> SingleTable:
    """The environment of one game, in which one seat learns.

    game: as `vector_env` takes it, but one only. opponent: plays the other seat: a bot (random, l1, mixed, cfr), the
    path of a saved policy or of a folder of them, "best:" and one of these, or a policy; None lets the caller decide
    for both seats, `info["seat"]` for whom. seat: the learner's. events, illegal, form, flat: as in `vector_env`; flat
    observations have the mask in `info["action_mask"]`, others have "observation" and "action_mask", and "events" and
    "event_count" on request.
    Raises what `vector_env` raises.
    """
    return SingleTable(_lanes(1, game, opponent, seat, events, illegal, form, flat))


def vector(
    num_envs: int = 1,
    game: Table = "kuhn",
    *,
    opponent: Opponent = "random",
    seat: Seat = "alice",
    **more: Any,
) -> VectorTable:
    """What `gymnasium.make_vec` makes of our names: `vector_env` with the arguments and the spaces of `env`.

    more: further arguments of `vector_env`. Raises what `vector_env` raises.
    """
    return _lanes(whole_number(num_envs, "num_envs"), game, opponent, seat, **more)


def _lanes(
    lanes: int,
    game: Table,
    opponent: Opponent,
    seat: Seat,
    events: bool = False,
    illegal: Illegal = "masked",
    form: Table | tuple[Table, ...] = (),
    flat: bool | None = None,
    **more: Any,
) -> VectorTable:
    one_of(seat, "seat", get_args(Seat))
    alice, bob = (None, opponent) if seat == "alice" else (opponent, None)
    flat = not events if flat is None else flat
    return vector_env(game, lanes, alice=alice, bob=bob, events=events, illegal=illegal, form=form, flat=flat, **more)
