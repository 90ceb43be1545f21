"""The moves of a match beside an equilibrium: how it mixes, and what each move gives away.

An equilibrium is a policy that `antemill solve` has written, found by the game's digest in the folders that belong to
the run: the run's own, that of its configuration, that of its benchmark, and `policies` and `solved` in each of these,
beside the policies that take part. A game of at most `SMALL` nodes without one is solved when it is needed.

Where the game's tree can be built, a move's cost is known exactly: with both players at the equilibrium, the value of
the information set's best action less that of the action that was taken, over all hidden cards that the equilibrium's
opponent can hold there (`antemill.solver.evaluation.regret`). Where it cannot, only the mix is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.errors import AntemillError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.match import Game, Match, MatchError, Transcript
from antemill.solver.evaluation.off_path import RARE
from antemill.solver.evaluation.regret import Adviser
from antemill.solver.game import Array
from antemill.solver.policies.file import list_policies, read_policy
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import solve_like
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.players import Observation
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.players.solver_players import cfr_player

SMALL = 20_000  # nodes of a game that is solved while a page is written
LARGE = 1_000_000  # nodes of a tree that is built to say what moves cost
NEVER = 0.02  # a move that an equilibrium plays less often than this is one that it would not make
MISTAKE = 0.005  # chips: a decision that gives away less counts as right
_FOLDERS = ("", "policies", "solved")


class Judged(NamedTuple):
    """One decision by the equilibrium.

    mix: the probability of each entry of the menu. gives: what each gives away, chips; None where that is not known,
    and where the equilibrium's opponent never leads. played: the place of the choice. seat: 0 Alice, 1 Bob.
    reached: whether the equilibrium's own choices lead here, so that its mix means something.
    """

    mix: tuple[float, ...]
    gives: tuple[float | None, ...] | None
    played: int
    seat: int
    reached: bool = True

    @property
    def cost(self) -> float | None:
        """What the move gave away, chips."""
        return None if self.gives is None else self.gives[self.played]

    @property
    def given(self) -> float:
        """Chips that the move gave away; 0 for less than `MISTAKE`, and where its cost is not known."""
        return self.cost if self.cost is not None and self.cost > MISTAKE else 0.0

    @property
    def off(self) -> bool:
        """Whether the equilibrium would not have made it."""
        return self.reached and self.mix[self.played] < NEVER

    def as_row(self) -> dict[str, Any]:
        """For pages."""
        gives = None if self.gives is None else [None if one is None else round(one, 4) for one in self.gives]
        cost = None if self.cost is None else round(self.cost, 4)
        note = "" if self.reached else _UNREACHED
        return {"mix": [round(one, 4) for one in self.mix], "gives": gives, "cost": cost, "note": note}


_UNREACHED = "The equilibrium never comes here, so its mix means nothing."


class Judge:
    """The equilibrium of one game."""

    def __init__(self, game: Game, saved: SavedPolicy) -> None:
        self._game = game
        self._player = SolvedPlayer("solved", saved, game)
        exact = saved.table.abstraction == Abstraction.NONE
        self._sides = _values(game, saved) if exact and count_nodes(game.program, LARGE) <= LARGE else None
        self._looked: dict[tuple[int, int, int], _Seen | None] = {}  # by seat, key and the length of the menu

    @property
    def knows_costs(self) -> bool:
        """Whether it knows what moves give away, not only the mix."""
        return self._sides is not None

    def judge(self, transcript: Transcript) -> list[Judged]:
        """The decisions of a match in their order; none if it does not come out as it was recorded."""
        match = Match(self._game, transcript.play_seed, log=False)
        found, own = [], [1.0, 1.0]  # the probability of each seat's own choices so far
        try:
            for record in transcript.decisions:
                seat, judged = match.seat, self._decision(match, record.choice)
                if judged.gives is None:
                    judged = judged._replace(reached=own[seat] > RARE)
                own[seat] *= judged.mix[judged.played]
                found.append(judged)
                match.apply(record.choice)
        except MatchError:
            return []
        return found if match.over and match.result.payoffs == transcript.payoffs else []

    def _decision(self, match: Match, choice: str | int) -> Judged:
        place = match.menu.resolve(choice).place
        if place is None:
            raise MatchError(f"{choice} is not legal.")
        found = self._look(match)
        if found is None:
            mix = self._player.probabilities(Observation(match))
            return Judged(tuple(map(float, mix)), None, place, match.seat)
        return Judged(*found, place, match.seat, any(one is not None for one in found[1]))

    def _look(self, match: Match) -> _Seen | None:
        """What the tree says of the decision at hand. Many matches come to the same one."""
        if self._sides is None:
            return None
        where = match.seat, match.keys().recall, len(match.menu)
        if where not in self._looked:
            seat, key, entries = where
            self._looked[where] = self._sides[seat].look(key, entries)
        return self._looked[where]


_Seen: TypeAlias = tuple[tuple[float, ...], tuple[float | None, ...]]  # mix and costs


class _Side(NamedTuple):
    """One seat's information sets, by ascending key, and what is known of each action, [sequences]."""

    key: Array
    low: Array
    width: Array
    mix: Array
    gives: Array  # nan where it is not known

    def look(self, key: int, entries: int) -> _Seen | None:
        """Mix and costs of a menu's entries; None if there is no such information set.

        Entries beyond the set's actions are bids above the stack, which are bids of the stack, its last action.
        """
        i = int(np.searchsorted(self.key, key))
        if i >= len(self.key) or int(self.key[i]) != key:
            return None
        low, width = int(self.low[i]), int(self.width[i])
        mix = [float(one) for one in self.mix[low : low + width]] + [0.0] * (entries - width)
        gives = [None if np.isnan(one) else float(one) for one in self.gives[low : low + width]]
        return tuple(mix), tuple(gives + gives[-1:] * (entries - width))


