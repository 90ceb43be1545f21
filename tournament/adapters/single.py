"""One game as a `gymnasium.Env`: a learner in one seat, a policy in the other. It needs the extra antemill[gymnasium].

    import antemill as am
    table = am.env("kuhn", opponent="cfr")                 or gymnasium.make("antemill:antemill/Kuhn-v0")
    observation, info = table.reset(seed=1)
    action = ...                                           legal by table.action_masks()
    observation, reward, terminated, truncated, info = table.step(action)

It is a lane of `antemill.tournament.adapters.vector_env` with the same observations, rewards, infos and episodes. By
default an observation is one array, of the present and of the events after the seat's last decision, which every
library takes, and an action that is not legal is replaced by a legal one, which `info["masked"]` says. What
observations forget, `antemill.tournament.adapters.forgotten` says.

    table = am.selfplay("starter-2", frozen=1_000)         one learner in both seats, an episode each in turn
    table.follow(model)                                    every 1,000 episodes its copy becomes the opponent
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
import numpy.typing as npt

from antemill.engine.arguments import ArgumentValueError, one_of, whole
from antemill.engine.errors import UsageError
from antemill.engine.match import Game
from antemill.solver.policies.on_tree import kernel_policy
from antemill.tournament.adapters.given import Table, games_of, require_options, whole_number
from antemill.tournament.adapters.gymnasium import Illegal, Observations, Opponent, VectorTable, vector_env
from antemill.tournament.adapters.learned import as_policy
from antemill.tournament.adapters.tree_observations import TreeObservations

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
    events: bool = True,
    illegal: Illegal = "masked",
    form: Table | tuple[Table, ...] = (),
    flat: bool = True,
) -> SingleTable:
    """The environment of one game, in which one seat learns.

    game: as `vector_env` takes it, but one only. opponent: plays the other seat: a bot (random, l1, mixed, cfr), the
    path of a saved policy or of a folder of them, "best:" and one of these, or what `as_policy` takes, such as a model.
    seat: the learner's. events, illegal, form, flat: as in `vector_env`; flat observations have the mask in
    `info["action_mask"]`, others have "observation" and "action_mask", and "events" and "event_count".
    Raises what `vector_env` raises, and UsageError without an opponent.
    """
    return SingleTable(_lanes(1, game, opponent, seat, events, illegal, form, flat))


class SelfPlay(SingleTable):
    """Self-play as an environment of one player; `selfplay` makes it.

    The opponent plays uniformly until a learner is followed.
    """

    def __init__(self, game: Table, frozen: int, events: bool, flat: bool) -> None:
        (spec,) = games_of(game)
        self._game, self._events = Game(spec), events
        self._tables = [_lanes(1, spec, "random", seat, events, flat=flat) for seat in get_args(Seat)]
        super().__init__(self._tables[0])
        self._learner: Any = None
        self._frozen, self._episodes = whole(frozen, "frozen", 1), 0
        self._observed: TreeObservations | None = None

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observations, Info]:
        """Begin an episode in the other seat, after the opponent was renewed if it is time."""
        if self._episodes % self._frozen == 0 and self._learner is not None:
            self.renew(self._learner)
        if seed is not None:
            self._tables[1].reset(seed=seed)
        self.table = self._tables[self._episodes % 2 if seed is None else 0]
        self._episodes += 1
        return super().reset(seed=seed, options=options)

    def follow(self, learner: Any) -> None:
        """Freeze copies of this learner, which is what `as_policy` takes, from the next renewal on."""
        self._learner = learner

    def renew(self, learner: Any) -> None:
        """Freeze a copy of a learner as the opponent: its probabilities in every information set."""
        if self._observed is None:
            self._observed = TreeObservations(self._game, events=self._events, flat=True)
        policy = kernel_policy(self._game.program, as_policy(self._game, learner, self._observed))
        for seat, table in enumerate(self._tables):
            lanes = table.lanes[0]
            lanes.dealer = lanes.dealer._replace(bob=policy) if seat == 0 else lanes.dealer._replace(alice=policy)


def selfplay(game: Table = "kuhn", *, frozen: int = 1_000, events: bool = True, flat: bool = True) -> SelfPlay:
    """Self-play for a learner of one player: it sits in both seats, an episode each in turn, and a frozen copy of it
    opposite. `follow` names the model that learns.

    game: as `env` takes it, with a tree of at most a million nodes. frozen: the copy is renewed after so many episodes.
    events, flat: as in `env`. Both seats of one learner at once are played in `vector_env` and in
    PettingZoo. Raises what `env` raises, and UsageError for a game in which a seat never decides.
    """
    return SelfPlay(game, frozen, events, flat)


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
    events: bool = True,
    illegal: Illegal = "masked",
    form: Table | tuple[Table, ...] = (),
    flat: bool = True,
    **more: Any,
) -> VectorTable:
    one_of(seat, "seat", get_args(Seat))
    if opponent is None:
        raise ArgumentValueError(
            "an environment of one player needs an opponent: name one, or use selfplay, or vector_env for both seats."
        )
    alice, bob = (None, opponent) if seat == "alice" else (opponent, None)
    return vector_env(game, lanes, alice=alice, bob=bob, events=events, illegal=illegal, form=form, flat=flat, **more)
