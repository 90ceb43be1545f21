"""The value of a match for the learner.

payoff  the chips won. Unbiased for the expected payoff against that opponent.
aivat   the chips won without the luck of the cards and of the opponent's own draws (`solver/evaluation/aivat_tree.py`).
        Its expectation is the payoff's for any policy of the learner, with less variance. The opponent's policy must be
        known.
regret  minus the regret of each of the learner's moves by an equilibrium of the solved game: the value of the
        learner's information set less that of the action played there, both with equilibrium play before (of the
        opponent) and after (of both). Against that equilibrium, the sum over a match is unbiased for the expected
        payoff less the value of the game. Against any other opponent it estimates no payoff: it is
        0 for a player of the equilibrium, and does not reward exploiting the opponent's mistakes. At an
        information set that the equilibrium's opponent never reaches, no distribution of hidden cards is defined, and
        the regret is 0.

The unit is chips, or the game's deviation: the standard deviation of the payoff under random play, `sigma_u` of
`antemill.axes.scores` at the precise tier, which makes games of different stakes comparable.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal, get_args

from msgspec import Struct

from antemill.axes.budgets import PRECISE
from antemill.axes.grouping import sigma_u
from antemill.axes.scores import default_seed
from antemill.engine.errors import UsageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.match import Game, Match
from antemill.engine.seeding import Domain
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.measures import best_response
from antemill.solver.evaluation.regret import Adviser
from antemill.solver.evaluation.transcripts import TREE_LIMIT, Aivat, aivat, aivat_for, transcript_history
from antemill.solver.policies.file import load_policy
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides, uniform_policy
from antemill.tournament.players import Player
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.players.solver_players import LIMIT, cfr_player, known_policy

Reward = Literal["payoff", "aivat", "regret"]
Unit = Literal["chips", "deviation"]


class Score(Struct, frozen=True):
    """A seat's score of a match, in the reward's unit.

    total: after penalties. moves: the part of each of the seat's moves, before penalties; None if the reward has no
    such parts. penalties: the amount subtracted.
    """

    total: float
    moves: tuple[float, ...] | None
    penalties: float


class Judge:
    """Scores matches of one game.

    opponent: plays the other seat; None if both learn. called: its name or path. solution: path of a policy, or of a
    folder of them. Raises UsageError if the reward is impossible here, StorageError for a policy that cannot be read.
    """

    def __init__(
        self,
        game: Game,
        reward: Reward,
        unit: Unit,
        penalty: float,
        opponent: Player | None,
        called: str | None,
        solution: str | None,
    ) -> None:
        if reward not in get_args(Reward):
            raise UsageError(f"there is no reward '{reward}': use {', '.join(get_args(Reward))}.")
        if unit not in get_args(Unit):
            raise UsageError(f"there is no unit '{unit}': use {' or '.join(get_args(Unit))}.")
        if not 0.0 <= penalty < float("inf"):
            raise UsageError(f"the penalty is {penalty:g}: give a number from 0 up, which is subtracted.")
        self._game = game
        self._penalty = penalty
        self._measure: Callable[[Match, int], tuple[float, tuple[float, ...] | None]] = _payoff
        if reward == "aivat":
            self._measure = _Luckless(game, opponent, called).measure
        elif reward == "regret":
            self._measure = _Regret(game, solution).measure
        self.scale = self.deviation if unit == "deviation" else 1.0

    @cached_property
    def deviation(self) -> float:
        """The payoff's standard deviation under random play, chips. Raises UsageError if it is 0."""
        program = self._game.program
        log = rollout(program, PRECISE.level0, streams(default_seed(program), Domain.LEVEL0))
        if (found := sigma_u(log)) == 0.0:
            raise UsageError(f"random play of {program.names.game} always pays the same: use the unit chips.")
        return found

    def score(self, match: Match, seat: int, penalties: int) -> Score:
        """A seat's score of a finished match. penalties: how many decisions were played for the seat."""
        total, moves = self._measure(match, seat)
        off = self._penalty * penalties
        return Score(
            total / self.scale - off, None if moves is None else tuple(move / self.scale for move in moves), off
        )


def _payoff(match: Match, seat: int) -> tuple[float, None]:
    return float(match.result.payoffs[seat]), None


class _Luckless:
    """AIVAT against a known policy."""

    def __init__(self, game: Game, opponent: Player | None, called: str | None) -> None:
        if opponent is None:
            raise UsageError("aivat needs an opponent whose policy is known: it is impossible while both seats learn.")
        self._game, self._called = game, called
        self._opponent = opponent
        self._methods: dict[int, Aivat] = {}
        self._method(0)

    def measure(self, match: Match, seat: int) -> tuple[float, None]:
        """The estimate of the seat's payoff."""
        alice = aivat(self._method(1 - seat), self._game, 1 - seat, match.transcript())
        return (alice if seat == 0 else -alice), None

    def _method(self, known: int) -> Aivat:
        """AIVAT with the opponent at the seat `known`."""
        if isinstance(self._opponent, SolvedPlayer):
            method = self._methods.get(0) or aivat_for(self._game.program, self._opponent.saved.table)
            self._methods = {0: method, 1: method}
        elif known not in self._methods:
            self._methods[known] = self._on_tree(known)
        return self._methods[known]

    def _on_tree(self, known: int) -> TreeAivat:
        """For the values, the learner is assumed to play halfway between random play and a best response, which is not
        far from most policies; the estimates are unbiased with any values."""
        program = self._game.program
        if count_nodes(program, LIMIT) > LIMIT:
            raise UsageError(
                f"the tree of {program.names.game} has more than {LIMIT:,} nodes, too many for aivat against "
                f"{self._called}: let a solved policy be the opponent."
            )
        tree = build_tree(program, LIMIT)
        theirs = known_policy(program, tree, self._opponent, known)
        if theirs is None:
            raise UsageError(
                f"the policy of '{self._called}' is not known, and aivat needs it: "
                "let random, l1, mixed, cfr or a saved policy be the opponent."
            )
        both = sides(tree)
        mine = (best_response(both, 1 - known, theirs) + uniform_policy(both[1 - known])) / 2.0
        return TreeAivat(tree, (mine, theirs) if known == 1 else (theirs, mine), both)


class _Regret:
    """Regrets by an equilibrium: AIVAT's corrections for the equilibrium itself, move by move."""

    def __init__(self, game: Game, solution: str | None) -> None:
        program = game.program
        saved = _small(game) if solution is None else load_policy(solution, program)
        if saved.table.abstraction != Abstraction.NONE or count_nodes(program, TREE_LIMIT) > TREE_LIMIT:
            raise UsageError(
                f"{program.names.game} is not solved exactly, so the regrets of moves are not known: "
                "use payoff or aivat, or a smaller game."
            )
        self._game = game
        tree = build_tree(program, TREE_LIMIT)
        self._adviser = Adviser(tree, profile_on(program, tree, saved.table))

    def measure(self, match: Match, seat: int) -> tuple[float, tuple[float, ...]]:
        """Minus the regrets, of the whole match and of each move, chips."""
        found = self._adviser.review(seat, transcript_history(self._game, match.transcript()))
        gains = tuple(-advice.regret for advice in found)
        return sum(reversed(gains)), gains


def _small(game: Game) -> SavedPolicy:
    """The game's solution. Raises UsageError if it is too large to be solved at once."""
    if count_nodes(game.program, LIMIT) > LIMIT:
        raise UsageError(
            f"the tree of {game.names.game} has more than {LIMIT:,} nodes, too many to be solved on the spot for "
            "regrets: solve it with `antemill solve` and name the file, or use payoff."
        )
    return cfr_player(game).saved