def _values(game: Game, saved: SavedPolicy) -> tuple[_Side, _Side]:
    """Both seats' sides, by the tree of the game."""
    program = game.program
    tree = build_tree(program, LARGE)
    adviser = Adviser(tree, profile_on(program, tree, saved.table))

    def side(seat: int) -> _Side:
        sets, gains = tree.sets[seat], adviser.gains(seat)
        width, gives = np.diff(sets.start), np.full(sets.sequences, np.nan)
        if sets.size:
            gives[1:] = np.repeat(np.maximum.reduceat(gains, sets.start[:-1]), width) - gains[1:]
        order = np.argsort(sets.key)
        return _Side(sets.key[order], sets.start[:-1][order], width[order], adviser.profile[seat], gives)

    return side(0), side(1)


class Judges:
    """The equilibria of a run's games, looked for when they are needed."""

    def __init__(self, folders: Iterable[Path], disguises: Mapping[str, Disguise] = MappingProxyType({})) -> None:
        """disguises: among the games, by the digest of their program. One without a policy is solved as its game."""
        self._disguises = disguises
        self._folders = tuple(dict.fromkeys(folders))
        self._paths: dict[str, Path] | None = None
        self._found: dict[str, Judge | None] = {}

    def of(self, game: Game) -> Judge | None:
        """The judge of a game; None if it is not solved."""
        if game.digest not in self._found:
            saved = self._saved(game)
            self._found[game.digest] = None if saved is None else Judge(game, saved)
        return self._found[game.digest]

    def _saved(self, game: Game) -> SavedPolicy | None:
        if self._paths is None:
            self._paths = _policies(self._folders)
        if (path := self._paths.get(game.digest)) is not None:
            try:
                return read_policy(path, game.program)
            except AntemillError:
                return None
        if (disguise := self._disguises.get(game.digest)) is not None and count_nodes(game.program, LARGE) <= LARGE:
            known = self._saved(Game(disguise.original))
            return None if known is None else solve_like(game.program, known.solution, disguise.scale, LARGE)
        return cfr_player(game).saved if count_nodes(game.program, SMALL) <= SMALL else None


def judges(path: Path, home: Path, config: CardConfig | None, disguises: Mapping[str, Disguise]) -> Judges:
    """The equilibria of a run. path: its folder; home: that of its configuration, which may be gone. disguises: as
    `Judges` takes them."""
    roots = [path, home]
    if config is None:
        return Judges((root / name for root in roots for name in _FOLDERS), disguises)
    if config.tournament.benchmark is not None:
        roots.append((home / config.tournament.benchmark).parent)
    taking_part = [home / player.policy for player in config.players.values() if player.policy is not None]
    return Judges([root / name for root in roots for name in _FOLDERS] + taking_part, disguises)


def _policies(folders: Iterable[Path]) -> dict[str, Path]:
    """The first policy of each game, by digest; what cannot be read is passed over."""
    found: dict[str, Path] = {}
    for folder in folders:
        try:
            for path, solution in list_policies(folder):
                found.setdefault(solution.digest, path)
        except AntemillError:
            continue
    return found
