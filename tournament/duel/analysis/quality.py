"""How good a proposer's puzzles are, beyond who won: share valid, share unsolved by all reference models, novelty.

Novelty is the distance (1 - cosine, token hash) of a valid puzzle to the nearest of all puzzles before it, by any
proposer, in the order of the duels; the very first puzzle has none. None of this is in the paper.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from antemill.tournament.duel.analysis.resolve import Attempt, unsolved_by_all
from antemill.tournament.duel.analysis.turns import TurnRow, share, valid
from antemill.tournament.embedding import distances, token_hash


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """One proposer's puzzles; None where there is nothing to measure."""

    proposer: str
    turns: int
    valid: int
    distinct: int  # valid puzzles of different code
    valid_share: float | None
    unsolved_share: float | None  # by all reference models, of the distinct ones of which it is known
    novelty: float | None  # median


def novelty(codes: Sequence[str]) -> list[float | None]:
    """Each program's distance to the nearest one before it; None for the first."""
    vectors = token_hash(codes)
    return [float(distances(vectors[i], vectors[:i]).min()) if i else None for i in range(len(codes))]


def quality(
    turns: Sequence[TurnRow], codes: Mapping[str, str], attempts: Iterable[Attempt], references: Collection[str]
) -> list[Quality]:
    """Every proposer's, by name. codes: the text of each valid puzzle by its name; attempts: of the references."""
    tried = list(attempts)
    good = valid(turns)
    new = dict(zip(codes, novelty(list(codes.values())), strict=True))
    return [
        _one(proposer, turns, good, new, tried, references) for proposer in sorted({turn.proposer for turn in turns})
    ]


def _one(
    proposer: str,
    turns: Sequence[TurnRow],
    good: Sequence[TurnRow],
    new: Mapping[str, float | None],
    attempts: Sequence[Attempt],
    references: Collection[str],
) -> Quality:
    played = sum(turn.proposer == proposer for turn in turns)
    puzzles = [turn.puzzle for turn in good if turn.proposer == proposer]
    distinct = list(dict.fromkeys(puzzles))
    measured = [found for puzzle in distinct if (found := new.get(puzzle)) is not None]
    unsolved, tried = unsolved_by_all(set(distinct), attempts, references)
    return Quality(
        proposer=proposer,
        turns=played,
        valid=len(puzzles),
        distinct=len(distinct),
        valid_share=share(len(puzzles), played),
        unsolved_share=share(unsolved, tried),
        novelty=float(np.median(measured)) if measured else None,
    )
