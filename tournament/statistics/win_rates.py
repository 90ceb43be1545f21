"""Win rates of solvers and proposers by round (Token Games sections 3.3 and 4, Tables 1, 5 and 6; T8).

The paper's text and its tables count differently. Each rate is here under a name that says what it divides by:

    solver_rate      solved / (solved + failed)              Table 1 "Solv%": rounds whose puzzle was valid
    solver_success   (solved + proposers' failures) / rounds   section 3.3: the proposer's failure counts for the solver
    proposer_rate    unsolved / rounds                        Table 1 "Prop%"
    hard_share       unsolved / (solved + unsolved)           Table 5: share of a model's valid puzzles
    penalty_rate     penalties / rounds                       Table 5: the proposer's own solution was wrong
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.elo import PENALTY, SOLVED, UNSOLVED
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Integers


class Rounds(Struct, frozen=True, eq=False):
    """Numbers of rounds of each model, int64[models] each: as solver, then as proposer."""

    solved: Integers
    failed: Integers  # did not solve a valid puzzle
    spared: Integers  # the proposer failed, and the solver was not asked
    proposed_solved: Integers  # the opponent solved it
    proposed_unsolved: Integers
    penalties: Integers

    @property
    def solver_rate(self) -> Floats:
        """Solved among the valid puzzles that the model was asked (Table 1)."""
        return _share(self.solved, self.solved + self.failed)

    @property
    def solver_success(self) -> Floats:
        """Rounds as solver in which the model solved the puzzle, or the proposer failed (section 3.3)."""
        return _share(self.solved + self.spared, self.solved + self.failed + self.spared)

    @property
    def proposer_rate(self) -> Floats:
        """Unsolved among all rounds as proposer (Table 1, section 3.3)."""
        return _share(self.proposed_unsolved, self.proposed_solved + self.proposed_unsolved + self.penalties)

    @property
    def hard_share(self) -> Floats:
        """Unsolved among the model's valid puzzles (Table 5)."""
        return _share(self.proposed_unsolved, self.proposed_solved + self.proposed_unsolved)

    @property
    def easy_rate(self) -> Floats:
        """Solved among all rounds as proposer (section 4.5)."""
        return _share(self.proposed_solved, self.proposed_solved + self.proposed_unsolved + self.penalties)

    @property
    def penalty_rate(self) -> Floats:
        """Failures among all rounds as proposer (Table 5)."""
        return _share(self.penalties, self.proposed_solved + self.proposed_unsolved + self.penalties)

    def total(self) -> Rounds:
        """The rounds of all models as those of one: int64[1] each."""
        return Rounds(*(getattr(self, name).sum(keepdims=True) for name in self.__struct_fields__))


def count_rounds(models: int, solver: Integers, proposer: Integers, outcome: Sequence[str]) -> Rounds:
    """Count rounds by model. solver, proposer: int64[rounds]; outcome: one of
    `antemill.tournament.statistics.elo.OUTCOMES`."""
    names = np.asarray(outcome, dtype=object)

    def count(who: Integers, name: str) -> Integers:
        return np.bincount(who[names == name], minlength=models).astype(np.int64)

    return Rounds(
        solved=count(solver, SOLVED),
        failed=count(solver, UNSOLVED),
        spared=count(solver, PENALTY),
        proposed_solved=count(proposer, SOLVED),
        proposed_unsolved=count(proposer, UNSOLVED),
        penalties=count(proposer, PENALTY),
    )


def _share(part: Integers, whole: Integers) -> Floats:
    """NaN where there was no round."""
    return np.asarray(np.where(whole > 0, part / np.maximum(whole, 1), np.nan), np.float64)
